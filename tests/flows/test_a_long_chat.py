"""Open the newest chat, read back, edit, swipe, delete, undo, close at once: exactly that is on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tavern_desktop.chat import facts
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.session import cold_swipes
from tavern_desktop.ui.settings_dialog import SettingsDialog
from tests.flows.conftest import MakeChat
from tests.flows.person import ALT, CTRL, Person


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")


def swiped(path: Path, numbers: range) -> int:
    """The first of these messages that shows its first alternative and has another one."""
    records = lines(path)
    for number in numbers:
        alternatives = facts.swipes(json.loads(records[number + 1]))
        if len(alternatives) > 1 and alternatives.current == 0:
            return number
    raise AssertionError("no message with alternatives")


def read_and_change(person: Person, path: Path) -> None:
    before = lines(path)
    count = len(before) - 1
    person.start()
    assert person.open_newest() == path

    # The chat opens at its end; Show more brings a hundred earlier messages and moves nothing.
    assert person.shown_numbers() == list(range(count - 100, count))
    for times in (1, 2):
        person.view.verticalScrollBar().setValue(0)
        first = person.shown_numbers()[0]
        top = person.row_top(first)
        person.press_button("showMoreButton")
        assert person.shown_numbers()[0] == count - 100 * (times + 1)
        assert person.row_top(first) == top

    # Edit one in the middle, and choose another alternative of one.
    edited = count - 150
    person.edit(edited, "A new text.")
    assert person.text_of(edited) == "A new text."
    other = swiped(path, range(count - 250, count - 160))
    person.click_message(other)
    person.view.setFocus()
    person.press(Qt.Key.Key_Right, ALT)
    chosen = facts.swipes(json.loads(before[other + 1])).texts[1]
    assert person.text_of(other) == chosen

    # Delete two, take one of them back, and close at once.
    for number in (count - 40, count - 20):
        person.click_message(number)
        person.view.setFocus()
        person.press(Qt.Key.Key_Delete, CTRL)
    assert person.view.model().total() == count - 2
    person.press(Qt.Key.Key_Z, CTRL)
    assert person.view.model().total() == count - 1
    person.quit()

    after = lines(path)
    expected = [line for number, line in enumerate(before) if number != count - 40 + 1]
    assert len(after) == len(expected)
    changed = {number for number, (old, new) in enumerate(zip(expected, after, strict=True)) if old != new}
    assert changed == {0, edited + 1, other + 1}
    assert json.loads(after[0])["chat_metadata"] == json.loads(before[0])["chat_metadata"] | {"tainted": True}
    record = json.loads(after[edited + 1])
    assert record["mes"] == "A new text."
    assert record.get("swipes", ["A new text."])[record.get("swipe_id", 0)] == "A new text."
    assert json.loads(after[other + 1])["mes"] == chosen

    # Opened again, it shows just that.
    person.start()
    person.open_file(path)
    assert person.view.model().total() == count - 1
    assert not list(path.parent.glob(".td-*"))


def test_reading_and_changing(person: Person, make_chat: MakeChat) -> None:
    read_and_change(person, make_chat(600))


def test_the_same_with_unseen_alternatives_on_disk(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cold_swipes, "LONG", 0)
    person.start()
    person.wait(lambda: bool(person.window.menuBar().actions()))
    person.press(Qt.Key.Key_Comma, CTRL)
    person.wait(lambda: person.sees("settingsDialog"))
    person.find(SettingsDialog, "settingsDialog").unseen_on_disk.click()
    person.quit()
    path = make_chat(600)
    person.start()
    person.open_file(path)
    session = person.window.desk.session
    assert session is not None
    assert session.chat is not None
    assert sum(isinstance(message, ColdMessage) for message in session.chat.messages) > 50
    person.quit()
    read_and_change(person, path)


@pytest.mark.parametrize("messages", [100_000, 300_000])
def test_reading_and_changing_very_long_chats(
    person: Person, make_chat: MakeChat, messages: int, is_full: bool
) -> None:
    read_and_change(person, make_chat(messages if is_full else messages // 50))
