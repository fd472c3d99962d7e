"""What a record says, whatever stands in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Media, Swipes
from tests.unit.chat.odd_records import odd_records


@pytest.mark.parametrize(
    ("data", "kind", "role"),
    [
        ({"is_user": True}, "user", "user"),
        ({"is_user": True, "is_system": True}, "user", "user"),
        ({}, "character", "assistant"),
        ({"is_system": ""}, "character", "assistant"),
        ({"is_system": "", "extra": {"type": "narrator"}}, "narrator", "assistant"),
        ({"is_system": True, "extra": {"type": "comment"}}, "comment", "system"),
        ({"is_system": True, "extra": {"tool_invocations": []}}, "tool", "system"),
        ({"is_system": True, "role": "tool"}, "tool", "tool"),
        ({"is_system": True, "extra": {"type": "help"}}, "notice", "system"),
        ({"is_system": True, "extra": {"uses_system_ui": True}}, "notice", "system"),
        ({"is_system": True, "extra": {"type": "something_of_an_extension"}}, "hidden", "system"),
        ({"extra": {"type": "assistant_message"}}, "character", "assistant"),
        ({"extra": None}, "character", "assistant"),
    ],
)
def test_what_sort_of_message_it_is(data: dict[str, Any], kind: str, role: str) -> None:
    assert (facts.kind(data), facts.role(data)) == (kind, role)


@pytest.mark.parametrize(
    ("data", "allowed"),
    [
        ({}, True),
        ({"is_system": True}, True),
        ({"is_system": "", "extra": {"type": "narrator"}}, True),
        ({"is_system": True, "extra": {"type": "comment"}}, True),
        ({"is_user": True}, False),
        ({"role": "tool"}, False),
        ({"extra": {"tool_invocations": []}}, False),
        ({"extra": {"isSmallSys": True}}, False),
        ({"extra": {"swipeable": False}}, False),
        ({"extra": {"swipeable": None}}, True),
    ],
)
def test_what_may_be_swiped(data: dict[str, Any], allowed: bool) -> None:
    assert facts.may_swipe(data) is allowed


def test_hiding_is_offered_only_where_the_flag_means_hidden() -> None:
    assert facts.may_hide({"is_system": True})
    assert facts.may_hide({"is_user": True, "is_system": True})
    assert facts.may_hide({"is_system": True, "extra": {"type": "something_of_an_extension"}})
    assert not facts.may_hide({"is_system": True, "extra": {"type": "comment"}})
    assert not facts.may_hide({"is_system": True, "extra": {"type": "welcome"}})
    assert not facts.may_hide({"role": "tool"})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"mes": "a"}, Swipes(("a",), 0, False)),
        ({"mes": "a", "swipes": []}, Swipes(("a",), 0, False)),
        ({"mes": "a", "swipes": ["a", "b"], "swipe_id": 0}, Swipes(("a", "b"), 0)),
        ({"mes": "a", "swipes": ["a", "b"], "swipe_id": "0"}, Swipes(("a", "b"), 0)),
        ({"mes": "b", "swipes": ["a", "b"], "swipe_id": 1.0}, Swipes(("a", "b"), 1)),
        ({"mes": "changed", "swipes": ["a", "b"], "swipe_id": 1}, Swipes(("a", "changed"), 1)),
        ({"mes": "b", "swipes": ["a", "b"], "swipe_id": 7}, Swipes(("a", "b"), 1, False)),
        ({"mes": "a", "swipes": ["a", "b"], "swipe_id": 7}, Swipes(("a", "b"), 0, False)),
        ({"mes": "c", "swipes": ["a", "b"], "swipe_id": 7}, Swipes(("a", "b", "c"), 2, False)),
        ({"mes": "a", "swipes": ["a", "b"], "swipe_id": -1}, Swipes(("a", "b"), 0, False)),
        ({"mes": "", "swipes": ["a", "b"], "swipe_id": 2}, Swipes(("a", "b"), 1, False)),
        ({"mes": "a", "swipes": ["a", "b"]}, Swipes(("a", "b"), 0, False)),
        ({"mes": "b", "swipes": [None, "b"], "swipe_id": 1}, Swipes(("", "b"), 1)),
        ({"mes": "b", "swipes": [{"message": "a"}, "b"], "swipe_id": 1}, Swipes(("a", "b"), 1)),
        ({"swipes": ["a", "b"], "swipe_id": 1}, Swipes(("a", "b"), 1)),
    ],
)
def test_swipes_as_a_person_should_see_them(data: dict[str, Any], expected: Swipes) -> None:
    assert facts.swipes(data) == expected


def test_the_text_of_a_swipe_broken_off_before_its_text_is_the_last_alternative() -> None:
    assert facts.text({"mes": "", "swipes": ["a", "b"], "swipe_id": 2}) == "b"
    assert facts.text({"mes": "", "swipes": ["a", ""], "swipe_id": 1}) == ""
    assert facts.text({}) == ""


def test_a_translation_is_shown_and_the_text_stays_the_text() -> None:
    data = {"mes": "Tee?", "extra": {"display_text": "Tea?"}}
    assert (facts.shown_text(data), facts.text(data)) == ("Tea?", "Tee?")


def test_media_in_todays_form_and_the_old_ones() -> None:
    data = {
        "extra": {
            "media": [{"url": "a.png", "type": "image", "title": "A"}, {"url": "b.mp4", "type": "video"}, None, {}],
            "image": "c.png",
            "title": "C",
            "image_swipes": ["d.png", "a.png", 5],
            "video": "e.webm",
        }
    }
    found = facts.media(data)
    assert [item.url for item in found] == ["a.png", "b.mp4", "d.png", "c.png", "e.webm"]
    assert found[0] == Media("image", "a.png", "A")
    assert [item.type for item in found] == ["image", "video", "image", "image", "video"]
    assert facts.media({"extra": {"media": "no list"}}) == []


def test_a_date_that_is_none_is_none() -> None:
    assert facts.send_date_ms({"send_date": "2026-01-05T08:07:03.042Z"}) == 1767600423042
    assert facts.send_date_ms({"send_date": ["?"]}) is None
    assert facts.send_date_ms({}) is None


@given(odd_records())
def test_nothing_that_stands_in_a_record_is_an_error(data: dict[str, Any]) -> None:
    before = repr(data)
    shown = facts.swipes(data)
    assert 0 <= shown.current < len(shown)
    assert all(isinstance(text, str) for text in (facts.text(data), facts.name(data), facts.reasoning(data)))
    facts.kind(data), facts.role(data), facts.may_swipe(data), facts.may_hide(data)
    facts.media(data), facts.send_date_ms(data), facts.shown_text(data), facts.is_hidden(data)
    assert facts.text(data) == shown.texts[shown.current]
    assert repr(data) == before


@given(st.from_regex(r"-?[0-9]{1,12}|[-٣٤]+|", fullmatch=True) | st.floats() | st.booleans() | st.none())
def test_an_index_is_an_index_or_none(value: object) -> None:
    assert isinstance(facts.index_of(value), int | None)
