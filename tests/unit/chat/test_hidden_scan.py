"""The quick look at whether messages are hidden says what their records say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import facts
from tavern_desktop.chat.hidden_scan import FAR, count_shown, is_hidden
from tavern_desktop.chat.message import Message

values = st.sampled_from([True, False, None, 0, 1, "", "no", {"is_system": False}, '"is_system":false'])
records = st.dictionaries(st.sampled_from(["name", "mes", "is_user", "is_system", "extra", "a{b"]), values)


@given(records, st.booleans())
def test_it_says_what_the_record_says(record: dict[str, Any], spaced: bool) -> None:
    raw = json.dumps(record, separators=None if spaced else (",", ":")).encode()
    assert is_hidden(Message.read([raw])[0]) == facts.is_hidden(record)


@pytest.mark.parametrize(
    ("raw", "hidden"),
    [
        (b'{"mes":"' + b"x" * FAR + b'","is_system":true}', True),
        (b'{"mes":"\\"is_system\\":false","is_system":true}', True),
        (b'{"extra":{"is_system":false},"is_system":true}', True),
        (b'{"name":"is_system","is_system":true}', True),
    ],
)
def test_what_could_lead_astray(raw: bytes, hidden: bool) -> None:
    assert is_hidden(Message.read([raw])[0]) is hidden


def test_counting() -> None:
    texts = ['{"is_system":false,"mes":"a"}', '{"is_system":true,"mes":"b"}', '{"mes":"c"}']
    assert count_shown(Message.read([text.encode() for text in texts])) == 2
