"""Payloads: read within limits, judged field by field, written so that any reader takes them alike."""

from __future__ import annotations

import contextlib
import tracemalloc
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.cards.errors import SENTENCES, PayloadError
from tavern_desktop.cards.payload import parse, workflow_status
from tavern_desktop.cards.phrase import phrase
from tavern_desktop.cards.yaml_reading import MOST_BYTES, read_payload, read_value
from tavern_desktop.cards.yaml_writing import write_payload

HEAD = "type: Table\nid: t1\n"

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["yes", "No", "~", "null", "007", "0x1F", "1_000", "12:30", "2026-01-01", ".nan", "1e3", "-", "a: b", "a #b", " x",
     "<<", "=", "!x", "&a", "*a", "%", "@", "`", "|", ">", "'", '"', "?", "- a", "\u2028", "\x85", "\ufeff", "{", "[]"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
TREES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXTS.filter(lambda key: key != "<<"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS.filter(lambda key: key != "<<"), TREES, max_size=5))
def test_what_is_written_is_read_again_as_it_was(tree: dict[str, Any]) -> None:
    payload = {"type": "Table", "id": "t1"} | {key: value for key, value in tree.items() if key not in ("type", "id")}
    text = write_payload(payload)
    assert _typed(read_payload(text)) == _typed(payload)
    # A reader of YAML 1.1 takes every text for a text, too.
    assert _texts(yaml.load(text, Loader=yaml.CSafeLoader)) == _texts(payload)


def _typed(value: Any) -> Any:
    """1, 1.0 and True are different values here."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_typed(item) for item in value]
    return (type(value), value)


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return value if isinstance(value, str) else None


def test_keys_are_written_in_the_order_of_the_schema_and_unknown_ones_behind_them() -> None:
    text = write_payload({"glow": True, "rows": [[1]], "id": "t1", "columnNames": ["x"], "type": "Table", "title": "T"})
    assert text == "type: Table\nid: t1\ntitle: T\ncolumnNames:\n  - x\nrows:\n  -\n    - 1\nglow: true\n"


@pytest.mark.parametrize(
    ("yaml_text", "path"),
    [
        ("columnNames: [x]\nrows: [[1], [{}]]\n", "rows[1][0]"),
        ("columnNames: [x]\nrows: [[1], [2]]\ntotalRowCount: 1\n", "totalRowCount"),
        ("columnNames: [x]\nmaxPreviewRows: 0\n", "maxPreviewRows"),
        ("rows: []\n", "columnNames"),
        ("columnNames: [x]\ntitle: 3\n", "title"),
        ("columnNames: [x]\ncreatedAt: yesterday\n", "createdAt"),
        ("rows: nothing\ncolumnNames: nothing\n", "rows"),
    ],
)
def test_the_first_field_that_is_wrong_is_named(yaml_text: str, path: str) -> None:
    outcome = parse(HEAD + yaml_text)
    assert (outcome.state, outcome.path) == ("degraded", path)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ("- {name: a}\n- {name: a}", "fields[1].name"),
        ("- {name: a, fieldType: secret, value: x}", "fields[0].value"),
        ("- {name: a, fieldType: secret, filled: true}", None),
        ("- {name: a, fieldType: select}", "fields[0].options"),
        ("- {name: a, fieldType: select, options: [1, {value: 2, label: two}]}", None),
        ("- {name: a, fieldType: multiselect, options: [x], value: [x]}", None),
        ("- {name: a, value: [x]}", "fields[0].value"),
        ("- {name: a, fieldType: hologram, value: x}", None),
        ("- {name: a, fieldType: file, value: /etc/passwd}", "fields[0].value"),
        ("- {name: a, fieldType: file, value: user/files/x.csv}", None),
        ("- {label: nameless}", "fields[0].name"),
    ],
)
def test_fields_of_forms(fields: str, path: str | None) -> None:
    assert parse(f"type: Form\nid: f1\nformId: x\nfields:\n{fields}\n").path == path


def test_a_submitted_form_says_when() -> None:
    form = "type: Form\nid: f1\nformId: x\nstatus: submitted\n"
    assert parse(form).path == "submittedAt"
    assert parse(f"{form}submittedAt: '2026-10-12T08:00:00Z'\n").state == "full"


@pytest.mark.parametrize(
    ("mappings", "path"),
    [
        ("[{required: X, column: null, confidence: 0.5}]", None),
        ("[{required: Y}]", "mappings[0].required"),
        ("[{required: X, column: gone}]", "mappings[0].column"),
        ("[{required: X}, {required: X}]", "mappings[1].required"),
        ("[{required: X, confidence: 2}]", "mappings[0].confidence"),
    ],
)
def test_column_matches(mappings: str, path: str | None) -> None:
    text = f"type: ColumnMatch\nid: c1\nrequiredColumns: [X]\npreviewColumns: [{{name: col}}]\nmappings: {mappings}\n"
    assert parse(text).path == path


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], "pending"),
        (["done", "skipped"], "done"),
        (["done", None], "pending"),
        (["done", "running"], "running"),
        (["running", "failed"], "failed"),
    ],
)
def test_a_workflow_s_status_follows_from_its_steps(states: list[str | None], status: str) -> None:
    assert workflow_status({"steps": [{"title": "s", "status": state} for state in states]}) == status
    assert workflow_status({"status": "cancelled", "steps": []}) == "cancelled"


HOSTILE = {
    "alias bomb": "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(50)),
    "deep brackets": "x: " + "[" * 20_000,
    "deep blocks": "".join("  " * n + "a:\n" for n in range(200)),
    "just too much": "x: " + "y" * MOST_BYTES,
    "commas": "x: [" + "," * 250_000 + "]",
    "short scalars": "x:\n" + "- a\n" * 65_000,
    "tag": "x: !!python/object/apply:os.system [ls]\n",
    "duplicates": "a: 1\n" * 5_000,
    "cyclic": "a: &a\n  b: *a\n",
    "long key": "k" * 200 + ": 1\n",
    "long number": "n: " + "9" * 60_000 + "\n",
    "NULs": "\0" * 1000,
    "directive": "%YAML 1.1\n---\na: 1\n",
    "colons": ":" * 200_000,
    "quotes": '"' * 200_000,
    "surrogate": "a: \ud83d\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_nothing_hostile_costs_much(name: str) -> None:
    tracemalloc.start()
    with contextlib.suppress(PayloadError):
        read_value(HOSTILE[name])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


def word_for(text: str) -> str:
    try:
        read_value(text)
    except PayloadError as error:
        return error.detail
    return "read"


def test_hostile_payloads_are_refused_with_their_own_word() -> None:
    assert {name: word_for(text) for name, text in HOSTILE.items()} == {
        "alias bomb": "alias",
        "deep brackets": "yaml",
        "deep blocks": "too_deep",
        "just too much": "too_large",
        "commas": "yaml",
        "short scalars": "too_many_nodes",
        "tag": "tag",
        "duplicates": "duplicate_key",
        "cyclic": "alias",
        "long key": "bad_key",
        "long number": "read",
        "NULs": "yaml",
        "directive": "tag",
        "colons": "yaml",
        "quotes": "yaml",
        "surrogate": "yaml",
    }


def test_an_error_says_where() -> None:
    with pytest.raises(PayloadError) as caught:
        read_payload("a: 1\nb: 2\na: 3\n")
    assert (caught.value.detail, caught.value.line, caught.value.column) == ("duplicate_key", 3, 1)
    assert caught.value.sentence == "A key stands twice in one mapping (line 3, column 1)."
    assert len(SENTENCES) == 12


def test_no_value_of_a_payload_is_in_its_phrase() -> None:
    assert phrase({"type": "Table", "id": "secret-id", "rows": [["secret"]], "title": "T"}) == "[Table shown: T, 1 row]"
    assert phrase({"type": "Table", "id": "t", "rows": []}) == "[Table shown, 0 rows]"
    assert phrase(None) == "[Card]"


@pytest.mark.parametrize("value", ["\ud83d", float("nan"), float("inf"), object()])
def test_what_yaml_cannot_express_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="cannot"):
        write_payload({"type": "Table", "id": "t", "x": value})
