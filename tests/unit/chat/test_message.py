"""Messages: their bytes are theirs, an edit makes another value with the same key, editing back is no change."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.message import ID_FIELD, Message
from tests.unit.strategies import OBJECTS, json_texts

LOOSE = b'{"mes" : "one", "n": 1.10, "big": 12345678901234567890123, "half": "\\ud83d", "u": "\\u00e9"}'


def read(*records: bytes) -> list[Message]:
    return Message.read(records)


def test_reading_keeps_the_bytes_and_gives_each_a_key_of_its_own() -> None:
    messages = read(LOOSE, LOOSE)
    assert [message.raw for message in messages] == [LOOSE, LOOSE]
    assert messages[0].key != messages[1].key
    assert messages[0].origin is None
    assert isinstance(messages[0], Message)


def test_keys_never_repeat_whoever_makes_the_message() -> None:
    keys = [message.key for message in [*read(b"{}"), Message.new({}), *read(b"{}", b"{}"), Message.new({})]]
    assert len(set(keys)) == 5


def test_data_is_decoded_afresh_so_that_it_may_be_changed() -> None:
    (message,) = read(LOOSE)
    message.data()["mes"] = "changed"
    assert message.data()["mes"] == "one"
    assert message.raw == LOOSE


@pytest.mark.parametrize("number", [1, 1.0, True])
def test_another_type_of_the_same_value_is_a_change(number: object) -> None:
    (message,) = read(b'{"n":1}')
    assert (message.with_data({"n": number}) is message) == (type(number) is int)


def test_the_same_data_in_another_order_is_no_change() -> None:
    (message,) = read(b'{"a":1,"b":2}')
    assert message.with_data({"b": 2, "a": 1}) is message


def test_an_edit_keeps_the_key_and_remembers_what_was_read() -> None:
    (message,) = read(LOOSE)
    edited = message.with_data(message.data() | {"mes": "two"})
    assert (edited.key, edited.origin) == (message.key, LOOSE)
    assert edited.data() == message.data() | {"mes": "two"}
    again = edited.with_data(edited.data() | {"mes": "three"})
    assert again.origin == LOOSE


def test_editing_back_brings_the_bytes_back_that_were_read() -> None:
    (message,) = read(LOOSE)
    edited = message.with_data(message.data() | {"mes": "two", ID_FIELD: "msg_1"})
    assert edited.with_data(edited.data() | {"mes": "one"}) == message


def test_an_id_that_was_read_is_part_of_what_was_read() -> None:
    (message,) = read(b'{"mes":"one", "message_id":"a"}')
    edited = message.with_data({"mes": "two", "message_id": "b"})
    back = edited.with_data({"mes": "one", "message_id": "b"})
    assert back.raw == b'{"mes":"one","message_id":"b"}'


@given(json_texts(), st.lists(OBJECTS, max_size=4))
def test_any_edits_and_back_give_the_bytes_that_were_read(record: bytes, edits: list[dict[str, Any]]) -> None:
    (message,) = read(record)
    edited = message
    for data in edits:
        edited = edited.with_data(data)
        assert jsontext.same(edited.data(), data) or ID_FIELD in data
    assert edited.with_data(message.data()).raw == record
