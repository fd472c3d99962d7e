"""Alternatives left on disk: which records, what stays, what may not get lost. (The contract's vectors say more.)"""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.cold import ColdSwipeError, completed, is_eligible, projected
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.message import Message

RAW = b'{"mes": "a1", "n": 1.10, "swipe_id": 1, "swipes": ["a0", "a1", "a2"], "swipe_info": [{"i": 0}, {"i": 1}]}'


class Kept:
    """Records in a list, counting how often one is read."""

    def __init__(self, *records: bytes) -> None:
        self.records = records
        self.reads = 0

    def record(self, number: int) -> bytes:
        self.reads += 1
        return self.records[number]

    def completed(self, number: int, live: dict[str, Any]) -> bytes:
        return jsontext.encode(completed(live, jsontext.decode(self.record(number))))


def cold(raw: bytes = RAW) -> tuple[ColdMessage, Kept]:
    kept = Kept(raw)
    (message,) = Message.read([raw])
    return ColdMessage.projected(message, message.data(), kept, 0), kept


def test_what_is_seen_is_in_memory_and_the_rest_is_read_when_asked_for() -> None:
    message, kept = cold()
    assert message.seen_data() == {
        "mes": "a1", "n": 1.1, "swipe_id": 1, "swipes": [None, "a1", None], "swipe_info": [None, {"i": 1}],
    }  # fmt: skip
    assert kept.reads == 0
    assert message.raw == RAW
    assert message.data()["swipes"] == ["a0", "a1", "a2"]
    assert message.origin is None


def test_an_edit_of_what_is_seen_reads_nothing_and_loses_nothing() -> None:
    message, kept = cold()
    edited = message.saying_seen(message.seen_data() | {"mes": "new", "swipes": [None, "new", None]})
    assert kept.reads == 0
    assert (edited.key, edited.origin) == (message.key, RAW)
    assert edited.data() == message.data() | {"mes": "new", "swipes": ["a0", "new", "a2"]}
    assert edited != message


def test_editing_back_brings_the_bytes_of_the_file_back() -> None:
    message, _ = cold()
    edited = message.saying_seen(message.seen_data() | {"mes": "new", "message_id": "msg_1"})
    back = edited.saying_seen(edited.seen_data() | {"mes": "a1"})
    assert (back.raw, back) == (RAW, message)


def test_a_whole_edit_makes_a_whole_message_that_finds_back_too() -> None:
    message, kept = cold()
    other = message.saying(message.data() | {"swipe_id": 0, "mes": "a0"})
    reads = kept.reads
    assert other.data()["swipes"] == ["a0", "a1", "a2"]
    assert other.saying(message.data()).raw == RAW
    assert message.with_data(message.data()) is message
    assert kept.reads > reads  # only for the comparison
    assert type(other) is type(message.whole()) is Message


def test_the_same_record_under_another_key() -> None:
    message, kept = cold()
    other = message.with_key(7)
    assert (other.key, other.seen, type(other)) == (7, message.seen, ColdMessage)
    assert kept.reads == 0
    (warm,) = Message.read([RAW])
    assert warm.with_key(7) == Message(7, RAW)


@pytest.mark.parametrize(
    "change",
    [
        {"swipe_id": True},
        {"swipe_id": 1.0},
        {"swipes": ["a0", "a1", {"message": "a2"}]},
        {"swipe_info": [{}, {}, {}, {"left": "over"}]},
        {"tt_swipe_cold": None},
    ],
)
def test_an_odd_record_stays_in_memory(change: dict[str, Any]) -> None:
    assert is_eligible(jsontext.decode(RAW))
    assert not is_eligible(jsontext.decode(RAW) | change)


def test_alternatives_that_went_away_unread_are_refused() -> None:
    source = jsontext.decode(RAW)
    live = projected(source)
    for change, detail in (
        ({"swipes": None}, "shape"),
        ({"swipes": [None, "a1"], "swipe_info": {}}, "shape"),
        ({"swipes": ["a1"]}, "shrunk"),
        ({"swipes": [None, "a1", None, None]}, "null_slot"),
    ):
        with pytest.raises(ColdSwipeError) as caught:
            completed(live | change, source)
        assert caught.value.detail == detail
