"""Settings on a full disk: in force at once, and written as soon as they can be (B-15)."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.session.preferences import Preferences
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.storage.stages import Stage
from tests.gui.shell.window_parts import Opener


def test_what_could_not_be_written_goes_with_the_next(
    opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened()
    said: list[str] = []
    window.services.messages.said.connect(lambda one: said.append(one.text))

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space", "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", full)
        window.services.change_setting("text_size", 120)
        qtbot.waitUntil(lambda: len(said) == 1)
        window.services.change_setting("text_size", 130)
        window.services.change_setting("mounted_count", 50)
        assert window.services.runner.run_until(lambda: window.services._writes == 0, 60)
    assert len(said) == 1, "it is said once"
    assert Preferences(own_folders()).settings.value.text_size == 100
    window.services.change_setting("enter_sends", False)
    opened.close()
    kept = Preferences(own_folders()).settings.value
    assert (kept.text_size, kept.mounted_count, kept.enter_sends) == (130, 50, False)


def test_they_are_tried_once_more_at_the_end(opened: Opener, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = opened()

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space", "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", full)
        window.services.change_setting("text_size", 120)
        assert window.services.runner.run_until(lambda: window.services._writes == 0, 60)
    opened.close()
    assert Preferences(own_folders()).settings.value.text_size == 120
