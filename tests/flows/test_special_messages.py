"""Forms, tables and columns in a chat: filled in, submitted, dropped, and there again after closing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QPlainTextEdit, QPushButton

from tavern_desktop.cards.envelope import Card, read_card
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tavern_desktop.ui.actions import Act
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.gui.shell.window_parts import records


def insert(person: Person, begin_with: str, change: tuple[str, str] = ("", "")) -> None:
    """Insert a special message by the dialog, beginning with a form or an example."""
    person.window.acts.run(Act.INSERT_SPECIAL)
    dialog = open_dialog(person)
    choice = dialog.findChild(QComboBox, "templates")
    person.wait(lambda: choice.findText(begin_with) >= 0)
    choice.setCurrentIndex(choice.findText(begin_with))
    choice.activated.emit(choice.currentIndex())
    editor = dialog.findChild(QPlainTextEdit, "sourceEditor")
    editor.setPlainText(editor.toPlainText().replace(*change) if change[0] else editor.toPlainText())
    dialog.accept()
    person.turn_to(person.window)


def open_dialog(person: Person) -> Any:
    """The dialog that is open."""
    (dialog,) = (found for found in person.window.findChildren(QDialog, "sourceDialog") if found.isVisible())
    return dialog


def drop(person: Person, path: Path) -> None:
    """Drag a file over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    place = person.window.rect().center()
    enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(person.window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(person.window, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, data, buttons, keys))


def chat_of(person: Person) -> Any:
    session = person.window.desk.session
    assert session is not None
    return session.chat


def cards(person: Person) -> list[Card]:
    chat = chat_of(person)
    found = (read_card(message.data()) for message in chat.messages)
    return [card for card in found if card is not None]


def newest(person: Person) -> Any:
    return chat_of(person).messages[-1]


def frame_of(person: Person, at: int = -1) -> Any:
    """Click into a special message, and see its real fields."""
    chat = chat_of(person)
    keys = [message.key for message in chat.messages if read_card(message.data()) is not None]
    person.view.set_current_key(keys[at])

    def in_use() -> bool:
        person.window.acts.run(Act.USE_SPECIAL)
        return person.view.use.frame is not None

    person.wait(in_use)  # which forms there are is read when the first is shown
    return person.view.use.frame


def saved(person: Person) -> bool:
    session = person.window.desk.session
    assert session is not None
    return bool(session.save_state.kind == "saved" and not session.is_dirty)


def test_a_form_is_filled_in_left_found_again_and_submitted(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(4)
    person.start()
    person.open_newest()
    insert(person, "Form: Passage across the bay")
    frame = frame_of(person)
    person.wait(lambda: QApplication.focusWidget() is frame.findChild(QLineEdit, "field_travellers"))
    frame.findChild(QLineEdit, "field_travellers").clear()
    person.type("3")
    frame.findChild(QLineEdit, "field_cargo").setFocus()
    person.type("one crate, fragile")
    person.press(Qt.Key.Key_Escape)
    assert person.view.use.frame is None
    assert "one crate, fragile" in cards(person)[0].yaml
    assert cards(person)[0].status == "draft"
    person.quit()

    person.start()
    person.open_file(path)
    frame = frame_of(person)
    assert frame.findChild(QLineEdit, "field_travellers").text() == "3"
    assert frame.findChild(QLineEdit, "field_cargo").text() == "one crate, fragile"
    frame.findChild(QComboBox, "field_leave").setCurrentIndex(1)
    frame.findChild(QLineEdit, "field_cargo").setFocus()
    person.press(Qt.Key.Key_Return, CTRL)
    assert cards(person)[0].status == "submitted"
    told = newest(person).data()
    assert told["is_user"]
    assert told["mes"].splitlines() == [
        'Submitted "Passage across the bay":', "- Travellers: 3", "- Cargo: one crate, fragile", "- Leave: before dawn"
    ]  # fmt: skip
    person.wait(lambda: saved(person))
    person.quit()

    person.start()
    person.open_file(path)
    assert cards(person)[0].status == "submitted"
    chat = chat_of(person)
    assert not person.view.use.begin(chat.messages[-2].key)
    face = person.view.row_view(person.view.row_of(chat.messages[-2].key)).face
    assert any(piece.text == "one crate, fragile" for piece in face.words)


def test_a_submission_is_one_step_to_undo(person: Person, make_chat: MakeChat) -> None:
    make_chat(4)
    person.start()
    person.open_newest()
    insert(person, "Form: Bill of lading")
    frame = frame_of(person)
    frame.findChild(QLineEdit, "field_ship").setText("Grey Heron")
    frame.findChild(QPushButton, "card_submit").click()
    person.wait(lambda: saved(person))
    assert newest(person).data()["is_user"]
    person.window.acts.run(Act.UNDO)
    assert cards(person)[0].status == "draft"
    assert read_card(newest(person).data()) is not None


def test_a_submission_that_cannot_be_saved_leaves_the_form_open(
    person: Person, make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_chat(4)
    person.start()
    person.open_newest()
    insert(person, "Form: Bill of lading")
    person.wait(lambda: saved(person))
    frame = frame_of(person)
    frame.findChild(QLineEdit, "field_ship").setText("Grey Heron")

    def fail(*_arguments: Any, **_options: Any) -> None:
        raise StorageError("io", "write")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", fail)
        frame.findChild(QPushButton, "card_submit").click()
        person.wait(lambda: "nothing was submitted" in person.window.pane.banner.text)
        assert cards(person)[0].status == "draft"
        assert read_card(newest(person).data()) is not None


def test_the_columns_of_a_dropped_file_are_matched(person: Person, make_chat: MakeChat, tmp_path: Path) -> None:
    path = make_chat(4)
    file = tmp_path / "cargo of May.csv"
    file.write_text("goods;weight lb;price\nsalt;120;3.5\nlamp oil;7;12\n")
    person.start()
    person.open_newest()
    drop(person, file)
    person.wait(lambda: len(cards(person)) == 1)
    assert (cards(person)[0].type, cards(person)[0].title) == ("Table", "cargo of May")
    insert(person, "Form: Bill of lading")
    drop(person, file)
    person.wait(lambda: len(cards(person)) == 3)
    assert cards(person)[2].type == "ColumnMatch"
    frame = frame_of(person)
    weight = frame.findChild(QComboBox, "field_Weight")
    weight.setCurrentIndex(weight.findText("weight lb  ·  120, 7"))
    frame.findChild(QPushButton, "card_submit").click()
    assert cards(person)[2].status == "confirmed"
    assert newest(person).data()["mes"].splitlines()[1:] == [
        "- Goods: goods", "- Weight: weight lb", "- Price: price"
    ]  # fmt: skip
    person.wait(lambda: saved(person))
    assert [bool(read_card(record)) for record in records(path)[-4:]] == [True, True, True, False]


def test_the_source_of_a_special_message_is_checked_while_it_is_written(person: Person, make_chat: MakeChat) -> None:
    make_chat(4)
    person.start()
    person.open_newest()
    insert(person, "Table", ("Lamp oil", "Whale oil"))
    assert "Whale oil" in cards(person)[0].yaml
    person.view.set_current_key(newest(person).key)
    person.window.acts.run(Act.EDIT)
    dialog = open_dialog(person)
    editor, accept = dialog.findChild(QPlainTextEdit, "sourceEditor"), dialog.findChild(QPushButton, "sourceAccept")
    text = editor.toPlainText()
    editor.setPlainText(text + "rows: []\n")
    person.wait(lambda: not accept.isEnabled())
    editor.setPlainText(text + "# mine\n")
    person.wait(accept.isEnabled)
    accept.click()
    assert cards(person)[0].yaml == text + "# mine\n"


def test_a_chat_may_keep_special_messages_from_the_model(person: Person, make_chat: MakeChat) -> None:
    make_chat(4)
    person.start()
    person.open_newest()
    tell = person.window.part.actions[Act.TELL_SPECIAL]
    assert tell.isChecked()
    tell.trigger()
    assert chat_of(person).header.metadata()["tavern_desktop"] == {"tells_cards": False}
    assert not tell.isChecked()
    tell.trigger()
    assert tell.isChecked()
    assert "tavern_desktop" not in chat_of(person).header.metadata()


def test_a_form_that_waits_only_for_the_next_word_expires_with_it(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(4)
    person.start()
    folder = person.window.services.folders.config / "forms"
    folder.mkdir(parents=True)
    (folder / "toll.yaml").write_text("formId: toll\ntitle: Toll\nexpires: true\nfields: [{name: pence}]\n")
    person.open_newest()
    insert(person, "Form: Toll")
    assert cards(person)[-1].status == "draft"
    person.find(QPlainTextEdit, "composer").setFocus()
    person.type("Never mind the toll.")
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: cards(person)[-1].status == "expired")
    person.wait(lambda: saved(person))
    (record,) = [each for each in records(path) if read_card(each) is not None]
    assert record["mes"] == "[Form expired: Toll]"
