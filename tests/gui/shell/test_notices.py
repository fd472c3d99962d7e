"""A reply that comes while no window is in front is told on the desktop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.events import Failed, Finished, Text
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.test_replies import Talk, talk  # noqa: F401
from tests.mini_desktop import MiniDesktop, Shown

CHAT = "A lantern in the rain"


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MiniDesktop]:
    made = MiniDesktop(tmp_path)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", made.address)
    yield made
    made.end()


@pytest.fixture
def away(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> Talk:  # noqa: F811
    """The person looks at another program."""
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    monkeypatch.setattr(MainWindow, "isActiveWindow", lambda window: False)
    return talk


def replied(talk: Talk, text: str) -> None:  # noqa: F811
    number = talk.count
    talk.send("Hello.")
    talk.model(number).send(Text(text), Finished("stop"), None)
    talk.ends()


def test_it_says_who_has_replied_and_not_what(away: Talk, desktop: MiniDesktop, qtbot: QtBot) -> None:
    replied(away, "A secret.")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    assert list(desktop.shown.values()) == [Shown("Ilka Marsh has replied", CHAT, ["default", "Open"])]


def test_by_setting_it_shows_how_the_reply_begins_or_nothing(away: Talk, desktop: MiniDesktop, qtbot: QtBot) -> None:
    away.window.services.change_setting("notices", "off")
    replied(away, "Never told.")
    away.window.services.change_setting("notices", "text")
    replied(away, "The   lamp\nturns. " * 40)
    qtbot.waitUntil(lambda: bool(desktop.shown))
    (shown,) = desktop.shown.values()
    assert shown.body.startswith("The lamp turns. The lamp")
    assert (len(shown.body), shown.body[-1]) == (201, "…")


def test_a_click_leads_to_the_chat(away: Talk, desktop: MiniDesktop, qtbot: QtBot) -> None:
    window = away.window
    path = window.desk.path
    replied(away, "Here I am.")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    other = next(row.path for row in window.services.library.chats if row.path != path)
    window.open_path(other)
    qtbot.waitUntil(lambda: window.desk.path == other)
    desktop.click(next(iter(desktop.shown)))
    qtbot.waitUntil(lambda: window.desk.path == path)


def test_it_goes_once_the_chat_is_looked_at(
    away: Talk, desktop: MiniDesktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    replied(away, "Here I am.")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    monkeypatch.setattr(MainWindow, "isActiveWindow", lambda window: True)
    away.window.services.window_activated.emit()
    qtbot.waitUntil(lambda: not desktop.shown)


def test_a_failure_is_no_reply_and_in_front_nothing_is_told(
    away: Talk, desktop: MiniDesktop, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    away.send("Hello.")
    away.model(0).send(Failed("server", "It broke."), None)
    away.ends()
    with monkeypatch.context() as patched:
        patched.setattr(MainWindow, "isActiveWindow", lambda window: True)
        replied(away, "Seen as it came.")
    replied(away, "Told.")
    qtbot.waitUntil(lambda: bool(desktop.shown))
    assert list(desktop.shown) == [1]
