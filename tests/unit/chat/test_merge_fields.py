"""Two versions of one message: what the vectors do not show."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.jsontext import same
from tavern_desktop.chat.merge_fields import merge_fields
from tests.unit.strategies import VALUES

NAMES = st.sampled_from(["mes", "swipes", "swipe_id", "swipe_info", "extra", "name", "is_user", "is_system", "zz"])
PLAIN = st.sampled_from(["", "a", "b", 0, 1, 1.0, True, None])
RECORDS = st.dictionaries(
    NAMES, PLAIN | st.lists(PLAIN, max_size=3) | st.dictionaries(st.sampled_from(["k", "swipeable"]), PLAIN) | VALUES
)


def _texts(record: dict[str, Any]) -> set[str]:
    swipes = record.get("swipes")
    found = [*(swipes if isinstance(swipes, list) else []), record.get("mes")]
    return {text for text in found if isinstance(text, str) and text}


@given(RECORDS, RECORDS, RECORDS)
def test_one_sided_changes_stand_and_nothing_given_is_changed(
    base: dict[str, Any], disk: dict[str, Any], memory: dict[str, Any]
) -> None:
    given_values = copy.deepcopy((base, disk, memory))
    merged, conflicts = merge_fields(base, disk, memory)
    assert same([base, disk, memory], list(given_values))
    assert len(set(conflicts)) == len(conflicts)
    assert _texts(memory) <= _texts(merged) | _texts(base)
    assert same(merge_fields(base, disk, base)[0], disk)
    assert same(merge_fields(base, base, memory)[0], memory)
    assert same(merge_fields(base, disk, merged)[0], merged)


def test_the_other_text_goes_where_swipes_are_and_nowhere_else() -> None:
    base, disk, memory = {"mes": "1"}, {"mes": "D"}, {"mes": "M"}
    for fields in ({"extra": {"isSmallSys": True}}, {"extra": {"swipeable": False}}, {"swipes": "none"}):
        sides = [side | fields for side in (base, disk, memory)]
        merged, conflicts = merge_fields(*sides)
        assert "D" not in merged.get("swipes", [])
        assert conflicts == ["content"]
    merged, _ = merge_fields(base, disk, memory | {"is_user": True})
    assert "swipes" not in merged


def test_info_of_swipes_is_filled_up_where_one_side_has_it() -> None:
    disk = {"mes": "D", "swipes": ["x", "D", 5, ""], "swipe_info": [{"i": 1}]}
    merged, _ = merge_fields({"mes": "1"}, disk, {"mes": "M", "swipes": ["M", "N"]})
    assert merged["swipes"] == ["M", "N", "x", "D"]
    assert merged["swipe_info"] == [{}, {}, {"i": 1}, {}]


def test_a_text_that_disk_shows_but_does_not_list_comes_last() -> None:
    merged, _ = merge_fields({"mes": "1"}, {"mes": "shown", "swipes": ["listed"]}, {"mes": "M"})
    assert merged == {"mes": "M", "swipes": ["M", "listed", "shown"], "swipe_id": 0}


def test_stamped_ids_are_no_conflict() -> None:
    base, disk, memory = {"mes": "1"}, {"mes": "1", "message_id": "msg_d"}, {"mes": "1", "message_id": "msg_m"}
    assert merge_fields(base, disk, memory) == (memory, [])
    assert merge_fields(base, disk, base | {"zz": 1})[0] == disk | {"zz": 1}


def _card(status: str, note: str) -> dict[str, Any]:
    text = f"type: Form\nid: c_1\n{status}note: {note}\n"
    return {"mes": "[Form]", "extra": {"tavern_desktop": {"card": {"type": "Form", "yaml": text}}}}


@pytest.mark.parametrize("draft", ["", "status: draft\n", 'status: "draft"\n'])
def test_a_submitted_form_beats_a_draft(draft: str) -> None:
    base, submitted, drafted = _card(draft, "a"), _card("status: submitted\n", "b"), _card(draft, "c")
    assert merge_fields(base, submitted, drafted) == (submitted, ["extra.tavern_desktop"])
    assert merge_fields(base, drafted, submitted) == (submitted, ["extra.tavern_desktop"])
    cancelled = _card("status: cancelled\n", "c")
    assert merge_fields(base, submitted, cancelled)[0] == cancelled


@given(RECORDS, RECORDS, RECORDS)
def test_every_text_of_a_reply_is_kept(base: dict[str, Any], disk: dict[str, Any], memory: dict[str, Any]) -> None:
    def reply(record: dict[str, Any]) -> dict[str, Any]:
        kept = {name: value for name, value in record.items() if name in ("mes", "swipe_id", "swipe_info")}
        swipes = record.get("swipes")
        return kept | ({"swipes": swipes} if isinstance(swipes, list) else {})

    sides = [reply(side) for side in (base, disk, memory)]
    merged, _ = merge_fields(*sides)
    assert (_texts(sides[1]) | _texts(sides[2])) - _texts(sides[0]) <= _texts(merged)
