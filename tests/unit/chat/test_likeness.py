"""Which records with different content are taken for one message, and which never are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.content import Digests
from tavern_desktop.chat.likeness import LARGEST_GAP
from tests.unit.chat.merge_sides import Writer, changed_records, encoded, scripts

TINY_RECORDS = st.fixed_dictionaries(
    {"mes": st.sampled_from(["", "ok", "yes, do", "the old pier at noon", "the new pier at noon"])},
    optional={
        "is_user": st.booleans(),
        "name": st.sampled_from(["A", "B", None]),
        "send_date": st.sampled_from([1, 1.0, "1"]),
        "message_id": st.sampled_from(["msg_1", "msg_2", ""]),
        "swipes": st.lists(st.sampled_from(["ok", "no", 5]), max_size=2),
        "role": st.just("tool"),
    },
)
LISTS = st.lists(TINY_RECORDS, max_size=9)


def _pairs(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return align(encoded(base), encoded(other)).pairs


@given(LISTS, LISTS)
def test_no_content_is_left_on_both_sides(base: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    mine, theirs = encoded(base), encoded(other)
    found = align(mine, theirs)
    digests = Digests()
    left = {digests[mine[index]] for index in found.deleted} & {digests[theirs[index]] for index in found.inserted}
    assert not left


@given(st.integers(0, 50), scripts())
def test_edits_additions_deletions_and_moves_are_seen_through(
    seed: int, script: list[tuple[str, float, float]]
) -> None:
    writer = Writer(seed)
    base = [writer.record(mark=index) for index in range(8)]
    other = changed_records(base, script, writer)
    for index, partner in _pairs(base, other):
        assert other[partner].get("mark") == base[index]["mark"]
    found = align(encoded(base), encoded(other))
    gone = {index for index, record in enumerate(base) if record["mark"] not in {r.get("mark") for r in other}}
    assert set(found.deleted) == gone


def test_records_with_different_ids_are_never_one_message() -> None:
    base = [{"mes": "the same words", "name": "A", "message_id": "msg_1"}]
    other = [{"mes": "the same words", "name": "A", "message_id": "msg_2"}]
    assert _pairs(base, other) == []
    assert _pairs(base, [{"mes": "the same words", "name": "A"}]) == [(0, 0)]


def test_roles_keep_apart_but_hiding_does_not() -> None:
    text = "the ferry leaves at noon"
    base = [{"mes": text, "send_date": 1, "is_system": False}]
    assert _pairs(base, [{"mes": text + "!", "send_date": 2, "is_system": True}]) == [(0, 0)]
    assert _pairs(base, [{"mes": text + "!", "send_date": 2, "is_user": True}]) == []
    assert _pairs(base, [{"mes": text + "!", "send_date": 2, "role": "tool", "is_system": True}]) == []


def _gap(count: int, tail: str) -> list[dict[str, Any]]:
    return [{"mes": f"{index:05} leaves the old pier{tail}", "send_date": f"{index}{tail}"} for index in range(count)]


def test_in_a_large_gap_only_the_kth_is_compared_with_the_kth() -> None:
    size = LARGEST_GAP + 1
    base, other = _gap(size, ""), _gap(size, " again")
    assert _pairs(base, other) == [(index, index) for index in range(size)]
    before = {"mes": "nothing of that kind", "send_date": "first"}
    assert _pairs(base, [before, *other]) == [(index, index) for index in range(1, size)]


@pytest.mark.parametrize(
    ("text", "other", "are_one"),
    [
        ("", "", True),
        ("", "a", False),
        ("ab", "ab", True),
        ("ab", "abc", False),
        ("abcdefgh", "abcdefxx", True),
        ("abcdefgh", "abcdexxx", False),
        ("x" * 1000 + "the rest", "x" * 1000 + "is not looked at", True),
    ],
)
def test_texts_are_similar_from_six_tenths_of_their_pieces(text: str, other: str, are_one: bool) -> None:
    records = [{"mes": text, "send_date": 1, "swipes": [1]}, {"mes": other, "send_date": 2}]
    assert bool(_pairs(records[:1], records[1:])) == are_one


def test_a_swiped_answer_still_lists_the_old_one() -> None:
    base = [{"mes": "the old answer", "send_date": 1}]
    assert _pairs(base, [{"mes": "quite another", "send_date": 2, "swipes": ["the old answer", None]}]) == [(0, 0)]
    assert _pairs(base, [{"mes": "quite another", "send_date": 2, "swipes": "the old answer"}]) == []


def test_a_missing_name_or_date_is_a_value_of_its_own() -> None:
    base = [{"mes": "what was said", "name": None}, {"mes": "and what was not"}]
    other = [{"mes": "###"}, {"mes": "§§§", "name": None}]
    assert _pairs(base, other) == [(0, 1), (1, 0)]
    assert _pairs([{"mes": "1", "send_date": 1}], [{"mes": "2", "send_date": 1.0}]) == []
