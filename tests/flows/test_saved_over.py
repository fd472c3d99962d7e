"""Another program holds an old copy of the chat and saves it over what was written here."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tavern_desktop.ui.actions import Act
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.flows.test_written_meanwhile import banner, message, press, records, started, written_elsewhere

RESTORED = "Another program saved over 1 of your messages; it was restored."


def test_it_is_restored_and_the_person_told_and_can_take_that_back(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(40)
    old_copy = path.read_bytes()
    started(person)
    person.open_newest()
    session = person.window.desk.session
    count = person.view.model().total()

    # The person writes a message, which is saved.
    person.click_message(count - 1)
    person.window.acts.run(Act.INSERT_AFTER)
    person.find(QWidget, "messageEditor").setFocus()
    person.type("Written here.")
    person.press(Qt.Key.Key_Return, CTRL)
    person.wait(lambda: len(records(path)) == count + 1)

    # The other program had loaded the chat before that; it adds a message and saves all it has.
    written_elsewhere(path, b"\n".join([old_copy, message("Written there.")]))
    assert "Written here." not in [record["mes"] for record in records(path)]
    person.wait(lambda: banner(person).startswith(RESTORED))
    person.wait(lambda: [record["mes"] for record in records(path)[count:]] == ["Written there.", "Written here."])
    assert [person.text_of(number) for number in (count, count + 1)] == ["Written there.", "Written here."]

    # Show leads to the first message that is new to the person; Undo brings back what stood here before.
    press(person, "Show")
    assert person.view.current_key == session.chat.messages[count].key
    press(person, "Undo")
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: [record["mes"] for record in records(path)[count:]] == ["Written here."])
    person.quit()


def test_the_second_time_it_is_said_what_to_do_about_it(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(40)
    old_copy = path.read_bytes()
    started(person)
    person.open_newest()
    count = person.view.model().total()
    for number in (1, 2):
        person.edit(count - number, f"Edited here, {number}.")
        person.press(Qt.Key.Key_S, CTRL)
        person.wait(lambda number=number: f"Edited here, {number}." in [record["mes"] for record in records(path)])
        written_elsewhere(path, old_copy)
        person.wait(lambda number=number: f"Edited here, {number}." in [record["mes"] for record in records(path)])
    person.wait(lambda: "Two programs are editing this chat" in banner(person))
    person.quit()
