"""Conflict copies in the window: where they can be got at, and the dialog that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.conflict_dialog import MESSAGES, WHEN, ConflictDialog
from tavern_desktop.ui.library.list_model import ENTRY_ROLE
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener


@pytest.fixture
def copies(library: DataRoot) -> list[Path]:
    """Two conflict copies of a chat of the sample, one of them damaged."""
    chat = next(library.chats.glob("*/The tide table.jsonl"))
    older = chat.with_name("The tide table.sync-conflict-20260109-183000-ABCDEFG.jsonl")
    newer = chat.with_name("The tide table (Ada's conflicted copy 2026-01-10).jsonl")
    older.write_bytes(chat.read_bytes())
    newer.write_bytes(b"garbage")
    return [newer, older]


def test_menus_offer_them_only_where_there_are_some(opened: Opener, qtbot: QtBot, copies: list[Path]) -> None:
    window = opened()
    action = window.actions_[Act.CONFLICT_COPIES]
    open_chat(window, qtbot, "A lantern in the rain")
    assert not action.isEnabled()
    open_chat(window, qtbot, "The tide table")
    assert action.isEnabled()
    rows = window.library.recent.filter
    offered = {}
    for row in range(rows.rowCount()):
        entry = rows.index(row, 0).data(ENTRY_ROLE)
        window.library.menu_requested.emit(entry, QPoint())
        menu = window.findChildren(QMenu)[-1]
        offered[entry.title] = Act.CONFLICT_COPIES.text in [action.text() for action in menu.actions()]
        menu.close()
    assert offered == {"A lantern in the rain": False, "The tide table": True, "灯谜": False}


def test_the_dialog_says_when_each_was_made_and_what_is_in_it(opened: Opener, qtbot: QtBot, copies: list[Path]) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.acts.run(Act.CONFLICT_COPIES)
    dialog = window.findChild(ConflictDialog)
    items = [dialog.list.topLevelItem(row) for row in range(2)]
    qtbot.waitUntil(lambda: all(item.text(MESSAGES) for item in items))
    assert [item.toolTip(WHEN) for item in items] == [copy.name for copy in copies]
    assert items[0].text(MESSAGES) == "damaged"
    assert int(items[1].text(MESSAGES)) > 1
    copies[1].unlink()
    dialog.close()


def test_a_copy_that_is_gone_by_then_says_so(opened: Opener, qtbot: QtBot, copies: list[Path]) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    copies[1].unlink()
    window.acts.run(Act.CONFLICT_COPIES)
    dialog = window.findChild(ConflictDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItem(1).text(WHEN) == "gone")
    dialog.close()
