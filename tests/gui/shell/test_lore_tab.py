"""The lore of the chat in view: books chosen, edited, and seen at work in the next request."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import edits
from tavern_desktop.library.card_fields import card_of, fields_of
from tavern_desktop.library.card_text import change_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.lore_books import BOOK_OF_CHAT
from tavern_desktop.ui.inspector.pane import Inspector
from tavern_desktop.ui.lore.editor import LoreEditor
from tavern_desktop.ui.lore.tab import LoreTab
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener

WHO = "Ilka Marsh"


def entry(**fields: Any) -> dict[str, Any]:
    return {"key": [], "content": "", **fields}


@pytest.fixture
def book(library: DataRoot) -> str:
    library.worlds.mkdir(exist_ok=True)
    entries = {
        "0": entry(uid=0, key=["kettle"], comment="Kettle", content="The kettle is haunted."),
        "1": entry(uid=1, key=["kettle"], comment="Spout", content="It leaks.", probability=0, useProbability=True),
    }
    (library.worlds / "House.json").write_text(json.dumps({"entries": entries}))
    return "House"


@pytest.fixture
def window(opened: Opener, library: DataRoot, book: str, qtbot: QtBot) -> MainWindow:
    window = opened()
    window.open_path(library.chats / WHO / "A lantern in the rain.jsonl")
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    return window


@pytest.fixture
def tab(window: MainWindow, qtbot: QtBot) -> LoreTab:
    window.show_inspector(True)
    inspector: Inspector = window.part.inspector
    inspector.show_tab(2)
    tab = window.findChild(LoreTab)
    assert tab is not None
    qtbot.waitUntil(lambda: tab.books.all_names != ())
    return tab


def texts(tab: LoreTab) -> list[str]:
    return [each.text() for each in tab.findChildren(QLabel) if each.isVisible()]


def say(window: MainWindow, text: str) -> None:
    session = window.desk.session
    assert session is not None
    session.do(AppendMessage(edits.new_message("user", text, "Wren")))


def chosen(window: MainWindow) -> object:
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    return session.chat.header.metadata().get(BOOK_OF_CHAT)


def test_an_entry_lights_up_when_its_key_is_said(tab: LoreTab, window: MainWindow, book: str, qtbot: QtBot) -> None:
    tab.use_in_chat(book)
    qtbot.waitUntil(lambda: "in this chat" in texts(tab))
    assert chosen(window) == "House"
    qtbot.waitUntil(lambda: "No entry: no key of one was said." in texts(tab))
    say(window, "Put the kettle on.")
    qtbot.waitUntil(lambda: "The kettle is haunted." in texts(tab))
    assert any("kettle" in text and "#" in text for text in texts(tab)), "why it is there"
    qtbot.waitUntil(lambda: "Spout" in texts(tab))
    assert tab._left_title.isVisible()
    window.desk.commands.undo()
    window.desk.commands.undo()
    qtbot.waitUntil(lambda: chosen(window) is None)


def test_a_book_that_is_edited_is_seen_in_the_next_request(
    tab: LoreTab, window: MainWindow, book: str, qtbot: QtBot
) -> None:
    tab.use_in_chat(book)
    say(window, "Put the kettle on.")
    qtbot.waitUntil(lambda: "The kettle is haunted." in texts(tab))
    tab.edit(book)
    editor = window.findChild(LoreEditor)
    assert editor is not None
    qtbot.waitUntil(lambda: editor.rows.rowCount() == 2)
    editor._choose(0)
    editor.form.content.setPlainText("The kettle sings.")
    qtbot.waitUntil(lambda: "The kettle sings." in texts(tab))


def test_a_book_goes_with_the_character_and_is_left_out_again(
    tab: LoreTab, library: DataRoot, book: str, qtbot: QtBot
) -> None:
    def world() -> str:
        return fields_of(card_of((library.characters / f"{WHO}.png").read_bytes())).world

    tab.use_with_character(book)
    qtbot.waitUntil(lambda: "with the character" in texts(tab))
    assert world() == "House"
    tab.leave_out("character")
    qtbot.waitUntil(lambda: "with the character" not in texts(tab))
    assert world() == ""
    assert (library.worlds / "House.json").exists()


def test_the_entries_in_a_card_become_a_book(tab: LoreTab, window: MainWindow, library: DataRoot, qtbot: QtBot) -> None:
    def with_book(card: dict[str, Any]) -> dict[str, Any]:
        own = {"name": "Marsh", "entries": [{"keys": ["reed"], "content": "Reeds.", "enabled": True, "extensions": {}}]}
        return card | {"data": card["data"] | {"character_book": own}}

    change_card(library.characters / f"{WHO}.png", with_book)
    window.services.files_changed.emit(None)
    qtbot.waitUntil(lambda: "1 entry in the card itself" in texts(tab))
    tab.make_book_of_card()
    qtbot.waitUntil(lambda: window.findChild(LoreEditor) is not None)
    qtbot.waitUntil(lambda: "with the character" in texts(tab))
    made = json.loads((library.worlds / "Marsh.json").read_bytes())
    assert made["entries"]["0"]["key"] == ["reed"]


def test_a_book_whose_file_is_gone_is_told(tab: LoreTab, library: DataRoot, book: str, qtbot: QtBot) -> None:
    tab.use_in_chat(book)
    qtbot.waitUntil(lambda: "in this chat" in texts(tab))
    (library.worlds / "House.json").unlink()
    tab._services.files_changed.emit(None)
    qtbot.waitUntil(lambda: "in this chat · its file is not here" in texts(tab))


def test_a_new_book_is_made_for_the_chat(
    tab: LoreTab, window: MainWindow, library: DataRoot, qtbot: QtBot, said: Callable[[], object]
) -> None:
    tab._make_book(tab.use_in_chat)
    qtbot.waitUntil(lambda: window.findChild(LoreEditor) is not None)
    assert said() == chosen(window)


@pytest.fixture
def said(library: DataRoot) -> Callable[[], object]:
    return lambda: next(path.stem for path in library.worlds.glob("*.json") if path.stem != "House")
