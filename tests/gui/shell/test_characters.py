"""Characters in the window: renamed with their chats, moved to the bin and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QMessageBox
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import file_moves
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.name_dialog import NameDialog
from tests.gui.shell.test_file_deeds import in_view
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener, records


@pytest.fixture(autouse=True)
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def press(window: MainWindow, text: str) -> None:
    box = window.findChild(QMessageBox, "removeCharacter")
    button = next(each for each in box.findChildren(QAbstractButton) if each.text() == text)
    button.click()


def test_a_character_is_renamed_and_the_chat_in_view_goes_on(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    window.acts.run(Act.RENAME_CHARACTER)
    dialog = window.findChild(NameDialog)
    choice = dialog.findChild(QCheckBox)
    assert choice.isChecked()
    assert choice.text() == "Messages in its 2 chats get the new name too"
    assert not dialog.done_button.isEnabled()
    dialog.field.setText("小钟")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    moved = library.chats / "小钟" / path.name
    in_view(window, qtbot, lambda now: now == moved)
    qtbot.waitUntil(lambda: "is now called 小钟" in window.pane.banner.text)
    assert {data["name"] for data in records(moved)} == {"Wren", "小钟"}
    qtbot.waitUntil(lambda: window.services.library.character("小钟") is not None)
    qtbot.waitUntil(lambda: "小钟" in window.windowTitle())
    assert not (library.characters / "Tock.png").exists()


def test_a_character_alone_goes_to_the_bin_and_comes_back(
    opened: Opener, qtbot: QtBot, library: DataRoot, binned: list[Path]
) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    card = library.characters / "Tock.png"
    content = card.read_bytes()
    window.acts.run(Act.REMOVE_CHARACTER)
    press(window, "Cancel")
    window.acts.run(Act.REMOVE_CHARACTER)
    press(window, "Move to the Bin")
    qtbot.waitUntil(lambda: window.pane.undo_bar.isVisible())
    assert (binned, path.exists()) == ([card], True)
    assert "Tock was moved to the bin" in window.pane.undo_bar.text
    window.pane.undo_bar.undo_button.click()
    qtbot.waitUntil(lambda: card.exists() and card.read_bytes() == content)
    qtbot.waitUntil(lambda: window.services.library.character("Tock") is not None)


def test_with_its_chats_and_only_if_all_can_be_read(
    opened: Opener, qtbot: QtBot, library: DataRoot, binned: list[Path]
) -> None:
    bad = library.chats / "Tock" / "bad.jsonl"
    bad.write_bytes(b"garbage")
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    window.acts.run(Act.REMOVE_CHARACTER)
    window.findChild(QMessageBox, "removeCharacter").findChild(QCheckBox).setChecked(True)
    press(window, "Move to the Bin")
    qtbot.waitUntil(lambda: "cannot be read: bad.jsonl" in window.pane.banner.text)
    assert binned == []
    window.pane.banner.buttons[0].click()
    qtbot.waitUntil(lambda: "and its 3 chats were moved to the bin" in window.pane.banner.text)
    assert window.desk.session is None
    assert len(binned) == 4
    window.pane.banner.buttons[0].click()
    qtbot.waitUntil(lambda: path.exists() and (library.characters / "Tock.png").exists())
    assert path.read_bytes() == before
