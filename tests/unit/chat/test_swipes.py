"""Alternatives: choosing, adding and deleting keep text and side data together, and lose nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tavern_desktop.chat import facts, swipes
from tests.unit.chat.odd_records import odd_records

Record = dict[str, Any]
NOW = "2026-02-01T00:00:00.000Z"


def reply(*texts: str, current: int = 0) -> Record:
    """A reply as SillyTavern writes it, each alternative with side data of its own."""
    info = [
        {"send_date": f"d{n}", "gen_started": f"s{n}", "gen_finished": f"f{n}", "extra": {"reasoning": f"r{n}"}}
        for n in range(len(texts))
    ]
    shown = copy.deepcopy(info[current])
    return {"name": "Mira", "mes": texts[current], "swipes": list(texts), "swipe_id": current, **shown} | {
        "swipe_info": info,
        "zz": {"a": [1]},
    }


def assert_paired(data: Record) -> None:
    """Assert that the message shows its slot, text and side data."""
    at = data["swipe_id"]
    assert data["mes"] == facts.slot_text(data["swipes"][at])
    entry = data["swipe_info"][at] or {}
    for field in ("gen_started", "gen_finished"):
        assert data.get(field) == entry.get(field) or field not in data
    if isinstance(entry.get("extra"), dict) and isinstance(data.get("extra"), dict):
        assert data["extra"] == entry["extra"]
    assert len(data["swipe_info"]) >= len(data["swipes"])


def test_choosing_brings_text_dates_and_extra_of_the_slot() -> None:
    data = swipes.select(reply("x", "y", "z"), 2)
    assert (data["mes"], data["swipe_id"], data["send_date"], data["gen_started"]) == ("z", 2, "d2", "s2")
    assert data["extra"] == {"reasoning": "r2"}
    assert data["zz"] == {"a": [1]}


def test_what_was_shown_goes_into_its_slot_first() -> None:
    data = reply("x", "y") | {"mes": "edited elsewhere", "extra": {"reasoning": "new", "token_count": 3}}
    data = swipes.select(data, 1)
    assert data["swipes"][0] == "edited elsewhere"
    assert data["swipe_info"][0]["extra"] == {"reasoning": "new", "token_count": 3}
    assert swipes.select(data, 0)["mes"] == "edited elsewhere"


def test_there_and_back_is_the_same() -> None:
    data = reply("x", "y", "z", current=1)
    assert swipes.select(swipes.select(data, 2), 1) == data


def test_choosing_what_is_shown_changes_nothing() -> None:
    data = reply("x", "y") | {"swipe_id": "0"}
    assert swipes.select(data, 0) is data
    plain = {"mes": "x"}
    assert swipes.select(plain, 0) is plain


@pytest.mark.parametrize("index", [-1, 2, 7])
def test_an_alternative_that_does_not_exist(index: int) -> None:
    with pytest.raises(IndexError):
        swipes.select(reply("x", "y"), index)
    with pytest.raises(IndexError):
        swipes.delete(reply("x", "y"), index)


@pytest.mark.parametrize("info", ["absent", None, [], [{"extra": {"reasoning": "r0"}}], [None, None, None]])
def test_missing_side_data_is_unknown_and_the_texts_are_all_there(info: Any) -> None:
    data: Record = {
        "mes": "x",
        "send_date": "d",
        "extra": {"reasoning": "r0"},
        "swipes": ["x", "y", "z"],
        "swipe_id": 0,
    }
    if info != "absent":
        data["swipe_info"] = info
    chosen = swipes.select(data, 1)
    assert (chosen["mes"], chosen["send_date"], chosen["extra"]) == ("y", "d", {})
    assert chosen["swipe_info"][0]["extra"] == {"reasoning": "r0"}
    assert swipes.select(chosen, 0)["extra"] == {"reasoning": "r0"}


def test_a_narrator_stays_a_narrator_where_the_slot_says_nothing() -> None:
    data = {"mes": "x", "extra": {"type": "narrator", "reasoning": "r"}, "swipes": ["x", "y"], "swipe_id": 0}
    chosen = swipes.select(data, 1)
    assert chosen["extra"] == {"type": "narrator"}
    assert facts.kind(swipes.add(data, "z", send_date=NOW)) == "narrator"


def test_the_text_of_an_index_out_of_range_becomes_one_more_alternative() -> None:
    data = swipes.settled({"mes": "c", "swipes": ["a", "b"], "swipe_id": 7, "extra": {"reasoning": "rc"}})
    assert (data["swipes"], data["swipe_id"]) == (["a", "b", "c"], 2)
    assert data["swipe_info"][2] == {"extra": {"reasoning": "rc"}}
    assert swipes.select(data, 0)["swipes"] == ["a", "b", "c"]


def test_a_swipe_broken_off_before_its_text_goes_back_to_the_last_one() -> None:
    data = reply("x", "y") | {"mes": "", "swipe_id": 2, "extra": {}, "gen_started": "later"}
    settled = swipes.settled(data)
    assert (settled["mes"], settled["swipe_id"], settled["swipes"]) == ("y", 1, ["x", "y"])
    assert settled["extra"] == {"reasoning": "r1"}
    assert settled["gen_started"] == "s1"


def test_a_pristine_greeting_keeps_its_macros() -> None:
    data = reply("Hello {{user}}", "Good day, {{user}}") | {"mes": "Hello Ana"}
    chosen = swipes.select(data, 1, pristine=True)
    assert chosen["mes"] == "Good day, {{user}}"
    assert swipes.select(chosen, 0, pristine=True)["mes"] == "Hello {{user}}"
    assert swipes.select(data, 1)["swipes"][0] == "Hello Ana"


@pytest.mark.parametrize(("shown", "count", "deleted", "expected"), [(0, 2, 0, 0), (0, 9, 0, 0), (5, 9, 5, 5)])
def test_deleting_the_shown_one_lets_the_next_move_in(shown: int, count: int, deleted: int, expected: int) -> None:
    texts = [str(number) for number in range(count)]
    data = swipes.delete(reply(*texts, current=shown), deleted)
    assert (data["swipe_id"], data["mes"], len(data["swipes"])) == (expected, str(deleted + 1), count - 1)
    assert data["extra"] == {"reasoning": f"r{deleted + 1}"}


def test_deleting_the_last_one_shown_shows_the_new_last() -> None:
    data = swipes.delete(reply("x", "y", "z", current=2), 2)
    assert (data["swipe_id"], data["mes"], data["extra"]) == (1, "y", {"reasoning": "r1"})


def test_deleting_another_one_leaves_the_shown_one_shown() -> None:
    before = swipes.delete(reply("x", "y", "z", current=1), 0)
    after = swipes.delete(reply("x", "y", "z", current=1), 2)
    assert (before["swipe_id"], before["mes"], before["extra"]) == (0, "y", {"reasoning": "r1"})
    assert (after["swipe_id"], after["mes"], after["extra"]) == (1, "y", {"reasoning": "r1"})


def test_text_and_reasoning_stay_together_through_deletions() -> None:
    data = swipes.delete(reply("x", "y", "z", current=1), 0)
    data = swipes.delete(data, data["swipe_id"])
    assert (data["mes"], data["extra"], data["swipes"]) == ("z", {"reasoning": "r2"}, ["z"])


def test_variables_of_each_swipe_go_with_it() -> None:
    data = reply("x", "y", "z") | {"variables": [{"n": 0}, {"n": 1}, {"n": 2}]}
    assert swipes.delete(data, 1)["variables"] == [{"n": 0}, {"n": 2}]


def test_the_only_one_cannot_be_deleted() -> None:
    with pytest.raises(ValueError, match="only"):
        swipes.delete({"mes": "x"}, 0)


def test_adding_to_a_message_that_never_had_any() -> None:
    data = swipes.add({"mes": "x", "send_date": "d", "extra": {"reasoning": "r"}}, "y", send_date=NOW)
    assert (data["swipes"], data["swipe_id"], data["mes"], data["extra"]) == (["x", "y"], 1, "y", {})
    assert data["swipe_info"] == [{"send_date": "d", "extra": {"reasoning": "r"}}, {"send_date": NOW, "extra": {}}]


def test_adding_without_showing_it() -> None:
    data = swipes.add(reply("x"), "y", {"extra": {"model": "m"}, "gen_started": "s"}, send_date=NOW, show=False)
    assert (data["mes"], data["swipe_id"], data["swipes"]) == ("x", 0, ["x", "y"])
    assert data["swipe_info"][1] == {"send_date": NOW, "extra": {"model": "m"}, "gen_started": "s"}


def test_side_data_left_over_behind_the_last_slot_is_not_taken_for_a_new_ones() -> None:
    data = reply("x")
    data["swipe_info"].append({"extra": {"reasoning": "of a swipe that is gone"}})
    assert swipes.add(data, "y", send_date=NOW)["extra"] == {}


@pytest.mark.parametrize(
    ("data", "pristine", "to_left", "to_right"),
    [
        (reply("x", "y", "z"), False, 2, 1),
        (reply("x", "y", current=1), False, 0, "generate"),
        (reply("x", "y", current=1), True, 0, 0),
        (reply("x"), False, None, "generate"),
        (reply("x"), True, None, None),
        (reply("x", "y", current=1) | {"is_system": True}, False, 0, 0),
        (reply("x", "y", current=1) | {"extra": {"overswipe_behavior": "loop"}}, False, 0, 0),
        (reply("x", "y", current=1) | {"extra": {"overswipe_behavior": "none"}}, False, 0, None),
        (reply("x", "y", current=1) | {"extra": {"overswipe_behavior": "regenerate"}}, False, 0, "generate"),
    ],
)
def test_left_and_right(data: Record, pristine: bool, to_left: int | None, to_right: object) -> None:
    assert (swipes.left(data), swipes.right(data, pristine=pristine)) == (to_left, to_right)


def test_a_chat_is_pristine_while_it_is_only_its_greeting() -> None:
    assert swipes.is_pristine({}, 1)
    assert not swipes.is_pristine({"tainted": True}, 1)
    assert not swipes.is_pristine({}, 2)


CHANGES = st.one_of(
    st.tuples(st.just("select"), st.integers(0, 5)),
    st.tuples(st.just("delete"), st.integers(0, 5)),
    st.tuples(st.just("add"), st.booleans()),
)


@given(odd_records(), st.lists(CHANGES, min_size=1, max_size=6))
def test_whatever_is_done_to_whatever_record_text_and_side_data_stay_paired(
    data: Record, changes: list[tuple[str, Any]]
) -> None:
    first = data
    original = copy.deepcopy(data)
    for what, argument in changes:
        count = len(facts.swipes(data))
        if what == "select" and argument < count:
            data = swipes.select(data, argument)
        elif what == "delete" and argument < count and count > 1:
            data = swipes.delete(data, argument)
        elif what == "add":
            data = swipes.add(data, "new", send_date=NOW, show=argument)
    assert json.dumps(first) == json.dumps(original), "the argument was changed"
    if data is first:
        return
    assert_paired(data)
    for field in ("name", "is_user", "is_system", "role", "zz"):
        assert data.get(field) == original.get(field)


@given(odd_records(), st.integers(0, 5))
def test_choosing_loses_no_text(data: Record, index: int) -> None:
    shown = facts.swipes(data)
    assume(index < len(shown))
    assert facts.swipes(swipes.select(data, index)).texts == shown.texts
