"""What somebody types is never lost, whatever goes wrong (known failures B-29, B-47)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tavern_desktop.ui.main_window import MainWindow
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person

THOUGHT = "a thousand words, more or less"


def write(person: Person, text: str) -> None:
    """Write into the composer without sending."""
    person.window.pane.composer.text.setFocus()
    person.type(text)


def written(person: Person) -> str:
    return str(person.window.pane.composer.text.toPlainText())


def begin_edit(person: Person, number: int, text: str) -> None:
    """Open a message's editor and put text behind what it says."""
    person.click_message(number)
    person.view.setFocus()
    person.press(Qt.Key.Key_F2)
    person.find(QWidget, "messageEditor").setFocus()
    person.press(Qt.Key.Key_End, CTRL)
    person.type(text)


def press_in_banner(person: Person, text: str) -> None:
    (button,) = (button for button in person.window.pane.banner.buttons if button.text() == text)
    button.click()


def draft_marks(person: Person) -> list[str]:
    """The chats whose rows in the library say that there is a draft."""
    return [entry.path for entry in person.window.library.recent.filter.entries._entries if entry.draft]


def test_unsent_text_is_there_after_a_walk_to_another_chat_and_after_a_restart(
    person: Person, make_chat: MakeChat
) -> None:
    path = make_chat(6)
    person.start()
    person.open_newest()
    write(person, THOUGHT)
    other = next(row.path for row in person.window.services.library.chats if row.path != path)
    person.open_file(other)
    assert written(person) == ""
    assert draft_marks(person) == [str(path)]
    person.open_file(path)
    assert written(person) == THOUGHT

    person.quit()
    person.start()
    person.wait(lambda: draft_marks(person) == [str(path)])
    person.open_file(path)
    assert written(person) == THOUGHT

    # Once it is sent there is no draft any more, now and after a further start.
    person.window.pane.composer.text.setFocus()
    person.press(Qt.Key.Key_Return)
    assert person.text_of(person.shown_numbers()[-1]) == THOUGHT
    person.wait(lambda: draft_marks(person) == [])
    person.quit()
    person.start()
    person.open_file(path)
    assert written(person) == ""


def test_what_is_written_in_one_window_is_in_the_other(person: Person, make_chat: MakeChat) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    first = person.window
    first.acts.new_window()
    second = next(each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow) and each is not first)
    person.wait(lambda: second.desk.session is not None and second.desk.session.state == "ready")
    person.turn_to(first)
    write(person, THOUGHT)
    person.wait(lambda: second.pane.composer.text.toPlainText() == THOUGHT)
    second.pane.composer.text.send_requested.emit()
    person.wait(lambda: written(person) == "")


@pytest.mark.parametrize("mistyped", ['/sendas name="Mira ' + THOUGHT, "/unheard of " + THOUGHT])
def test_a_mistyped_command_stays(person: Person, make_chat: MakeChat, mistyped: str) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    write(person, mistyped)
    person.press(Qt.Key.Key_Return)
    assert person.sees("banner")
    assert written(person) == mistyped


def test_escape_loses_nothing(person: Person, make_chat: MakeChat) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    write(person, THOUGHT)
    for _ in range(3):
        person.press(Qt.Key.Key_Escape)
    assert written(person) == THOUGHT

    # In the editor it asks before something would be lost.
    before = person.text_of(3)
    begin_edit(person, 3, " and more")
    person.press(Qt.Key.Key_Escape)
    assert person.sees("messageEditor")
    assert written(person) == THOUGHT
    person.press(Qt.Key.Key_Escape)
    assert not person.sees("messageEditor")
    assert person.text_of(3) == before


def test_a_message_sent_with_no_model_is_in_the_chat(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(6)
    person.start()
    person.open_newest()
    write(person, THOUGHT)
    person.press(Qt.Key.Key_Return)
    assert (written(person), person.text_of(person.shown_numbers()[-1])) == ("", THOUGHT)
    person.quit()
    assert THOUGHT.encode() in path.read_bytes()


def test_a_message_that_cannot_be_saved_is_in_the_chat_all_the_same(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_chat(6)
    person.start()
    person.open_newest()

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", full)
        write(person, THOUGHT)
        person.press(Qt.Key.Key_Return)
        person.press(Qt.Key.Key_S, CTRL)
        person.wait(lambda: person.window.desk.session.save_state.kind == "failed")
        # A reply may have its row for the moment in which it turns out that no model is connected.
        person.wait(lambda: person.text_of(person.shown_numbers()[-1]) == THOUGHT)
    person.quit()
    assert THOUGHT.encode() in path.read_bytes()


def test_a_chat_that_may_not_be_changed_takes_nothing_out_of_the_composer(person: Person, make_chat: MakeChat) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    write(person, THOUGHT)
    person.window.desk.session.read_only = "owned_elsewhere"
    person.press(Qt.Key.Key_Return)
    assert written(person) == THOUGHT
    assert person.sees("banner")


def test_deleting_a_message_while_it_is_edited(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(6)
    person.start()
    person.open_newest()
    count = len(person.window.desk.session.chat)
    edited = person.text_of(3) + " and more"
    begin_edit(person, 3, " and more")
    person.press(Qt.Key.Key_Delete, CTRL)
    assert len(person.window.desk.session.chat) == count, "in a text Ctrl+Delete is the text's own"
    person.window.desk.commands.act_by_name("delete", person.view.current_key)
    assert len(person.window.desk.session.chat) == count - 1
    assert not person.sees("messageEditor")

    # Its text is a draft now, over a restart too, and sending works.
    assert "kept here" in person.window.pane.banner.text
    write(person, "going on")
    person.press(Qt.Key.Key_Return)
    assert person.text_of(person.shown_numbers()[-1]) == "going on"
    person.quit()
    person.start()
    person.open_file(path)
    person.wait(lambda: "kept here" in person.window.pane.banner.text)
    press_in_banner(person, "Copy My Text")
    assert QApplication.clipboard().text() == edited
    assert "kept here" in person.window.pane.banner.text, "it may have been copied to nowhere"
    press_in_banner(person, "Put into Composer")
    assert written(person) == edited
    assert "kept here" not in person.window.pane.banner.text


def test_when_the_message_comes_back_its_edit_can_go_on(person: Person, make_chat: MakeChat) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    edited = person.text_of(3) + " and more"
    begin_edit(person, 3, " and more")
    person.window.desk.commands.act_by_name("delete", person.view.current_key)
    person.window.desk.commands.undo()
    assert "#3" in person.window.pane.banner.text
    press_in_banner(person, "Continue")
    assert person.find(QWidget, "messageEditor").toPlainText() == edited
    person.press(Qt.Key.Key_Return, CTRL)
    assert person.text_of(3) == edited
    assert "#3" not in person.window.pane.banner.text


def test_an_edit_follows_its_message_when_others_go(person: Person, make_chat: MakeChat) -> None:
    make_chat(6)
    person.start()
    person.open_newest()
    edited = person.text_of(3) + " and more"
    begin_edit(person, 3, " and more")
    above = person.window.desk.session.chat.messages[2].key
    person.window.desk.commands.act_by_name("delete", above)
    assert person.sees("messageEditor")
    person.find(QWidget, "messageEditor").setFocus()
    person.press(Qt.Key.Key_Return, CTRL)
    assert person.text_of(2) == edited


def test_a_damaged_drafts_file_stops_nothing(person: Person, make_chat: MakeChat, own_files_apart: Path) -> None:
    path = make_chat(6)
    person.start()
    person.open_newest()
    write(person, THOUGHT)
    person.quit()
    (file,) = (own_files_apart / "data").rglob("drafts/**/*.json")
    file.write_bytes(b'{"chat":')
    person.start()
    person.open_file(path)
    assert written(person) == ""
    assert "kept as" in person.window.pane.banner.text
