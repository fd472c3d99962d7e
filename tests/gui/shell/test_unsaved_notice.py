"""After a crash the window says which chats have changes that were not saved."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.handover import take
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.storage.unsaved import FOLDER, Unsaved, note_unsaved
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener

Note = Callable[[Path], None]


@pytest.fixture
def note(library: DataRoot) -> Note:
    """Leave a note as the program does before it dies."""
    folder = own_folders().for_root(library.path).data / FOLDER

    def leave(chat: Path) -> None:
        note_unsaved(folder, chat.stem, Unsaved(str(chat), "character", chat.stem, 1000))

    return leave


def chats(library: DataRoot) -> list[Path]:
    return sorted(library.chats.glob("*/*.jsonl"))


def press(window: MainWindow, text: str) -> None:
    (button,) = (button for button in window.pane.banner.buttons if button.text() == text)
    button.click()


def test_without_a_crash_nothing_is_said(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    qtbot.waitUntil(lambda: window.desk is not None)
    assert window.pane.banner.text == ""


def test_one_chat_is_named_and_shown(opened: Opener, qtbot: QtBot, library: DataRoot, note: Note) -> None:
    chat = chats(library)[0]
    note(chat)
    window = opened()
    qtbot.waitUntil(lambda: "1 chat has changes that were not saved" in window.pane.banner.text)
    assert chat.stem in window.pane.banner.text
    press(window, "Show")
    qtbot.waitUntil(lambda: window.desk.path == chat and window.pane.view.is_editable)
    assert "not saved" not in window.pane.banner.text


def test_of_several_there_is_a_choice(opened: Opener, qtbot: QtBot, library: DataRoot, note: Note) -> None:
    one, other = chats(library)[:2]
    note(one)
    note(other)
    window = opened()
    qtbot.waitUntil(lambda: window.pane.banner.text.startswith("2 chats"))
    press(window, "Show…")
    dialog = window.findChild(QDialog, "unsavedDialog")
    assert dialog is not None
    dialog.reject()
    assert window.pane.banner.text.startswith("2 chats"), "nothing was decided"
    window.desk.open(one)
    assert window.pane.banner.text.startswith("1 chat has"), "the other is still to come"
    press(window, "Later")
    window.desk.open(chats(library)[2])
    assert "not saved" not in window.pane.banner.text


def test_a_chat_that_is_gone_is_not_told_of(opened: Opener, qtbot: QtBot, library: DataRoot, note: Note) -> None:
    note(library.chats / "Nobody" / "gone.jsonl")
    window = opened()
    qtbot.waitUntil(lambda: window.desk is not None)
    window.services.runner.run_until(lambda: False, 0)
    assert window.pane.banner.text == ""


def test_what_a_running_program_has_not_saved_yet_is_its_own(
    opened: Opener, qtbot: QtBot, library: DataRoot, note: Note
) -> None:
    note(chats(library)[0])
    owner = take(own_folders().for_root(library.path).data, patience=0)
    assert owner is not None
    try:
        window = opened()
        window.desk.open(chats(library)[1])
        qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
        assert "1 chat has" not in window.pane.banner.text
    finally:
        owner.release()


def test_chats_outside_of_the_data_folder_too(
    opened: Opener, qtbot: QtBot, library: DataRoot, note: Note, tmp_path: Path
) -> None:
    loose = tmp_path / "loose.jsonl"
    shutil.copy(chats(library)[0], loose)
    note(loose)
    window = opened()
    qtbot.waitUntil(lambda: "loose" in window.pane.banner.text)
