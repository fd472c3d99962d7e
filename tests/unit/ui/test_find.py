"""Search over the raw bytes of a chat finds what a person would find in its texts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.ui.chat.find import find_in_text, find_messages, next_hit

TYPED = st.characters(exclude_categories=("Cc", "Cs"))
"""What a person can type."""


def raw(text: str, *, ascii_only: bool = False, **more: object) -> bytes:
    return json.dumps({"name": "A", "mes": text, **more}, ensure_ascii=ascii_only).encode("utf-8", "backslashreplace")


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("The Heron knows", "heron"),
        ('say "hello" now', 'SAY "hello"'),
        ("one\ntwo", "one\ntwo"),
        ("back\\slash", "k\\s"),
        ("湖底的鐘聲", "鐘聲"),
        ("Straße", "STRASSE"),
        ("strasse", "straße"),
        ("ΟΔΟΣ", "οδος"),
        ("Привет", "привет"),
        ("cafe\u0301", "café"),
        ("café", "cafe\u0301"),
        ("one \n two", "one two"),
        ("今夜の東京タワー", "東京"),
        ("so it is", "is"),
        ("🦊 fox", "🦊"),
    ],
)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_what_is_found(text: str, needle: str, ascii_only: bool) -> None:
    assert find_messages([raw("other"), raw(text, ascii_only=ascii_only)], needle) == [1]
    assert find_in_text(text, needle)


def test_only_the_text_that_is_shown_counts() -> None:
    assert (
        find_messages([raw("a", swipes=["a", "needle"], extra={"reasoning": "needle"}, title="needle")], "needle") == []
    )


def test_an_escape_is_no_letter() -> None:
    assert find_messages([raw("line\next")], "next") == []
    assert find_messages([raw("line\nnext")], "next") == [0]


@pytest.mark.parametrize(
    "record",
    [
        b'{"extra":{"mes":"nested","x":"y"},"mes":"needle","a":"b"}',
        b'{"mes": "with a blank needle", "a": "b"}',
        b'{"a":"b","mes":"needle"}',
        b'{"name":"{","mes":"needle","a":"b"}',
        b'{"mes":"","swipes":["needle"],"swipe_id":5}',
        b'{"mes":"say \\"x\\",\\"needle","a":"b"}',
        b'{"mes":"needle \\ud800","a":"b"}',
    ],
)
def test_records_written_in_other_ways(record: bytes) -> None:
    assert find_messages([record], "needle") == [0]


def test_exact_case() -> None:
    raws = [raw("Heron"), raw("heron")]
    assert find_messages(raws, "heron", exact_case=True) == [1]
    assert find_in_text("Heron heron", "heron", exact_case=True) == [(6, 11)]


def test_nothing_is_searched_for_nothing() -> None:
    assert find_messages([raw("a")], "") == []
    assert find_in_text("a", "") == []


def test_it_stops_when_nobody_wants_it_any_more() -> None:
    assert find_messages([raw("a")] * 10, "a", cancelled=lambda: True) == []


def test_offsets_where_folding_lengthens() -> None:
    text = "Maß Straße"
    assert [text[start:end] for start, end in find_in_text(text, "straße")] == ["Straße"]
    assert [text[start:end] for start, end in find_in_text(text, "ss")] == ["ß", "ß"]


@given(st.text(TYPED, max_size=40), st.text(TYPED, min_size=1, max_size=3))
def test_the_quick_look_lets_nothing_slip(text: str, needle: str) -> None:
    expected = [0] if find_in_text(text, needle) else []
    assert find_messages([raw(text)], needle) == expected
    if "\u212a" not in text:  # the Kelvin sign, which nobody writes as an escape
        assert find_messages([raw(text, ascii_only=True)], needle) == expected


@given(st.text(TYPED, max_size=40), st.text(TYPED, min_size=1, max_size=3))
def test_occurrences_say_what_was_looked_for(text: str, needle: str) -> None:
    for start, end in find_in_text(text, needle):
        assert find_in_text(text[start:end], needle) == [(0, end - start)]


@pytest.mark.parametrize(("at", "step", "expected"), [(5, 1, 9), (9, 1, 2), (5, -1, 2), (2, -1, 9), (1, -1, 9)])
def test_the_next_hit_wraps_around(at: int, step: int, expected: int) -> None:
    assert next_hit([2, 9], at, step) == expected
    assert next_hit([], at, step) is None
