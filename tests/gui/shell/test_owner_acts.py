"""Characters and groups as owners of chats: which chat is the current one, and new chats (B-03)."""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from tavern_desktop.library import card_text
from tavern_desktop.library.card_file import read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.library.list_model import ENTRY_ROLE
from tavern_desktop.ui.library.pane import CHARACTERS
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.manager.dialog import ChatManager
from tavern_desktop.ui.manager.owner import owner_of_group
from tests.gui.shell.test_file_deeds import in_view
from tests.gui.shell.window_parts import Opener, records


def click_character(window: MainWindow, stem: str) -> None:
    """Choose a character in the library."""
    window.library.show_tab(CHARACTERS)
    rows = window.library.characters.filter
    entry = next(entry for row in range(rows.rowCount()) if (entry := rows.index(row, 0).data(ENTRY_ROLE)).key == stem)
    window.library.characters.chosen.emit(entry)


@pytest.mark.parametrize("named", ["", "gone for good"])
def test_a_card_without_a_chat_opens_its_newest_and_from_then_on_the_same(
    opened: Opener, qtbot: QtBot, library: DataRoot, named: str
) -> None:
    card = library.characters / "Tock.png"
    card_text.change_card(card, card_text.current_chat(named, instead_of=lambda _: True))
    window = opened()
    newest = window.services.library.chats_of(character="Tock")[0].path
    click_character(window, "Tock")
    in_view(window, qtbot, lambda now: now == newest)
    qtbot.waitUntil(lambda: read_card(card)["chat"] == newest.stem)
    assert ("is not here" in window.pane.banner.text) == bool(named)
    written = card.read_bytes()
    other = next(row.path for row in window.services.library.chats_of(character="Tock") if row.path != newest)
    window.desk.open(other)
    in_view(window, qtbot, lambda now: now == other)
    opened.close()
    window = opened()
    click_character(window, "Tock")
    in_view(window, qtbot, lambda now: now == newest)
    assert card.read_bytes() == written


def test_a_new_chat_becomes_the_current_one(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened()
    window.acts.start_chat("Tock")
    path = in_view(window, qtbot, lambda now: now.stem.startswith("Tock - "))
    assert read_card(library.characters / "Tock.png")["chat"] == path.stem


def test_a_new_chat_of_a_group(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    library.groups.mkdir(exist_ok=True)
    record = library.groups / "1.json"
    record.write_text(json.dumps({"id": "1", "name": "Tea", "members": ["Tock.png"], "chats": []}), "utf-8")
    window = opened()
    window.part.owners.run(Act.MANAGE_CHATS, owner_of_group(window.services.library, "1"))
    dialog = window.findChild(ChatManager)
    assert "Begin a new one" in dialog.empty.text()
    dialog._new()
    path = in_view(window, qtbot, lambda now: now.parent == library.group_chats)
    assert [data["name"] for data in records(path)] == ["Tock"]
    assert json.loads(record.read_bytes())["chat_id"] == path.stem


def test_the_menu_of_a_character_is_about_the_character(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    window.library.show_tab(CHARACTERS)
    entry = window.library.characters.filter.index(0, 0).data(ENTRY_ROLE)
    window.library.menu_requested.emit(entry, QPoint(5, 5))
    menu = next(menu for menu in window.findChildren(QMenu) if menu.isVisible())
    action: QAction = next(action for action in menu.actions() if action.text() == Act.MANAGE_CHATS.text)
    menu.close()
    action.trigger()
    assert entry.name in window.findChild(ChatManager).windowTitle()


def test_the_person_in_the_list_with_the_keyboard_is_meant(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    row = next(row for row in window.services.library.chats if row.character == "Tock")
    window.desk.open(row.path)
    in_view(window, qtbot, lambda now: now == row.path)
    owner = window.part.owners.at_hand()
    assert owner is not None
    assert owner.name == "Tock"
    window.library.show_tab(CHARACTERS)
    view = window.library.characters.view
    other = next(
        index
        for at in range(view.model().rowCount())
        if (index := view.model().index(at, 0)).data(ENTRY_ROLE).key != "Tock"
    )
    qtbot.waitUntil(window.isActiveWindow)
    view.setCurrentIndex(other)
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    owner = window.part.owners.at_hand()
    assert owner is not None
    assert owner.name == other.data(Qt.ItemDataRole.DisplayRole)
    assert window.actions_[Act.MANAGE_CHATS].isEnabled()
