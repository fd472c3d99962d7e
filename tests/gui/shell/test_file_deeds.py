"""Whole chats in a window: renamed, copied, branched (B-30), exported, binned (B-21, B-22) and brought back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import file_moves
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.backups_dialog import MESSAGES, BackupsDialog
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.name_dialog import NameDialog
from tests.gui.shell.test_window import open_chat, saved
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


def in_view(window: MainWindow, qtbot: QtBot, is_it: Callable[[Path], bool]) -> Path:
    """Wait until a chat that `is_it` is there."""

    def there() -> bool:
        session = window.desk.session
        return session is not None and session.state == "ready" and is_it(session.path)

    qtbot.waitUntil(there)
    assert window.desk.path is not None
    return window.desk.path


def test_renaming_says_what_becomes_of_a_name_and_goes_on_in_the_file(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    other = path.with_name("Taken.jsonl")
    other.write_bytes(b"{}")
    window.acts.run(Act.RENAME_CHAT)
    dialog = window.findChild(NameDialog)
    assert dialog.field.text() == "The tide table"
    for name, will_do, words in (
        ("", False, "cannot be used"),
        ("con", False, "cannot be used"),
        ("Taken", False, "already exists"),
        ('Act 2: "The End?"', True, "Act 2 The End.jsonl"),
    ):
        dialog.field.setText(name)
        assert dialog.done_button.isEnabled() == will_do
        assert words in dialog.hint.text()
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    target = in_view(window, qtbot, lambda now: now.stem == "Act 2 The End")
    assert (target.read_bytes(), path.exists()) == (before, False)
    library = window.services.library
    qtbot.waitUntil(lambda: library.row(path) is None and library.row(target) is not None)
    assert "Act 2 The End" in window.windowTitle()


def test_moving_to_the_bin_tells_what_went_and_undo_brings_it_back(
    opened: Opener, qtbot: QtBot, binned: list[Path]
) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    count = len(window.desk.session.chat)
    window.acts.run(Act.REMOVE_CHAT)
    qtbot.waitUntil(lambda: binned == [path])
    bar = window.pane.undo_bar
    notice = window.pane.banner
    qtbot.waitUntil(lambda: bar.isVisible() or "Moved to the bin" in notice.text)
    told = bar.text if bar.isVisible() else notice.text
    for part in ("Moved to the bin", "The tide table", f"{count} messages", "“"):
        assert part in told
    assert window.desk.path != path
    if bar.isVisible():
        bar.undo_button.click()
    else:
        notice.buttons[0].click()
    in_view(window, qtbot, lambda now: now == path)
    assert path.read_bytes() == before


def test_the_newest_other_chat_of_the_character_comes_into_view(
    opened: Opener, qtbot: QtBot, library: DataRoot, binned: list[Path]
) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    window.acts.run(Act.DUPLICATE_CHAT)
    copy = in_view(window, qtbot, lambda now: "(copy)" in now.stem)
    assert copy.read_bytes() == path.read_bytes()
    qtbot.waitUntil(lambda: window.services.library.row(copy) is not None)
    window.acts.run(Act.REMOVE_CHAT)
    in_view(window, qtbot, lambda now: now.parent == path.parent and now != copy)
    assert window.pane.undo_bar.isVisible()


def test_delete_on_a_recent_chat_moves_it_to_the_bin_and_other_keys_destroy_nothing(
    opened: Opener, qtbot: QtBot, binned: list[Path]
) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    view = window.library.recent.view
    view.setFocus()
    for key in (Qt.Key.Key_Backspace, Qt.Key.Key_Space, Qt.Key.Key_D):
        qtbot.keyClick(view, key)
    assert binned == []
    window.library.mark_chat(str(path))
    window.library.bin_requested.emit(str(path))
    qtbot.waitUntil(lambda: binned == [path])


def test_the_librarys_menu_is_about_the_row_it_was_opened_on(opened: Opener, qtbot: QtBot, binned: list[Path]) -> None:
    window = opened()
    shown = open_chat(window, qtbot, "The tide table")
    entry = next(
        entry
        for entry in (window.library.recent.filter.index(row, 0).data(Qt.ItemDataRole.UserRole + 1)
                      for row in range(window.library.recent.filter.rowCount()))
        if entry.path != str(shown)
    )  # fmt: skip
    window.library.menu_requested.emit(entry, QPoint(5, 5))
    menu = next(menu for menu in window.findChildren(QMenu) if menu.isVisible())
    action: QAction = next(action for action in menu.actions() if action.text() == Act.REMOVE_CHAT.text)
    menu.close()
    action.trigger()
    qtbot.waitUntil(lambda: binned == [Path(entry.path)])
    assert window.desk.path == shown


def test_a_branch_opens_and_the_chat_it_comes_from_is_not_touched(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    window.desk.commands.act_by_name("branch", window.desk.session.chat.messages[1].key)
    branch = in_view(window, qtbot, lambda now: "Branch #1" in now.stem)
    assert path.read_bytes() == before
    assert records(branch) == records(path)[:2]


def test_exports_are_written_and_said(opened: Opener, qtbot: QtBot, tmp_path: Path) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    out = tmp_path / "out.html"
    window.part.files.export_to(path, out, "html")
    qtbot.waitUntil(lambda: f"Exported to {out}" in window.pane.banner.text)
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_a_backup_opens_as_a_copy(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = records(path)
    window.pane.composer.text.show_text("One more.")
    window.desk.writing.send()
    saved(window, qtbot)
    folder = window.services.root.user_folder / "backups"
    qtbot.waitUntil(lambda: folder.is_dir() and any(folder.iterdir()))
    window.acts.run(Act.BACKUPS)
    dialog = window.findChild(BackupsDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    qtbot.waitUntil(lambda: dialog.list.topLevelItem(0).text(MESSAGES) == str(len(before) + 1))
    dialog.open_button.click()
    copy = in_view(window, qtbot, lambda now: "(backup)" in now.stem)
    assert copy.read_bytes() == path.read_bytes()


def test_a_damaged_chat_is_moved_only_after_another_yes(opened: Opener, qtbot: QtBot, binned: list[Path]) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    open_chat(window, qtbot, "灯谜")
    path.write_bytes(b"garbage")
    window.part.files.run(Act.REMOVE_CHAT, path)
    qtbot.waitUntil(lambda: "damaged" in window.pane.banner.text)
    assert binned == []
    window.pane.banner.buttons[0].click()
    qtbot.waitUntil(lambda: binned == [path])
