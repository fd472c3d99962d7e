"""Edits of one record, and the records of new messages."""

from __future__ import annotations

import copy
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.dates import parse_date
from tavern_desktop.chat.message import ID_FIELD, Message
from tests.unit.chat.odd_records import odd_records

Record = dict[str, Any]


def two_swipes(**fields: Any) -> Record:
    return {"mes": "x", "swipes": ["x", "y"], "swipe_id": 0, "swipe_info": [{"extra": {}}, {"extra": {}}]} | fields


def test_an_edit_is_in_the_slot_too() -> None:
    data = edits.set_text(two_swipes(), "edited")
    assert data == two_swipes(mes="edited", swipes=["edited", "y"])


def test_an_index_written_as_text_stays_so() -> None:
    data = edits.set_text(two_swipes(swipe_id="1", mes="y"), "edited")
    assert data == two_swipes(swipe_id="1", mes="edited", swipes=["x", "edited"])


def test_a_message_without_swipes_gets_none() -> None:
    assert edits.set_text({"mes": "x"}, "y") == {"mes": "y"}
    assert edits.set_text({"mes": "x", "swipes": []}, "y") == {"mes": "y", "swipes": []}


def test_an_edit_beyond_the_last_slot_is_of_the_alternative_shown() -> None:
    data = edits.set_text(two_swipes(mes="z", swipe_id=7), "edited")
    assert (data["mes"], data["swipes"], data["swipe_id"]) == ("edited", ["x", "y", "edited"], 2)


def test_the_translation_of_the_old_text_goes() -> None:
    data = two_swipes(extra={"display_text": "tr", "reasoning": "r"})
    data["swipe_info"][0] = {"extra": {"display_text": "tr", "reasoning": "r"}, "own": 1}
    data = edits.set_text(data, "edited")
    assert data["extra"] == {"reasoning": "r"}
    assert data["swipe_info"][0] == {"extra": {"reasoning": "r"}, "own": 1}


def test_the_same_text_is_no_edit() -> None:
    data = two_swipes()
    assert edits.set_text(data, "x") is data


@given(odd_records(), st.text(st.characters(), max_size=5))
def test_an_edit_shows_everywhere_and_touches_nothing_else(data: Record, text: str) -> None:
    original = copy.deepcopy(data)
    shown = facts.swipes(data)
    changed = edits.set_text(data, text)
    assert facts.text(changed) == facts.swipes(changed).texts[facts.swipes(changed).current]
    if text:
        assert facts.text(changed) == text
    assert json.dumps(data) == json.dumps(original)
    others = [other for at, other in enumerate(shown.texts) if at != shown.current]
    after = facts.swipes(changed)
    assert [other for at, other in enumerate(after.texts) if at != after.current] == others
    for field in ("name", "is_user", "is_system", "role", "zz", "variables"):
        assert changed.get(field) == original.get(field)


def test_other_fields_and_parts_of_extra() -> None:
    data = two_swipes(name="Ada", extra={"type": "narrator", "model": "m"})
    changed = edits.set_fields(data, {"name": "Bo", "title": ""}, {"model": edits.ABSENT, "bias": None})
    assert (changed["name"], changed["title"], changed["extra"]) == ("Bo", "", {"type": "narrator", "bias": None})
    assert changed["swipe_info"][0]["extra"] == changed["extra"]
    assert "name" not in edits.set_fields(data, {"name": edits.ABSENT})


def test_hiding_and_showing_again() -> None:
    assert edits.set_hidden({"mes": "x"}, True) == {"mes": "x", "is_system": True}
    assert edits.set_hidden({"is_system": True}, False) == {"is_system": False}
    odd = {"is_system": ""}
    assert edits.set_hidden(odd, False) is odd


def test_an_id_comes_with_the_first_rewrite_and_stays() -> None:
    message = Message.new({"mes": "x"})
    once = edits.rewritten(message, {"mes": "y"})
    twice = edits.rewritten(once, once.data() | {"mes": "z"})
    assert once.data()[ID_FIELD].startswith("msg_")
    assert len(once.data()[ID_FIELD]) == 4 + 32
    assert twice.data()[ID_FIELD] == once.data()[ID_FIELD]
    assert once.key == twice.key == message.key


def test_rewriting_to_the_same_is_no_rewrite_and_editing_back_gives_the_bytes_back() -> None:
    [message] = Message.read([b'{ "mes" : "x", "n": 1.10 }'])
    assert edits.rewritten(message, message.data()) is message
    there = edits.rewritten(message, message.data() | {"mes": "y"})
    back = edits.rewritten(there, there.data() | {"mes": "x"})
    assert back == message


def test_a_copy_is_the_same_with_an_id_and_a_date_of_its_own() -> None:
    data = two_swipes(message_id="msg_1", send_date="old", extra={"bookmark_link": "b"})
    copied = edits.copy_of(data, send_date="new")
    assert copied[ID_FIELD] != "msg_1"
    assert copied["send_date"] == copied["swipe_info"][0]["send_date"] == "new"
    assert (copied["mes"], copied["swipes"], copied["extra"]) == ("x", ["x", "y"], {"bookmark_link": "b"})


@pytest.mark.parametrize("role", get_args(facts.Role))
def test_a_new_message_has_the_role_it_was_made_with(role: facts.Role) -> None:
    data = edits.new_message(role, "text", "Name")
    assert (facts.role(data), facts.text(data), facts.name(data)) == (role, "text", "Name")
    assert parse_date(data["send_date"]) is not None
    assert ("swipes" in data) == (role in ("assistant", "system"))


def test_what_the_user_says() -> None:
    data = edits.new_user_message("Tea?", "Ana", force_avatar="/thumbnail?type=persona&file=a.png", send_date="d")
    assert data == {
        "name": "Ana",
        "is_user": True,
        "is_system": False,
        "send_date": "d",
        "mes": "Tea?",
        "extra": {"isSmallSys": False},
        "force_avatar": "/thumbnail?type=persona&file=a.png",
    }
