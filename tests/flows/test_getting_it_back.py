"""Somebody deleted, overwrote or spoiled something, and gets it back from the history of the chat."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QDialog, QPushButton, QWidget

from tavern_desktop.session import journaling
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.inspector.history_of_message import MessageHistory
from tavern_desktop.ui.inspector.history_versions import PAST_ROLE
from tavern_desktop.ui.inspector.history_window import HistoryWindow
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, SHIFT, Person
from tests.flows.test_written_meanwhile import records, written_elsewhere

DAY = 24 * 3600 * 1000
BY_LABEL = ("command", "restore")
"""Kinds of versions that have a name of their own."""


def versions(person: Person) -> list[str]:
    """The list as it is read from top to bottom: days, and what each version was made by."""
    model = person.find(QAbstractItemView, "historyList").model()
    rows = [model.index(row, 0).data(PAST_ROLE) for row in range(model.rowCount())]
    return [row if isinstance(row, str) else row.label if row.kind in BY_LABEL else row.kind for row in rows]


def look_into_history(person: Person) -> None:
    person.press(Qt.Key.Key_H, CTRL)
    person.wait(lambda: person.sees("historyList"))


def choose_version(person: Person, title: str) -> HistoryWindow:
    """Click a version of the list, and see what it changed."""
    listed = person.find(QAbstractItemView, "historyList")
    person.wait(lambda: title in versions(person))
    person.click_row(listed, listed.model().index(versions(person).index(title), 0))
    window = person.window.part.history.window
    assert window is not None
    person.wait(lambda: not window.is_waiting)
    return window


def seen(window: HistoryWindow) -> list[str]:
    model = window.model
    return [str(model.index(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(model.rowCount())]


def press_in(window: QDialog, text: str) -> None:
    next(button for button in window.findChildren(QPushButton) if button.text() == text).click()


def texts(path: Path) -> list[Any]:
    return [record["mes"] for record in records(path)]


def edit(person: Person, number: int, text: str) -> None:
    """Give a message another text, and see the editor gone."""
    person.edit(number, text)
    person.wait(lambda: person.window.findChild(QWidget, "messageEditor") is None)


def save(person: Person) -> None:
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: not person.window.desk.session.is_dirty)


def test_a_chapter_deleted_yesterday_comes_back(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_chat(80)
    before = path.read_bytes()

    # Yesterday: five messages are chosen and deleted, and the program is closed.
    with monkeypatch.context() as yesterday:
        yesterday.setattr(journaling, "now_ms", lambda: int(time.time() * 1000) - DAY)
        person.start()
        person.open_newest()
        person.click_message(60)
        person.view.setFocus()
        person.press(Qt.Key.Key_Up, CTRL)
        for _ in range(4):
            person.press(Qt.Key.Key_Up, SHIFT)
        person.press(Qt.Key.Key_Delete)
        assert len(person.window.desk.session.chat) == 75
        person.quit()
    assert len(records(path)) == 75

    # Today: it stands in the history, and is brought back.
    person.start()
    person.open_file(path)
    look_into_history(person)
    window = choose_version(person, "Delete 5 messages")
    assert versions(person).index("Yesterday") < versions(person).index("Delete 5 messages")
    assert sum(said.startswith("Removed.") for said in seen(window)) == 5
    press_in(window, "Choose All")
    press_in(window, "Restore 5 Messages")
    session = person.window.desk.session
    assert len(session.chat) == 80
    assert person.window.pane.undo_bar.text == "5 messages restored"
    save(person)
    assert path.read_bytes().split(b"\n")[1:] == before.split(b"\n")[1:]

    # That is a version like any other; what is back is not offered again, and Undo takes it away.
    person.wait(lambda: "Restore 5 messages" in versions(person))
    person.wait(lambda: window.model.tickable() == (0, 0))
    person.press(Qt.Key.Key_Z, CTRL)
    assert len(session.chat) == 75
    person.wait(lambda: window.model.tickable() == (0, 5))
    person.quit()


def test_the_whole_chat_goes_back_to_how_it_was(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    person.start()
    person.open_newest()
    before = texts(path)
    edit(person, 50, "Spoiled.")
    edit(person, 51, "Spoiled too.")
    save(person)
    look_into_history(person)
    window = choose_version(person, "start")
    assert window.since.isHidden()  # there is nothing before it
    press_in(window, "Restore This Version")
    save(person)
    assert texts(path) == before
    backups = list((person.window.services.root.user_folder / "backups").glob("chat_*.jsonl"))
    assert any(b"Spoiled too." in backup.read_bytes() for backup in backups)
    person.wait(lambda: "Restore version" in versions(person))
    person.quit()


def test_after_a_merge_both_versions_stand_in_the_history(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavern_desktop.session.save_queue.WAIT", 1000.0)  # what is written here is not saved yet
    path = make_chat(60)
    person.start()
    person.open_newest()
    number = next(n for n in range(50, 60) if not records(path)[n]["is_user"])
    edit(person, number, "Mine.")
    header, *lines = path.read_bytes().split(b"\n")
    theirs = json.loads(lines[number]) | {"mes": "Theirs.", "swipes": ["Theirs."], "swipe_id": 0}
    lines[number] = json.dumps(theirs).encode()
    written_elsewhere(path, b"\n".join([header, *lines]))
    save(person)
    assert texts(path)[number] == "Mine."

    look_into_history(person)
    person.wait(lambda: "found" in versions(person))
    listed = versions(person)
    assert [title for title in listed if title in ("merge", "found", "Edit message")] == [
        "merge",
        "found",
        "Edit message",
    ]
    window = choose_version(person, "found")
    edited = next(said for said in seen(window) if said.startswith("Edited."))
    assert f"before #{number}" in edited
    assert edited.index("Mine.") < edited.index("Theirs.")
    # Theirs is brought back, although it is not what the merge chose.
    window = choose_version(person, "merge")
    person.wait(lambda: "Theirs." in " ".join(seen(window)))
    press_in(window, "Choose All")
    press_in(window, "Restore Message")
    save(person)
    assert texts(path)[number] == "Theirs."
    person.quit()


def test_an_earlier_text_of_one_message_comes_back(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    person.start()
    person.open_newest()
    first = texts(path)[55]
    edit(person, 55, "Second.")
    edit(person, 55, "Third.")
    person.click_message(55)
    person.window.actions_[Act.MESSAGE_HISTORY].trigger()
    dialog = person.window.findChild(MessageHistory, "messageHistory")
    assert dialog is not None
    person.wait(lambda: dialog.text.toPlainText() == "Second.")
    person.press(Qt.Key.Key_Down)
    assert dialog.text.toPlainText() == first
    press_in(dialog, "Restore This Text")
    save(person)
    assert texts(path)[55] == first
    person.quit()


def test_a_version_becomes_a_chat_of_its_own(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(60)
    person.start()
    person.open_newest()
    before = texts(path)
    edit(person, 50, "Another way.")
    save(person)
    look_into_history(person)
    person.wait(lambda: "start" in versions(person))
    tab = person.window.part.history.tab
    past = next(past for past in person.window.part.history.versions if past.kind == "start")
    menu = tab.menu_for(past)
    next(action for action in menu.actions() if action.text() == "Open as New Chat").trigger()
    person.wait(lambda: person.window.desk.path != path and person.window.desk.session.state == "ready")
    made = person.window.desk.path
    assert made.name.startswith("The long road (")
    assert (texts(made), texts(path)[50]) == (before, "Another way.")
    person.quit()
