"""Hiding very many messages at once: worked out off the window's thread, and still one change that can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui import message_commands
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener


@pytest.fixture
def window(opened: Opener, qtbot: QtBot, library: DataRoot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(message_commands, "MANY", 2)
    made = opened(str(next(library.chats.glob("*/*.jsonl"))))
    qtbot.waitUntil(lambda: made.desk.session is not None and made.desk.session.can_change)
    return made


def hide_all(window: MainWindow) -> None:
    window.pane.composer.text.show_text(f"/hide 0-{len(window.desk.session.chat) - 1}")
    window.desk.writing.send()


def hidden(window: MainWindow) -> list[bool]:
    return [facts.is_hidden(message.data()) for message in window.desk.session.chat.messages]


def test_all_are_hidden_by_one_command(window: MainWindow, qtbot: QtBot) -> None:
    before = hidden(window)
    hide_all(window)
    assert hidden(window) == before, "it is only being worked out"
    assert "Hiding" in window.pane.banner.text
    qtbot.waitUntil(lambda: all(hidden(window)))
    assert window.pane.banner.text == ""
    window.desk.commands.undo()
    assert hidden(window) == before


def test_a_chat_that_was_left_meanwhile_stays_as_it_was(window: MainWindow, qtbot: QtBot, library: DataRoot) -> None:
    path = window.desk.path
    assert path is not None
    before = path.read_bytes()
    hide_all(window)
    other = next(chat for chat in library.chats.glob("*/*.jsonl") if chat != Path(path))
    window.desk.open(other)
    qtbot.waitUntil(lambda: "left before" in window.pane.banner.text)
    assert path.read_bytes() == before
