"""What besides its text changed in a message."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.chat import edits, swipes
from tavern_desktop.chat.field_differences import FieldChange, field_changes, metadata_changes
from tavern_desktop.chat.header import Header

REPLY: dict[str, Any] = {
    "name": "Mira",
    "is_user": False,
    "is_system": False,
    "send_date": "2026-01-01T00:00:00.000Z",
    "mes": "one",
    "swipe_id": 0,
    "swipes": ["one", "two"],
    "swipe_info": [{}, {}],
    "extra": {"reasoning": "why"},
}


def test_an_edited_text_is_all_that_is_told_of_it() -> None:
    assert field_changes(REPLY, edits.set_text(REPLY, "other")) == ()


def test_another_alternative() -> None:
    assert field_changes(REPLY, swipes.select(REPLY, 1, pristine=False)) == (
        FieldChange("swipe_chosen", 1, 2),
        FieldChange("reasoning"),
    )
    added = swipes.add(REPLY, "three", None, send_date=REPLY["send_date"], show=False, pristine=False)
    assert field_changes(REPLY, added) == (FieldChange("swipes_added", 0, 1),)
    assert field_changes(added, REPLY) == (FieldChange("swipes_removed", 1, 0),)
    assert field_changes(REPLY, REPLY | {"swipes": ["one", "zwei"]}) == (FieldChange("swipes_edited", 1, 1),)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"name": "Ana"}, FieldChange("speaker", "Mira", "Ana")),
        ({"is_system": True}, FieldChange("hidden", False, True)),
        ({"is_user": True}, FieldChange("role")),
        ({"send_date": "2026-01-02T00:00:00.000Z"}, FieldChange("date")),
        ({"extra": {"reasoning": "because"}}, FieldChange("reasoning")),
        ({"extra": {"reasoning": "why", "display_text": "eins"}}, FieldChange("translation")),
        ({"extra": {"reasoning": "why", "image": "a.png"}}, FieldChange("attachments")),
        ({"extra": {"reasoning": "why", "bias": 1}, "tool": 2}, FieldChange("other", None, "tool, bias")),
        ({"extra": 5}, FieldChange("reasoning")),
    ],
)  # fmt: skip
def test_other_fields(fields: dict[str, Any], told: FieldChange) -> None:
    assert field_changes(REPLY, REPLY | fields) == (told,)


def test_an_id_that_an_edit_gave_is_not_told() -> None:
    assert field_changes(REPLY, REPLY | {"message_id": "msg_1", "gen_started": "x"}) == ()


def test_metadata() -> None:
    before = Header(b'{"chat_metadata":{"integrity":"a","note_prompt":"x"}}')
    after = before.with_metadata({"integrity": "a", "tainted": True, "note_prompt": "y", "scenario": "z"})
    assert metadata_changes(before, before) == ()
    assert metadata_changes(before, after) == ("note_prompt", "scenario")
