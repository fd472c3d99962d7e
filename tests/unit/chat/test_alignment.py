"""Telling which message is which without ids, where the vectors do not reach."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.content import all_equal, canonical
from tavern_desktop.chat.identity import stored_id
from tavern_desktop.chat.likeness import LARGEST_GAP, MOST_COMPARISONS
from tavern_desktop.chat.merge import merge_three_way
from tavern_desktop.chat.message import Message
from tests.unit.chat.merge_sides import Writer, encoded
from tests.unit.strategies import OBJECTS, json_texts


class _Decoding:
    """Counts how many records are parsed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self._decode = jsontext.decode
        monkeypatch.setattr(jsontext, "decode", self)

    def __call__(self, raw: bytes) -> dict[str, Any]:
        self.count += 1
        return self._decode(raw)


@pytest.fixture
def decoding(monkeypatch: pytest.MonkeyPatch) -> _Decoding:
    return _Decoding(monkeypatch)


def test_records_equal_byte_for_byte_are_never_parsed(decoding: _Decoding) -> None:
    writer = Writer(1)
    base = encoded(writer.record() for _ in range(2000))
    other = [
        base[0].replace(b"Mira", b"Mina"),
        *base[1:900],
        *base[910:1500],
        *encoded([writer.record()]),
        *base[1500:],
    ]
    found = align(base, other)
    assert found.deleted == list(range(900, 910))
    assert found.inserted == [1490]
    assert found.pairs[0] == (0, 0)
    assert decoding.count < 100


def test_a_merge_parses_what_changed_and_no_more(decoding: _Decoding) -> None:
    writer = Writer(2)
    base = Message.read(encoded(writer.record() for _ in range(2000)))
    disk = [message.raw for message in base]
    disk[100] = disk[100].replace(b"Mira", b"Mina")
    disk[1900:] = encoded(writer.record() for _ in range(5)) + disk[1900:]
    memory = [base[5].with_data(writer.record()) if index == 5 else message for index, message in enumerate(base)]
    result = merge_three_way(base, disk, memory, ())
    assert len(result.messages) == 2005
    assert decoding.count < 60


def test_the_cost_of_comparing_texts_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Writer(3)
    compared = 0

    def is_like(self: object, other: object) -> bool:
        nonlocal compared
        compared += 1
        return False

    monkeypatch.setattr("tavern_desktop.chat.likeness.Texts.is_like", is_like)
    small = LARGEST_GAP
    found = align(*(encoded(writer.bare_record() for _ in range(small)) for _ in range(2)))
    assert not found.pairs
    assert compared == MOST_COMPARISONS
    compared = 0
    align(*(encoded(writer.bare_record() for _ in range(small + 1)) for _ in range(2)))
    assert compared == small + 1


def test_a_program_that_respells_everything_changes_nothing() -> None:
    writer = Writer(4)
    records = [writer.record(n=1, more={"b": 1, "a": "ü"}) for _ in range(20)]
    loose = [json.dumps(dict(reversed(record.items())), indent=1).encode() for record in records]
    assert all_equal(encoded(records), loose)
    assert align(encoded(records), loose).pairs == [(index, index) for index in range(20)]


@given(OBJECTS, OBJECTS)
def test_equal_canonical_texts_are_equal_values(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert (canonical(one) == canonical(other)) == jsontext.same(one, other)


def test_equal_content_in_another_spelling_is_paired_where_the_text_itself_is_in_both() -> None:
    one, same = b'{"a":1,"b":2}', b'{"b":2,"a":1}'
    found = align([one, b"{}", same, one], [same, one, b"{}", one, b"{}"])
    assert not found.deleted
    assert len(found.inserted) == 1


@given(st.lists(json_texts(), max_size=12), st.lists(json_texts(), max_size=12), st.data())
def test_every_record_is_paired_at_most_once(one: list[bytes], more: list[bytes], data: st.DataObject) -> None:
    other = data.draw(st.permutations(one + more))
    found = align(one, other)
    assert len({partner for _, partner in found.pairs}) == len(found.pairs)
    assert sorted([index for index, _ in found.pairs] + found.deleted) == list(range(len(one)))
    assert sorted([partner for _, partner in found.pairs] + found.inserted) == list(range(len(other)))
    assert not found.deleted, "every record of the one is somewhere in the other"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ('{"mes":"a","message_id":"msg_1"}', "msg_1"),
        ('{"message_id" : "msg_1", "mes": "a"}', "msg_1"),
        ('{"mes":"a","message_id":"msg_\\u0031"}', "msg_1"),
        ('{"extra":{"message_id":"msg_1"}}', None),
        ('{"mes":"x\\",\\"message_id\\":\\"msg_1\\"}"}', None),
        ('{"extra":{"a":1,"message_id":"msg_1"}}', None),
        ('{"message_id":""}', None),
        ('{"message_id":7}', None),
        ('{"mes":"\\"message_id\\":\\"msg_1\\"}"}', None),
        ('{"message_id":"msg_1","mes":"a","message_id":"msg_2"}', "msg_2"),
    ],
)
def test_an_id_counts_only_as_a_field_of_the_record_itself(record: str, expected: str | None) -> None:
    assert stored_id(record.encode()) == expected
