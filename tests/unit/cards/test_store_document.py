"""A chat as a YAML document, and back."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.cards.envelope import new_record
from tavern_desktop.cards.store_reading import Document, DocumentError, is_document, read_document
from tavern_desktop.cards.store_writing import write_document
from tavern_desktop.chat import jsontext
from tests.unit.cards.payloads import UNREADABLE, VALID

HEADER = b'{"chat_metadata":{"integrity":"x"},"user_name":"unused"}'

TEXTS = st.text(max_size=40) | st.sampled_from(
    ["", "\n", "a\n", "a\n\n", "\na", " a\nb", "a \nb", "a\n\tb", "'quotes' \"both\"", "a\r\nb", "\u2028",
     "\x85", "\ufeff",
     "\x7f", "- a\n- b", "a: b\n# c", "|", ">", "true", "007", "\ud83d\n", "月\n光", "a\n\nb\n", "---\n...", "%x\ny"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.builds(
    lambda data, escaped, spaced: _encoded(data, escaped=escaped, spaced=spaced),
    st.fixed_dictionaries(
        {"mes": TEXTS}, optional={"name": TEXTS, "is_user": st.booleans(), "extra": VALUES, "x": VALUES}
    ),
    st.booleans(),
    st.booleans(),
)


def _encoded(data: dict[str, Any], *, escaped: bool, spaced: bool) -> bytes:
    separators = (", ", ": ") if spaced else (",", ":")
    text = json.dumps(data, ensure_ascii=escaped, separators=separators)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=separators).encode()


def document_of(records: list[bytes], header: bytes | None = HEADER) -> str:
    return "".join(write_document("My chat", header, records))


def read(text: str) -> Document:
    return read_document(io.BytesIO(text.encode()))


@given(st.lists(RECORDS, max_size=4), st.booleans())
def test_every_record_comes_back_byte_for_byte(records: list[bytes], has_header: bool) -> None:
    header = HEADER if has_header else None
    text = document_of(records, header)
    found = read(text)
    assert (found.title, found.header, found.records) == ("My chat", header, records)
    again = document_of(found.records, found.header)
    assert _undated(again) == _undated(text)


def _undated(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith("exportedAt:")]


def test_it_can_be_read_by_people_and_other_readers() -> None:
    special = jsontext.encode(new_record(VALID["Form"]))
    hello = b'{"name":"U","is_user":true,"mes":"hello\\n\\nit\'s me"}'
    text = document_of([hello, special])
    assert (
        "  - kind: text\n    role: user\n    name: U\n    content: |-\n      hello\n\n      it's me\n    record: "
        in text
    )
    assert "  - kind: special\n    type: Form\n    id: c_form\n    payload: |\n      # a comment" in text
    loaded = yaml.safe_load(text)
    assert loaded["entries"][1]["payload"] == VALID["Form"]
    assert json.loads(loaded["entries"][0]["record"])["mes"] == "hello\n\nit's me"
    assert is_document(text.encode()[:4096])
    assert not is_document(b'{"chat_metadata":{}}')


def test_what_was_changed_by_hand_wins() -> None:
    records = [
        b'{"name":"U","is_user":true,"mes":"hello","x":1.0}',
        b'{"name":"M","mes":"one","swipes":["one","two"],"swipe_id":0,"swipe_info":[{},{}]}',
        jsontext.encode(new_record(VALID["Table"])),
    ]
    text = document_of(records).replace("content: hello", "content: changed").replace("content: one", "content: first")
    text = text.replace("cell-two-8f1, 2]\n      ", "cell-two-8f1, 3]\n      ")
    found = [jsontext.decode(record) for record in read(text).records]
    assert found[0] == {"name": "U", "is_user": True, "mes": "changed", "x": 1.0}
    assert (found[1]["mes"], found[1]["swipes"]) == ("first", ["first", "two"])
    assert "cell-two-8f1, 3]" in found[2]["extra"]["tavern_desktop"]["card"]["yaml"]


def test_entries_without_records_become_new_messages() -> None:
    text = "format: chat-store\nversion: 1\nentries:\n"
    text += "  - {kind: text, role: user, name: U, content: hello}\n  - {kind: text, role: assistant, content: hi}\n"
    text += "  - kind: special\n    payload: |\n" + "".join(f"      {line}\n" for line in VALID["Table"].splitlines())
    found = read(text)
    assert found.header is None
    user, reply, table = (jsontext.decode(record) for record in found.records)
    assert (user["is_user"], user["name"], user["mes"]) == (True, "U", "hello")
    assert (reply["is_user"], reply["swipes"]) == (False, ["hi"])
    assert table["mes"] == "[Table shown: Cargo list, 3 rows]"


def test_payloads_that_nobody_understands_go_both_ways() -> None:
    record = new_record(VALID["Table"])
    record["extra"]["tavern_desktop"]["card"] |= {"yaml": UNREADABLE, "id": 7}
    raw = jsontext.encode(record)
    assert read(document_of([raw])).records == [raw]


GOOD = "format: chat-store\nversion: 1\n"
TEXT = "  - {kind: text, role: user, content: x}\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("format: other\nversion: 1\n", "This is no chat-store document."),
        ("format: chat-store\nversion: 2\n", "This document is of version 2, which is newer than this program knows."),
        ("format: chat-store\n", "The document does not say its version."),
        ("- a\n", "The payload must be a mapping."),
        (f"{GOOD}entries: x\n", "The entries are no list."),
        (f"{GOOD}entries:\n{TEXT}  - text\n", "Entry 1: it is no mapping."),
        (
            f"{GOOD}entries:\n{TEXT}  - {{kind: dance}}\n",
            "Entry 1: its kind 'dance' is not known, and it has no record.",
        ),
        (f"{GOOD}entries:\n  - {{kind: text, role: king, content: x}}\n", "Entry 0: its role 'king' is none of "),
        (f"{GOOD}entries:\n  - {{kind: text, role: user, content: 7}}\n", "Entry 0: its content is no text."),
        (f"{GOOD}entries:\n  - {{kind: text, record: '[]'}}\n", "Entry 0: the record is no JSON object."),
        (f"{GOOD}entries:\n  - {{kind: text, record: '{{', content: x}}\n", "Entry 0: the record is no JSON object."),
        (f"{GOOD}header: '[1]'\n", "the header is no JSON object."),
        (f"{GOOD}entries:\n{TEXT}  - &a {{kind: text}}\n", "Entry 1: Anchors and aliases are not allowed"),
        (f"{GOOD}entries:\n  - !!map {{kind: text}}\n", "Entry 0: Tags and directives are not allowed"),
        (f"{GOOD}entries:\n  - {{kind: text, kind: text}}\n", "Entry 0: A key stands twice in one mapping"),
        (f"{GOOD}entries:\n{TEXT}  - {{\n", "Entry 1: This is not valid YAML"),
        (f"{GOOD}version: 1\n", "A key stands twice"),
        (f"{GOOD}---\na: 1\n", "There must be one document only."),
        (f"{GOOD}entries:\n  - {'[' * 30}\n", "Entry 0: The payload is nested too deeply"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_entry(text: str, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(text)
    assert caught.value.sentence.startswith(sentence)


def test_an_entry_of_an_unknown_kind_is_kept_by_its_record() -> None:
    found = read(f"{GOOD}entries:\n  - {{kind: dance, record: '{{\"mes\": 1.0}}'}}\n")
    assert found.records == [b'{"mes": 1.0}']
