"""Bookmarks, branches and their tree in the window."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import links
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.manager.bookmarks_dialog import CHECKPOINT, BookmarksDialog
from tavern_desktop.ui.manager.tree_dialog import CHAT, FROM, TreeDialog
from tavern_desktop.ui.name_dialog import NameDialog
from tests.gui.shell.test_accessible import nameless
from tests.gui.shell.test_file_deeds import in_view
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener, records


def shown(window: MainWindow, kind: type[QDialog]) -> QDialog:
    return next(each for each in window.findChildren(kind) if each.isVisible())


def bookmark(window: MainWindow, qtbot: QtBot, index: int, name: str = "") -> str:
    """Bookmark a message in the window, and return the name of the checkpoint."""
    message = window.desk.session.chat.messages[index]
    window.desk.commands.act_by_name("bookmark", message.key)
    dialog = shown(window, NameDialog)
    assert isinstance(dialog, NameDialog)
    if name:
        dialog.field.setText(name)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)

    def marked() -> str:
        data = window.desk.session.chat.messages[index].data()
        return links.bookmark_of(data)

    qtbot.waitUntil(lambda: bool(marked()) and not window.desk.session.is_dirty)
    return marked()


def test_m_bookmarks_the_chosen_message_and_a_click_on_the_flag_opens_it(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    view = window.pane.view
    view.enter_selection_mode(-1)
    qtbot.keyClick(view, Qt.Key.Key_M)
    dialog = shown(window, NameDialog)
    assert isinstance(dialog, NameDialog)
    assert dialog.field.text() == "The tide table - Checkpoint #1"
    dialog.field.setText("???")
    assert not dialog.done_button.isEnabled()
    dialog.field.setText("The tide table")
    assert "get a number" in dialog.hint.text()
    dialog.reject()
    assert bookmark(window, qtbot, 6) == "The tide table - Checkpoint #1"
    assert records(path)[6]["extra"]["bookmark_link"] == "The tide table - Checkpoint #1"
    view.scroll_to_index(6)
    view.leave_selection_mode()
    row = view.row_of(window.desk.session.chat.messages[6].key)
    assert row is not None
    spoken = view.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "bookmarked" in spoken
    flag = view.row_view(row).layout.bookmark
    place = view.visualRect(view.model().index(row, 0)).topLeft() + flag.center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    checkpoint = in_view(window, qtbot, lambda now: "Checkpoint #1" in now.stem)
    assert records(checkpoint)[:6] == records(path)[:6]
    assert len(records(checkpoint)) == 7
    assert window.actions_[Act.MAIN_CHAT].isEnabled()
    window.acts.run(Act.MAIN_CHAT)
    in_view(window, qtbot, lambda now: now == path)
    assert not window.actions_[Act.MAIN_CHAT].isEnabled()


def test_a_bookmark_is_undone_and_removed_and_the_checkpoint_stays(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    made = path.with_name(bookmark(window, qtbot, 2, "第一夜") + ".jsonl")
    window.acts.run(Act.UNDO)
    window.acts.run(Act.SAVE)
    qtbot.waitUntil(lambda: path.read_bytes() == before)
    window.acts.run(Act.REDO)
    window.pane.view.set_current_key(window.desk.session.chat.messages[2].key)
    assert window.actions_[Act.REMOVE_BOOKMARK].isEnabled()
    window.acts.run(Act.REMOVE_BOOKMARK)
    qtbot.waitUntil(lambda: "bookmark_link" not in records(path)[2]["extra"])
    assert made.exists()
    assert not window.actions_[Act.REMOVE_BOOKMARK].isEnabled()


def test_the_list_of_bookmarks_goes_there_and_says_what_is_missing(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    window.acts.run(Act.BOOKMARKS)
    dialog = shown(window, BookmarksDialog)
    assert isinstance(dialog, BookmarksDialog)
    qtbot.waitUntil(lambda: "No bookmarks yet" in dialog.hint.text())
    dialog.reject()
    gone = path.with_name(bookmark(window, qtbot, 1) + ".jsonl")
    kept = bookmark(window, qtbot, 4, "kept")
    gone.unlink()
    window.acts.run(Act.BOOKMARKS)
    dialog = shown(window, BookmarksDialog)
    assert isinstance(dialog, BookmarksDialog)
    assert nameless(dialog) == []
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 2)
    told = [dialog.list.topLevelItem(at).text(CHECKPOINT) for at in range(dialog.list.topLevelItemCount())]
    assert told == [f"{gone.stem} (missing)", kept]
    assert not dialog.open_button.isEnabled()
    dialog.remove_button.click()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    dialog.go_button.click()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    window.acts.run(Act.BOOKMARKS)
    dialog = shown(window, BookmarksDialog)
    assert isinstance(dialog, BookmarksDialog)
    qtbot.waitUntil(dialog.open_button.isEnabled)
    dialog.open_button.click()
    in_view(window, qtbot, lambda now: now.stem == "kept")


def test_the_tree_shows_what_came_of_a_chat_and_opens_it(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    kept = bookmark(window, qtbot, 4, "kept")
    window.part.files.branch(path, 2)
    branch = in_view(window, qtbot, lambda now: "Branch #1" in now.stem)
    window.acts.run(Act.BRANCHES)
    dialog = shown(window, TreeDialog)
    assert isinstance(dialog, TreeDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    root = dialog.list.topLevelItem(0)
    assert (root.text(CHAT), dialog.list.currentItem().text(CHAT)) == ("The tide table", branch.stem)
    assert [(root.child(at).text(CHAT), root.child(at).text(FROM)) for at in range(root.childCount())] == [
        (kept, "#4"),
        (branch.stem, ""),
    ]
    assert nameless(dialog) == []
    dialog.list.setCurrentItem(root)
    dialog.open_button.click()
    in_view(window, qtbot, lambda now: now == path)


def test_a_checkpoint_that_is_gone_is_said(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    made: Path = path.with_name(bookmark(window, qtbot, 1) + ".jsonl")
    made.unlink()
    window.desk.commands.act_by_name("open_bookmark", window.desk.session.chat.messages[1].key)
    assert "is not there any more" in window.pane.banner.text
    assert window.desk.path == path
