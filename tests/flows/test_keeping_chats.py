"""Somebody brings chats from elsewhere, marks and branches, tidies up, and wants one back after a restart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import file_moves
from tavern_desktop.ui.backups_dialog import MESSAGES, BackupsDialog
from tavern_desktop.ui.manager.dialog import ChatManager
from tavern_desktop.ui.manager.import_dialog import ImportDialog
from tavern_desktop.ui.manager.tree_dialog import TreeDialog
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, SHIFT, Person

STORY = {
    "savedsettings": {"chatname": "Wanderer"},
    "prompt": "雨夜。",
    "actions": ["{{[INPUT]}}Who is there?", "*Nobody answers.*"],
}


@pytest.fixture(autouse=True)
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def in_view(person: Person, words: str) -> Path:
    """Wait until a chat with these words in its title can be edited."""
    desk = person.window.desk
    person.wait(lambda: desk.path is not None and words in desk.path.stem and desk.session.state == "ready")
    assert desk.path is not None
    return desk.path


def manage(person: Person) -> ChatManager:
    person.turn_to(person.window)
    person.press(Qt.Key.Key_M, CTRL | SHIFT)
    person.wait(lambda: any(each.isVisible() for each in person.window.findChildren(ChatManager)))
    return next(each for each in person.window.findChildren(ChatManager) if each.isVisible())


def choose_message(person: Person, number: int) -> None:
    """Click a message and go into selection mode there."""
    person.turn_to(person.window)
    person.click_message(number)
    person.view.setFocus()
    person.wait(person.view.hasFocus)
    person.press(Qt.Key.Key_Up, CTRL)
    person.wait(lambda: person.view.selection_mode.is_on)


def turn_to_table(person: Person, dialog: ChatManager) -> None:
    """Click into the list of chats."""
    dialog.activateWindow()
    person.wait(dialog.isActiveWindow)
    dialog.table.setFocus()
    person.wait(dialog.table.hasFocus)


def drop(dialog: ChatManager, *files: Path) -> None:
    """Drag files from the file manager onto the list."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    dialog.dropEvent(QDropEvent(QPointF(80, 200), Qt.DropAction.CopyAction, data, button, keys))


def test_a_story_comes_in_is_marked_branched_tidied_away_and_brought_back(
    person: Person, make_chat: MakeChat, library: DataRoot, tmp_path: Path, binned: list[Path]
) -> None:
    road = make_chat(60)
    person.start()
    person.open_file(road)

    # A saved story of another program is dropped on the list of chats, and what was adjusted is told.
    dialog = manage(person)
    story = tmp_path / "story.json"
    story.write_text(json.dumps(STORY), "utf-8")
    drop(dialog, story)
    person.wait(lambda: dialog.findChild(ImportDialog) is not None)
    report = dialog.findChild(ImportDialog)
    person.wait(lambda: report.close_button.text() == "Close")
    report.close_button.click()
    person.wait(lambda: bool(dialog.chosen()) and "imported" in dialog.chosen()[0].stem)

    # It gets a better name where it stands, and is opened.
    turn_to_table(person, dialog)
    person.press(Qt.Key.Key_F2)
    field = dialog.table.findChild(QLineEdit)
    field.setText("雨夜: the visitor?")
    field.setFocus()
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: bool(dialog.chosen()) and dialog.chosen()[0].stem == "雨夜 the visitor")
    dialog.open_button.click()
    visitor = in_view(person, "雨夜 the visitor")
    assert [person.text_of(number) for number in range(3)] == ["雨夜。", "Who is there?", "*Nobody answers.*"]

    # The question is bookmarked from the keyboard; the checkpoint is a chat of its own.
    choose_message(person, 1)
    person.press(Qt.Key.Key_M)
    person.wait(lambda: person.sees("nameDialog") and isinstance(QApplication.focusWidget(), QLineEdit))
    person.press(Qt.Key.Key_Return)
    checkpoint = visitor.with_name("雨夜 the visitor - Checkpoint #1.jsonl")
    person.wait(checkpoint.exists)
    person.wait(lambda: b"bookmark_link" in visitor.read_bytes())

    # A branch goes its own way, and when the story gets another name everything still finds it.
    choose_message(person, 1)
    person.press(Qt.Key.Key_B)
    branch = in_view(person, "Branch #1")
    dialog = manage(person)
    assert dialog.choose(visitor)
    dialog.deeds.rename_to(visitor, "The visitor")
    person.wait(lambda: b'"main_chat":"The visitor"' in branch.read_bytes())
    person.wait(lambda: b'"main_chat":"The visitor"' in checkpoint.read_bytes())
    dialog.reject()
    person.window.part.branching.show_tree(branch)
    tree = person.window.findChild(TreeDialog)
    person.wait(lambda: tree.list.topLevelItemCount() == 1)
    root = tree.list.topLevelItem(0)
    assert root.text(0) == "The visitor"
    assert {root.child(at).text(0) for at in range(root.childCount())} == {checkpoint.stem, branch.stem}
    tree.reject()

    # Everything but the long road is tidied away, the program ends, and the story is wanted back.
    dialog = manage(person)
    for path in (branch, checkpoint, visitor.with_name("The visitor.jsonl")):
        assert dialog.choose(path)
        turn_to_table(person, dialog)
        person.press(Qt.Key.Key_Delete)
        person.wait(lambda path=path: path in binned)
    person.quit()
    person.start()
    person.open_file(road)
    dialog = manage(person)
    next(button for button in dialog.findChildren(QPushButton) if button.text() == "Deleted…").click()
    backups = dialog.findChild(BackupsDialog)
    person.wait(lambda: sorted(counts(backups)) == ["2", "2", "3"])
    backups.list.setCurrentItem(backups.list.topLevelItem(counts(backups).index("3")))
    backups.open_button.click()
    person.wait(lambda: bool(dialog.chosen()) and "(restored)" in dialog.chosen()[0].stem)
    dialog.open_button.click()
    in_view(person, "(restored)")
    assert person.text_of(2) == "*Nobody answers.*"


def counts(backups: BackupsDialog) -> list[str]:
    """How many messages each backup has, as the list says."""
    return [backups.list.topLevelItem(at).text(MESSAGES) for at in range(backups.list.topLevelItemCount())]
