"""Special messages in the surface: painted as they stand, real controls for the one in use."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QWidget

from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.cards.registry import FormDefinition, definition_of
from tavern_desktop.cards.yaml_reading import read_payload
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.ui.chat.cards.form_frame import FormFrame, ParameterFrame
from tavern_desktop.ui.chat.cards.match_frame import MatchFrame
from tavern_desktop.ui.chat.cards.table_frame import TableFrame, TableModel, as_csv
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import chat_of, click, part_point
from tests.gui.surface.conftest import Show
from tests.unit.cards.payloads import BROKEN_FIELD, FORM, MATCH, PARAMETERS, TABLE, UNKNOWN, UNREADABLE, WORKFLOW

CTRL = Qt.KeyboardModifier.ControlModifier
PASSAGE = definition_of(
    read_payload("""\
formId: passage
title: Passage
fields:
  - {name: who, label: Travellers, fieldType: integer, required: true, min: 1, max: 12}
  - {name: cargo, label: Cargo}
  - {name: leave, label: Leave, fieldType: select, options: [before dawn, at noon]}
  - {name: ways, label: Ways, fieldType: multiselect, options: [sail, row]}
  - {name: word, label: Password, fieldType: secret}
  - {name: agreed, label: Agreed, fieldType: boolean}
  - {name: notes, label: Notes, fieldType: multiline}
""")
)


def raw(yaml: str) -> dict[str, Any]:
    """A special message whose payload nobody checked."""
    record = new_record(TABLE)
    record["extra"]["tavern_desktop"]["card"]["yaml"] = yaml
    return record


@pytest.fixture
def shown(show: Show, context: ChatContext) -> Any:
    """Show special messages in a chat where the form "passage" is known."""

    def form_of(payload: dict[str, Any]) -> FormDefinition | None:
        return PASSAGE if payload.get("formId") == "passage" else None

    def shown(*records: dict[str, Any], **more: Any) -> ChatView:
        view = show(chat_of(records))
        view.set_context(replace(context, **({"form_of": form_of} | more)))
        return view

    return shown


def passage(**more: Any) -> dict[str, Any]:
    return new_record(write_payload(PASSAGE.payload("c_1") | more))


def spots(view: ChatView, row: int) -> list[str]:
    face = view.row_view(row).face
    assert face is not None
    return [spot.name for spot in face.spots]


def words(view: ChatView, row: int) -> str:
    face = view.row_view(row).face
    assert face is not None
    return " | ".join(piece.text for piece in face.words)


def test_every_type_shows_as_what_it_is(shown: Any) -> None:
    view = shown(passage(), *map(new_record, (PARAMETERS, TABLE, MATCH, WORKFLOW, FORM)))
    names = [view.row_view(row).layout.name_text for row in range(6)]
    assert names == ["Form", "Parameters", "Table", "Columns", "Workflow", "Form"]
    assert spots(view, 0)[-2:] == ["submit", "cancel"]
    assert "cell-three-8f1" in words(view, 2)
    assert "3 rows" in words(view, 2)
    assert "Interrupted" in words(view, 4)
    assert "This form is not available here." in words(view, 5)
    assert spots(view, 5) == []
    view.grab()


def test_yes_or_no_is_painted_as_the_check_box_that_it_is(shown: Any) -> None:
    def box_of(value: bool) -> tuple[str, bool]:
        entries = [dict(entry) for entry in PASSAGE.entries if entry["name"] == "agreed"]
        view = shown(passage(fields=[entry | {"value": value} for entry in entries]))
        face = view.row_view(0).face
        assert face is not None
        spot = next(spot for spot in face.spots if spot.name == "use:agreed")
        box = next(shape.area for shape in face.shapes if shape.kind == "box")
        assert spot.area.contains(box)
        assert box.width() == box.height()
        return words(view, 0), any(box.contains(icon.area) for icon in face.icons)

    said, is_ticked = box_of(True)
    assert (" | Yes | " in said, is_ticked) == (True, True)
    said, is_ticked = box_of(False)
    assert (" | Yes | " in said, is_ticked) == (True, False)


def test_what_is_not_understood_shows_its_source_on_request(shown: Any, qtbot: Any) -> None:
    view = shown(raw(BROKEN_FIELD), raw(UNKNOWN), raw(UNREADABLE))
    assert "This card has an error at rows[0]." in words(view, 0)
    assert words(view, 1).startswith("Chart | title-8f1 | Made by a newer version or another feature.")
    assert "Unreadable special message. This is not valid YAML" in words(view, 2)
    for row in range(3):
        key = view.key(row)
        view.scroll_to_index(row)
        with qtbot.waitSignal(view.special_requested) as asked:
            click(view, part_point(view, key, "special:source"))
        assert asked.args == ["source", key]
        view.use.begin(key)
        assert view.use.frame is None


@pytest.mark.parametrize("field", ["columnNames: nothing", "rows: 7", "steps: x", "items: {a: 1}", "fields: x"])
def test_a_payload_with_odd_fields_is_shown_all_the_same(shown: Any, field: str) -> None:
    kinds = ("Form", "ParameterSet", "Table", "ColumnMatch", "WorkflowStatus")
    records = [
        raw(f"type: {kind}\nid: x\ntitle: [odd]\nrequiredColumns: 3\nmappings: [1]\n{field}\n") for kind in kinds
    ]
    view = shown(*records)
    for row in range(len(kinds)):
        view.scroll_to_index(row)
        view.grab()
        assert "This card has an error at title." in words(view, row)


def test_the_accessible_list_tells_what_there_is(shown: Any) -> None:
    view = shown(passage(), new_record(WORKFLOW), raw(UNREADABLE))
    told = [view.model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(3)]
    assert told[0] == "Form, message 1 of 3: Passage"
    assert told[1] == "Workflow, message 2 of 3: Crossing. Interrupted"
    assert told[2].startswith("Table, message 3 of 3: Unreadable special message.")


def test_a_click_into_a_field_puts_the_keyboard_there(shown: Any, qtbot: Any) -> None:
    view = shown(passage())
    view.activateWindow()
    click(view, part_point(view, view.key(0), "special:use:cargo"))
    frame = view.use.frame
    assert isinstance(frame, FormFrame)
    field = frame.findChild(QLineEdit, "field_cargo")
    assert isinstance(field, QLineEdit)
    assert field.accessibleName() == "Cargo"
    qtbot.waitUntil(field.hasFocus)
    assert view.row_view(0).layout.special.height() == frame.height()


def test_a_form_says_what_is_wrong_while_it_is_filled_in_and_submits_once(shown: Any, qtbot: Any) -> None:
    view = shown(passage())
    key = view.key(0)
    submitted: list[Any] = []
    view.special_submitted.connect(lambda key, values: submitted.append((key, values)))
    click(view, part_point(view, key, "special:submit"))
    frame = view.use.frame
    assert isinstance(frame, FormFrame)
    assert submitted == []
    widgets: list[Any] = [editor.widget for editor in frame.editors]
    who, cargo, leave, ways, word, agreed, notes = widgets
    assert notes_of(frame)["who"] == "This must be filled in."
    qtbot.keyClicks(who, "99")
    assert notes_of(frame)["who"] == "This must be at most 12."
    qtbot.keyClick(who, Qt.Key.Key_Backspace)
    qtbot.keyClick(who, Qt.Key.Key_Backspace)
    qtbot.keyClicks(who, "two")
    assert notes_of(frame)["who"] == "This must be a whole number."
    who.setText("2")
    assert notes_of(frame)["who"] == ""
    cargo.setText("one crate")
    leave.setCurrentIndex(2)
    frame.editors[3].boxes[1].setChecked(True)  # type: ignore[attr-defined]
    word.setText("hunter2")
    agreed.setChecked(True)
    notes.setPlainText("a\nb")
    qtbot.keyClick(who, Qt.Key.Key_Return, CTRL)
    frame.submit()
    values = {"who": 2, "cargo": "one crate", "leave": "at noon", "ways": ["row"], "word": "hunter2"}
    assert submitted == [(key, values | {"agreed": True, "notes": "a\nb"})]
    assert isinstance(ways, QWidget)


def notes_of(frame: FormFrame) -> dict[str, str]:
    return {name: note.text() for name, note in frame._notes.items()}


def test_what_is_filled_in_is_kept_without_the_secret(shown: Any, qtbot: Any) -> None:
    view = shown(passage())
    view.use.begin(view.key(0))
    frame = view.use.frame
    assert isinstance(frame, FormFrame)
    frame.editors[1].widget.setText("salt")  # type: ignore[attr-defined]
    frame.editors[4].widget.setText("hunter2")  # type: ignore[attr-defined]
    with qtbot.waitSignal(view.special_filled) as kept:
        qtbot.keyClick(frame.editors[1].widget, Qt.Key.Key_Escape)
    payload = kept.args[1]
    assert [field.get("value") for field in payload["fields"]] == [None, "salt", None, None, None, False, None]
    assert "hunter2" not in str(payload)
    assert view.use.frame is None


def test_a_form_answered_elsewhere_closes(shown: Any) -> None:
    view = shown(passage())
    view.use.begin(view.key(0))
    chat = view.records.chat
    done = passage(status="submitted", submittedAt="2026-10-12T08:00:00Z")
    chat.replace(0, [chat.messages[0].with_data(done)])
    assert view.use.frame is None
    assert "Submitted" in words(view, 0)


def test_another_chat_keeps_what_is_filled_in(shown: Any, qtbot: Any, context: ChatContext) -> None:
    view = shown(passage())
    view.use.begin(view.key(0))
    view.use.frame.editors[1].widget.setText("salt")
    with qtbot.waitSignal(view.special_filled):
        view.set_chat(chat_of(["another"]), context)
    assert view.use.frame is None


def test_an_editor_and_a_special_message_are_never_in_use_together(shown: Any) -> None:
    view = shown(passage(), new_record(TABLE))
    view.use.begin(view.key(0))
    assert view.begin_edit(view.key(1))
    assert view.use.frame is None
    view.use.begin(view.key(0))
    assert not view.is_editing


def test_comments_are_asked_about_before_the_first_edit(shown: Any, qtbot: Any) -> None:
    view = shown(new_record(PARAMETERS + "# mine\n"))
    key = view.key(0)
    with qtbot.waitSignal(view.special_requested) as asked:
        view.use.begin(key, "alpha-8f1")
    assert asked.args == ["comments:alpha-8f1", key]
    assert view.use.frame is None
    view.use.agree(key)
    assert view.use.begin(key, "alpha-8f1")


def test_parameters_are_changed_in_place(shown: Any, qtbot: Any) -> None:
    view = shown(new_record(PARAMETERS))
    view.use.begin(view.key(0))
    frame = view.use.frame
    assert isinstance(frame, ParameterFrame)
    frame.editors[0].widget.setText("0.5")  # type: ignore[attr-defined]
    with qtbot.waitSignals([view.special_filled, view.special_requested]):
        frame.use_values()
    assert frame.payload["items"][0]["valueText"] == "0.5"
    assert frame.payload["items"][0]["unit"] == "unit-8f1"


def test_columns_are_chosen_from_combo_boxes(shown: Any, qtbot: Any) -> None:
    view = shown(new_record(MATCH))
    view.use.begin(view.key(0), "other-8f1")
    frame = view.use.frame
    assert isinstance(frame, MatchFrame)
    first, second = (choice.combo for choice in frame.choices)
    assert first.currentText() == "found-8f1  ·  sample-8f1"
    first.setCurrentIndex(0)
    frame.submit()
    assert frame._missing.text() == "Choose a column for required-8f1."
    first.setCurrentIndex(2)
    assert isinstance(second, QComboBox)
    with qtbot.waitSignal(view.special_submitted) as confirmed:
        frame.submit()
    assert confirmed.args[1] == {"required-8f1": "second-8f1", "other-8f1": None}


def test_a_table_scrolls_sorts_and_is_copied(shown: Any) -> None:
    view = shown(new_record(TABLE))
    view.use.begin(view.key(0))
    frame = view.use.frame
    assert isinstance(frame, TableFrame)
    QAbstractItemModelTester(frame.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    frame.view.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert [frame.model.index(row, 1).data() for row in range(3)] == ["2", "10", "81935"]
    frame.view.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert frame.model.index(0, 0).data() == "cell-two-8f1"
    frame.copy_csv()
    assert QGuiApplication.clipboard().text() == (
        "column-a-8f1,column-b-8f1\ncell-one-8f1,81935\ncell-two-8f1,2\ncell-three-8f1,10\n"
    )
    frame.done()
    assert view.use.frame is None


def test_sorting_puts_numbers_before_texts_and_nothing_last(qtbot: Any) -> None:
    model = TableModel(["x"], [["b"], [None], [10], ["a"], [2.5], [""]])
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert [model.index(row, 0).data() for row in range(6)] == ["2.5", "10", "a", "b", "", ""]
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert [model.index(row, 0).data() for row in range(4)] == ["b", "a", "10", "2.5"]
    model.sort(-1)
    assert model.index(0, 0).data() == "b"


def test_csv_quotes_what_needs_it() -> None:
    assert as_csv(["a,b", 'c"'], [[None, True], ["x\ny", 1.5]]) == '"a,b","c"""\n,true\n"x\ny",1.5\n'


def test_words_behind_a_special_message_are_offered_as_a_message(shown: Any, qtbot: Any) -> None:
    record = new_record(TABLE)
    record["mes"] += " And then she laughed."
    view = shown(record)
    assert view.row_view(0).document.toPlainText() == "And then she laughed."
    with qtbot.waitSignal(view.special_requested) as asked:
        click(view, part_point(view, view.key(0), "special:caption"))
    assert asked.args[0] == "caption"


def test_a_copy_says_that_it_is_one(shown: Any) -> None:
    view = shown(passage(), passage(), is_copy=lambda key, card_id: card_id == "c_1")
    assert words(view, 1).split(" | ")[0] == "Copy"


def test_a_payload_s_text_is_never_markup(shown: Any) -> None:
    view = shown(new_record(TABLE.replace("Cargo list", "<b>**bold**</b>")))
    assert "<b>**bold**</b>" in words(view, 0)
    card = read_card(view.record(0).data)
    assert card is not None
    assert card.title == "<b>**bold**</b>"


def test_a_file_is_chosen_in_the_data_folder_or_refused_in_words(shown: Any, tmp_path: Path) -> None:
    form = definition_of(read_payload("formId: log\ntitle: Log\nfields: [{name: log, label: Log, fieldType: file}]\n"))
    record = new_record(write_payload(form.payload("c_1")))
    view = shown(record, form_of=lambda payload: form, folder=tmp_path)
    view.use.begin(view.key(0))
    frame = view.use.frame
    assert isinstance(frame, FormFrame)
    editor = frame.editors[0]
    editor.take(str(tmp_path / "user" / "files" / "log.txt"))  # type: ignore[attr-defined]
    assert frame.values() == {"log": "user/files/log.txt"}
    editor.take("/etc/passwd")  # type: ignore[attr-defined]
    frame.submit()
    assert "This must be a file of the data folder." in [each.text() for each in frame.findChildren(QLabel)]
