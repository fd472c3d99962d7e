"""Ids in records: read without parsing where that is exact, and each in one file once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.identity import effective_ids, id_of, stored_id
from tavern_desktop.chat.message import ID_FIELD
from tests.unit.strategies import TEXTS, VALUES

IDS = st.sampled_from(["msg_0", "msg_1"]) | VALUES
RECORDS = st.dictionaries(TEXTS | st.sampled_from([ID_FIELD, "extra"]), IDS | st.fixed_dictionaries({ID_FIELD: IDS}))


@given(RECORDS, st.booleans())
def test_an_id_is_found_wherever_it_stands(record: dict[str, object], is_loose: bool) -> None:
    raw = json.dumps(record).encode() if is_loose else jsontext.encode(record)
    assert stored_id(raw) == id_of(record)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"mes":"\\"message_id\\":\\"msg_0\\"}"}',
        b'{"mes":"a","extra":{"x":1,"message_id":"msg_0"}}',
        b'{"mes":"a","x":[{"y":1,"message_id":"msg_0"}]}',
        b'{"mes":"a","message_id":""}',
        b'{"mes":"a","message_id":7}',
        b'{"mes":"a","message_id":"msg_0","message_id":null}',
    ],
)
def test_what_only_looks_like_an_id_is_none(raw: bytes) -> None:
    assert stored_id(raw) is None


def test_an_id_with_escapes_is_read_as_it_is_meant() -> None:
    assert stored_id(b'{"mes":"a","message_id":"\\u0061b"}') == "ab"
    assert stored_id('{"mes":"a","message_id":"é"}'.encode()) == "é"


def test_the_first_of_equal_ids_keeps_it() -> None:
    records = [b'{"message_id":"a"}', b"{}", b'{"mes":"x","message_id":"a"}', b'{"mes":"","message_id":"b"}']
    assert effective_ids(records) == ["a", None, None, "b"]
