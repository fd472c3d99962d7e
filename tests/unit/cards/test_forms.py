"""Forms: fields, what may be submitted, and what the conversation is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.cards.forms import (
    FieldError,
    FormField,
    Option,
    allowed_fields,
    check,
    check_all,
    fields_of,
    filled_in,
    read_typed,
    summary,
)
from tavern_desktop.cards.registry import FormDefinition, FormRegistry, known_forms, read_definition
from tavern_desktop.cards.yaml_reading import read_payload
from tavern_desktop.resources import resource_path
from tests.unit.cards.payloads import FORM

COLOURS = (Option("r", "Red"), Option("b", "Blue"))


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        (FormField("a", "A", required=True), None, FieldError("required")),
        (FormField("a", "A", required=True), "", FieldError("required")),
        (FormField("a", "A"), None, None),
        (FormField("a", "A", "boolean", required=True), False, FieldError("required")),
        (FormField("a", "A", longest=3), "four", FieldError("long", 3)),
        (FormField("a", "A", "integer"), 1.5, FieldError("integer")),
        (FormField("a", "A", "integer"), "x", FieldError("integer")),
        (FormField("a", "A", "number", least=1), 0.5, FieldError("least", 1)),
        (FormField("a", "A", "number", most=1), 1.5, FieldError("most", 1)),
        (FormField("a", "A", "number"), True, FieldError("number")),
        (FormField("a", "A", "select", options=COLOURS), "g", FieldError("choice")),
        (FormField("a", "A", "multiselect", options=COLOURS), ["r", "b"], None),
        (FormField("a", "A", "date"), "2026-02-30", FieldError("date")),
        (FormField("a", "A", "date"), "2026-02-28", None),
        (FormField("a", "A", "datetime"), "noon", FieldError("datetime")),
        (FormField("a", "A", "file"), "../x", FieldError("file")),
        (FormField("a", "A", "file"), "user/files/x.csv", None),
    ],
)
def test_what_may_be_submitted(field: FormField, value: Any, error: FieldError | None) -> None:
    assert check(field, value) == error


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [("integer", " 12 ", 12), ("integer", "1.5", 1.5), ("number", "1,5", 1.5), ("number", "inf", "inf"),
     ("number", "two", "two"), ("text", "  x ", "x"), ("text", "   ", None)],
)  # fmt: skip
def test_what_was_typed_becomes_a_value(kind: str, text: str, value: Any) -> None:
    assert read_typed(FormField("a", "A", kind), text) == value


def test_the_summary_is_english_and_hides_secrets() -> None:
    fields = (
        FormField("n", "Name"),
        FormField("ok", "Agreed", "boolean"),
        FormField("c", "Colours", "multiselect", options=COLOURS),
        FormField("p", "Password", "secret"),
        FormField("e", "Empty"),
        FormField("l", "Long"),
    )
    values = {"n": "Ana", "ok": True, "c": ["r", "b"], "p": "hunter2", "l": "x" * 3000}
    lines = summary("Sign up", fields, values).splitlines()
    assert lines[:5] == [
        'Submitted "Sign up":',
        "- Name: Ana",
        "- Agreed: yes",
        "- Colours: Red, Blue",
        "- Password: (hidden)",
    ]
    assert lines[5] == "- Long: " + "x" * 2000
    assert len(lines) == 6


def test_a_secret_is_never_in_the_payload() -> None:
    payload = filled_in(read_payload(FORM), {"source": "new", "pass": "hunter2"})
    assert "hunter2" not in str(payload)
    by_name = {entry["name"]: entry for entry in payload["fields"]}
    assert by_name["pass"]["filled"] is True
    assert by_name["source"]["value"] == "new"
    assert "value" not in by_name["count"]


def test_a_chat_cannot_raise_what_a_definition_allows() -> None:
    definition = (FormField("n", "Number", "integer", most=5), FormField("x", "X"))
    asked = read_payload("fields: [{name: n, fieldType: text, max: 900, value: 7}, {name: other}]")
    (field,) = allowed_fields(asked, definition)
    assert (field.kind, field.most, field.value) == ("integer", 5, 7)
    assert check_all([field], {"n": 7}) == {"n": FieldError("most", 5)}


def test_an_unknown_type_of_field_is_shown_and_not_filled_in() -> None:
    (field,) = fields_of({"fields": [{"name": "a", "fieldType": "hologram", "value": "v"}]})
    assert (field.kind, field.read_only, field.value) == ("text", True, "v")


def test_the_form_that_comes_with_the_program_is_valid() -> None:
    form = read_definition(resource_path("forms", "passage.yaml"))
    assert (form.form_id, form.version, form.submit_label, form.wants_reply) == ("passage", 1, "Book", True)
    assert set(form.validate({})) == {"travellers", "leave"}
    assert form.validate({"travellers": 2, "leave": "at noon"}) == {}


def test_form_files_of_a_folder_are_known_and_broken_ones_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("formId: a\ntitle: First\nfields: [{name: x}]\n")
    (tmp_path / "b.yaml").write_text("formId: a\nformVersion: 2\ntitle: Second\n")
    (tmp_path / "bad.yaml").write_text("formId: [\n")
    (tmp_path / "wrong.yaml").write_text("formId: w\nfields: [{label: nameless}]\n")
    (tmp_path / "note.txt").write_text("no form")
    registry = known_forms(tmp_path, tmp_path / "missing", registered=[FormDefinition("own", 1, "Own", ())])
    assert [form.title for form in registry] == ["First", "Own", "Second"]
    newest = registry.get("a")
    assert newest is not None
    assert newest.version == 2
    assert registry.of({"formId": "a"}) == registry.get("a", 1)
    assert registry.of({"formId": "a", "formVersion": 9}) is None
    assert [path.name for path, _ in registry.problems] == ["bad.yaml", "wrong.yaml"]
    assert registry.problems[1][1] == "This form has an error at fields[0].name."


def test_an_empty_registry_has_nothing() -> None:
    assert list(FormRegistry()) == []
    assert FormRegistry().get("x") is None
