"""The chat manager: all chats of one character, found, renamed, copied, moved to the bin, imported."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.recents import ChatRow
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.manager import import_dialog
from tavern_desktop.ui.manager.dialog import ChatManager
from tavern_desktop.ui.manager.import_dialog import ImportDialog
from tavern_desktop.ui.manager.model import CHAT, MESSAGES, ManagerModel
from tavern_desktop.ui.manager.owner import owner_of_character, owner_of_group
from tavern_desktop.ui.manager.rows import managed_chats
from tavern_desktop.ui.manager.tree_dialog import TreeDialog
from tests.gui.shell.test_accessible import nameless
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener, records


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


def row(title: str, **changes: object) -> ChatRow:
    fields = {
        "file": f"/x/{title}.jsonl",
        "kind": "character",
        "character": "Mira",
        "group": "",
        "name": "Mira",
        "title": title,
        "avatar": "",
        "messages": 3,
        "size": 1500,
        "mtime_ns": 0,
        "date_ms": 1_700_000_000_000,
        "preview": f"words of {title}",
        "preview_state": "text",
    }
    return ChatRow(**(fields | changes))  # type: ignore[arg-type]


def titles(dialog: ChatManager) -> list[str]:
    return [dialog.model.index(at, CHAT).data() for at in range(dialog.model.rowCount())]


@pytest.fixture
def manager(opened: Opener, qtbot: QtBot) -> Callable[[], tuple[MainWindow, ChatManager]]:
    """Open a window on a chat of Tock's, and the manager of his chats."""

    def open_manager() -> tuple[MainWindow, ChatManager]:
        window = opened()
        open_chat(window, qtbot, "The tide table")
        window.acts.run(Act.MANAGE_CHATS)
        return window, window.findChild(ChatManager)

    return open_manager


Manager = Callable[[], tuple[MainWindow, ChatManager]]


def test_the_model_keeps_qts_rules_and_rows_stay_the_same_chats(qtbot: QtBot) -> None:
    model = ManagerModel()
    tester = QAbstractItemModelTester(model)
    model.set_chats(managed_chats([row("b"), row("a", messages=-1)], ""))
    with qtbot.assertNotEmitted(model.modelReset):
        model.set_chats(managed_chats([row("b", messages=4), row("a")], "a"))
    model.keep("WORDS OF A")
    assert (model.rowCount(), model.total) == (1, 2)
    model.keep("")
    model.sort(CHAT, Qt.SortOrder.AscendingOrder)
    assert [model.index(at, CHAT).data() for at in range(2)] == ["a", "b"]
    model.sort(MESSAGES, Qt.SortOrder.DescendingOrder)
    assert model.index(0, MESSAGES).data() == "4"
    assert (model.row_of("/x/b.jsonl"), model.row_of("/x/c.jsonl")) == (0, None)
    model.set_chats([])
    assert tester is not None


def test_the_current_chat_is_the_one_the_card_names_or_else_the_newest() -> None:
    rows = [row("newest"), row("branch", parent="gone"), row("kept", parent="newest", marks=("damaged", "conflict"))]
    assert [chat.is_current for chat in managed_chats(rows, "kept")] == [False, False, True]
    newest, branch, kept = managed_chats(rows, "dangling")
    assert newest.is_current
    assert (branch.parent_is_gone, kept.parent_is_gone) == (True, False)
    assert kept.is_damaged
    assert kept.has_conflict
    assert managed_chats([], "x") == []


def test_it_lists_the_characters_chats_with_the_one_in_view_chosen(manager: Manager) -> None:
    window, dialog = manager()
    assert dialog.objectName() == "chatManager"
    assert dialog.windowTitle() == "Chats of Tock"
    assert sorted(titles(dialog)) == ["The tide table", "灯谜"]
    assert dialog.chosen() == [window.desk.path]
    assert nameless(dialog) == []
    spoken = dialog.table.currentIndex().siblingAtColumn(CHAT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("The tide table, ")
    assert "7 messages" in spoken


def test_searching_and_opening_by_keyboard(manager: Manager, qtbot: QtBot) -> None:
    window, dialog = manager()
    qtbot.keyClicks(dialog.search, "zzz")
    assert not dialog.open_button.isEnabled()
    assert "hold these letters" in dialog.empty.text()
    dialog.search.setText("灯")
    assert titles(dialog) == ["灯谜"]
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.desk.path is not None and window.desk.path.stem == "灯谜")


def test_renaming_in_place(manager: Manager, qtbot: QtBot) -> None:
    window, dialog = manager()
    path = dialog.chosen()[0]
    dialog.run(Act.RENAME_CHAT)
    field = dialog.table.findChild(QLineEdit)
    assert field.text() == "The tide table"
    field.setText("灯谜")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "already exists" in dialog.banner.text)
    assert path.exists()
    dialog.run(Act.RENAME_CHAT)
    field = next(each for each in dialog.table.findChildren(QLineEdit) if each.isVisible())
    field.setText('Act 2: "The End?"')
    qtbot.keyClick(field, Qt.Key.Key_Return)
    target = path.with_name("Act 2 The End.jsonl")
    qtbot.waitUntil(lambda: dialog.chosen() == [target])
    assert window.desk.path == target
    qtbot.waitUntil(lambda: sorted(titles(dialog)) == ["Act 2 The End", "灯谜"])


def test_a_copy_and_a_branch_are_chosen_and_what_is_in_view_stays(manager: Manager, qtbot: QtBot) -> None:
    window, dialog = manager()
    shown = window.desk.path
    path = dialog.chosen()[0]
    dialog.run(Act.DUPLICATE_CHAT)
    qtbot.waitUntil(lambda: dialog.chosen() == [path.with_name("The tide table (copy).jsonl")])
    dialog.choose(path)
    dialog.run(Act.BRANCH_CHAT)
    branch = path.with_name("The tide table - Branch #1.jsonl")
    qtbot.waitUntil(lambda: dialog.chosen() == [branch])
    assert records(branch) == records(path)
    chat = dialog.table.currentIndex().siblingAtColumn(CHAT).data(Qt.ItemDataRole.AccessibleTextRole)
    assert "branch of The tide table" in chat
    assert window.desk.path == shown


def test_several_go_to_the_bin_and_come_back(manager: Manager, qtbot: QtBot, binned: list[Path]) -> None:
    window, dialog = manager()
    dialog.table.selectAll()
    assert len(dialog.chosen()) == 2
    assert not dialog.open_button.isEnabled()
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Space):
        qtbot.keyClick(dialog.table, key)
    assert binned == []
    qtbot.waitUntil(dialog.isActiveWindow)
    dialog.table.setFocus()
    dialog.table.selectAll()
    qtbot.keyClick(dialog.table, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "2 chats moved to the bin" in dialog.banner.text)
    qtbot.waitUntil(lambda: titles(dialog) == [])
    assert "Begin a new one" in dialog.empty.text()
    assert window.desk.session is None
    dialog.banner.buttons[0].click()
    qtbot.waitUntil(lambda: sorted(titles(dialog)) == ["The tide table", "灯谜"])


def test_the_next_chat_comes_into_view_when_the_one_in_view_goes(
    manager: Manager, qtbot: QtBot, binned: list[Path]
) -> None:
    window, dialog = manager()
    dialog.run(Act.REMOVE_CHAT)
    qtbot.waitUntil(lambda: "The tide table" in dialog.banner.text)
    qtbot.waitUntil(lambda: window.desk.path is not None and window.desk.path.stem == "灯谜")
    assert [path.stem for path in binned] == ["The tide table"]


def test_the_menu_offers_the_same(manager: Manager, qtbot: QtBot) -> None:
    _, dialog = manager()
    place = dialog.table.visualRect(dialog.table.currentIndex()).center()
    dialog.table.customContextMenuRequested.emit(place)
    menu = next(menu for menu in dialog.findChildren(QMenu) if menu.isVisible())
    offered = [action.text() for action in menu.actions() if action.text()]
    menu.close()
    assert offered[0] == "Open"
    assert Act.REMOVE_CHAT.text in offered
    dialog.table.customContextMenuRequested.emit(QPoint(5, dialog.table.viewport().height() - 5))


def test_files_that_are_dropped_are_imported_and_what_was_adjusted_is_told(
    manager: Manager, qtbot: QtBot, tmp_path: Path
) -> None:
    _, dialog = manager()
    kobold, damaged, other = (tmp_path / name for name in ("story.json", "cut.jsonl", "notes.json"))
    kobold.write_text(json.dumps({"savedsettings": {}, "prompt": "Rain", "actions": ["{{[INPUT]}}Hi", 7]}), "utf-8")
    damaged.write_bytes(dialog.chosen()[0].read_bytes() + b'\n{"cut')
    other.write_text("{}", "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in (kobold, damaged, other, tmp_path / "x.txt")])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    dialog.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))
    qtbot.waitUntil(lambda: dialog.findChild(ImportDialog) is not None)
    report = dialog.findChild(ImportDialog)
    qtbot.waitUntil(lambda: report.close_button.text() == "Close")
    assert nameless(report) == []
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 3)
    repair = next(each for each in report.findChildren(QPushButton) if "Can Be Read" in each.text())
    repair.click()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 4)
    imported = dialog.chosen()[0]
    assert imported.stem.startswith("Tock - ")
    assert len(records(imported)) == 7
    report.close_button.click()


def test_a_clean_file_is_imported_without_a_word(
    manager: Manager, qtbot: QtBot, tmp_path: Path, library: DataRoot
) -> None:
    window, dialog = manager()
    source = tmp_path / "clean.jsonl"
    source.write_bytes(dialog.chosen()[0].read_bytes())
    dialog.reject()
    window.part.owners.import_chats(owner_of_character(window.services.library, "Ilka Marsh"), [source])
    qtbot.waitUntil(lambda: window.desk.path is not None and "imported" in window.desk.path.stem)
    assert window.desk.path is not None
    assert window.desk.path.parent == library.chat_folder("Ilka Marsh")
    assert window.desk.path.read_bytes() == source.read_bytes()
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is None)


def test_a_group_has_a_manager_too(opened: Opener, library: DataRoot) -> None:
    library.groups.mkdir(exist_ok=True)
    library.group_chats.mkdir(exist_ok=True)
    record = {"id": "1", "name": "Tea party", "members": ["Tock.png"], "chat_id": "a", "chats": ["a", "b"]}
    (library.groups / "1.json").write_text(json.dumps(record), "utf-8")
    for name in ("a", "b"):
        (library.group_chats / f"{name}.jsonl").write_text('{"chat_metadata":{}}\n{"name":"Tock","mes":"Hi"}', "utf-8")
    window = opened()
    data = window.services.library
    for owner in (owner_of_character(data, "Tock"), owner_of_group(data, data.groups[0].id)):
        window.part.owners.run(Act.MANAGE_CHATS, owner)
        dialog = next(each for each in window.findChildren(ChatManager) if each.isVisible())
        assert owner.name in dialog.windowTitle()
        assert dialog.model.rowCount() > 0
        dialog.reject()


def test_a_story_dropped_on_the_window_is_imported_for_whose_chat_is_in_view(
    opened: Opener, qtbot: QtBot, tmp_path: Path, library: DataRoot
) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    story = tmp_path / "story.json"
    story.write_text(json.dumps({"type": "risuChat", "data": {"message": [{"data": "Hi", "time": 1}]}}), "utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(story))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(500, 300), Qt.DropAction.CopyAction, data, buttons, keys))
    qtbot.waitUntil(lambda: window.desk.path is not None and "imported" in window.desk.path.stem)
    assert window.desk.path is not None
    assert window.desk.path.parent == library.chats / "Tock"


def test_the_tree_of_a_chat_opens_from_the_list(manager: Manager, qtbot: QtBot) -> None:
    window, dialog = manager()
    dialog.choose(dialog.chosen()[0].with_name("灯谜.jsonl"))
    dialog.run(Act.BRANCHES)
    tree = dialog.findChild(TreeDialog)
    qtbot.waitUntil(lambda: tree.list.topLevelItemCount() == 1)
    assert "Nothing branched off" in tree.hint.text()
    tree.open_button.click()
    qtbot.waitUntil(lambda: window.desk.path is not None and window.desk.path.stem == "灯谜")
    assert not dialog.isVisible()


def test_what_ends_after_the_list_was_closed_is_told_in_the_window(
    manager: Manager, qtbot: QtBot, binned: list[Path]
) -> None:
    window, dialog = manager()
    path = dialog.chosen()[0]
    dialog.run(Act.DUPLICATE_CHAT)
    dialog.run(Act.REMOVE_CHAT)
    dialog.reject()
    qtbot.waitUntil(lambda: window.findChild(ChatManager) is None)
    qtbot.waitUntil(lambda: binned == [path])
    qtbot.waitUntil(lambda: "Moved to the bin" in window.pane.banner.text or window.pane.undo_bar.isVisible())
    qtbot.waitUntil(path.with_name("The tide table (copy).jsonl").exists)


def test_an_import_that_takes_long_shows_how_far_it_is_and_is_stopped(
    manager: Manager, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, dialog = manager()
    stopped = Event()

    def endless(
        *told: object, cancelled: Callable[[], bool], progress: Callable[[int, int], None], **more: object
    ) -> None:
        progress(1, 2)
        while not cancelled():
            stopped.wait(0.01)
        stopped.set()
        raise StorageError("cancelled", "user")

    monkeypatch.setattr(import_dialog, "import_chats", endless)
    arrived: list[object] = []
    dialog._part.owners.import_chats(dialog._owner, [tmp_path / "a.jsonl"] * 2, parent=dialog, arrived=arrived.append)
    report = dialog.findChild(ImportDialog)
    qtbot.waitUntil(lambda: report.bar.value() == report.bar.maximum() // 2)
    assert report.close_button.text() == "Cancel"
    report.close_button.click()
    qtbot.waitUntil(stopped.is_set)
    qtbot.waitUntil(lambda: dialog.findChild(ImportDialog) is None)
    assert arrived == []


def test_what_is_chosen_stays_chosen_when_the_list_changes(manager: Manager, qtbot: QtBot) -> None:
    _, dialog = manager()
    dialog.table.selectAll()
    chosen = set(dialog.chosen())
    other = dialog.chosen()[0].with_name("From elsewhere.jsonl")
    other.write_bytes(dialog.chosen()[0].read_bytes())
    dialog._services.library.refresh()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 3)
    assert set(dialog.chosen()) == chosen
    for path in chosen:
        path.unlink()
    dialog._services.library.refresh()
    qtbot.waitUntil(lambda: dialog.model.rowCount() == 1)
    assert dialog.chosen() == [other]


def test_several_chats_are_exported_into_a_folder(manager: Manager, qtbot: QtBot, tmp_path: Path) -> None:
    _, dialog = manager()
    dialog.table.selectAll()
    assert dialog.buttons[Act.EXPORT].isEnabled()
    assert not dialog.buttons[Act.BACKUPS].isEnabled()
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "灯谜.jsonl").write_bytes(b"there already")
    chosen = dialog.chosen()
    dialog.several.export_into(folder, chosen)
    qtbot.waitUntil(lambda: "2 chats exported" in dialog.banner.text)
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert written.pop("灯谜.jsonl") == b"there already"
    assert sorted(written) == ["The tide table.jsonl", "灯谜 2.jsonl"]
    assert set(written.values()) == {path.read_bytes() for path in chosen}
    dialog.several.export_into(tmp_path / "nowhere", chosen)
    qtbot.waitUntil(lambda: "Not exported" in dialog.banner.text)
