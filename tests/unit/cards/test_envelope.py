"""Special messages as they stand in a chat's records."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.cards.envelope import caption, new_record, read_card, with_payload, with_yaml, without_caption
from tavern_desktop.chat import facts
from tests.unit.cards.payloads import BROKEN_FIELD, FORM, TABLE, UNKNOWN, UNREADABLE, VALID


def record(yaml: Any, **envelope: Any) -> dict[str, Any]:
    made = new_record(FORM if yaml == FORM else TABLE)
    made["extra"]["tavern_desktop"]["card"] |= {"yaml": yaml, **envelope}
    return made


@pytest.mark.parametrize("kind", VALID)
def test_a_new_special_message_keeps_its_yaml_and_says_its_phrase(kind: str) -> None:
    made = new_record(VALID[kind])
    card = read_card(made)
    assert card is not None
    assert (card.type, card.state, card.yaml, card.caption) == (kind, "full", VALID[kind], "")
    assert made["mes"] == card.phrase
    assert (made["name"], made["is_user"], made["is_system"], made["extra"]["isSmallSys"]) == (
        "Note",
        False,
        True,
        True,
    )
    assert "swipes" not in made
    assert facts.kind(made) == "special"
    assert not facts.may_swipe(made)
    assert not facts.may_hide(made)


def test_a_message_is_special_only_by_an_object() -> None:
    assert read_card({"mes": "x", "is_system": True, "extra": {}}) is None
    assert read_card(record(TABLE) | {"extra": {"tavern_desktop": {"card": "Table"}}}) is None
    assert read_card(record(TABLE) | {"extra": {"tavern_desktop": []}}) is None


@pytest.mark.parametrize(
    ("yaml", "envelope", "state", "phrase"),
    [
        (UNKNOWN, {}, "placeholder", "[Card: Chart]"),
        ("schema: 9\n" + TABLE, {}, "placeholder", "[Card: Table]"),
        (TABLE, {"v": 2}, "placeholder", "[Card: Table]"),
        (TABLE, {"v": 2, "type": "no type!"}, "placeholder", "[Card]"),
        (BROKEN_FIELD, {}, "degraded", "[Table shown: Half a table, 1 row]"),
        (UNREADABLE, {}, "error", "[Card]"),
        (None, {}, "error", "[Card]"),
        (7, {}, "error", "[Card]"),
    ],
)
def test_what_is_not_understood_is_told_apart(yaml: Any, envelope: Any, state: str, phrase: str) -> None:
    card = read_card(record(yaml, **envelope))
    assert card is not None
    assert (card.state, card.phrase) == (state, phrase)


def test_the_yaml_counts_where_the_envelope_says_something_else() -> None:
    card = read_card(record(TABLE, type="Form", id="other"))
    assert card is not None
    assert (card.type, card.id) == ("Table", "c_table")
    changed = with_payload(record(TABLE, type="Form", id="other"), card.payload | {"title": "T"})
    envelope = facts.envelope(changed)
    assert envelope is not None
    assert (envelope["type"], envelope["id"]) == ("Table", "c_table")


def test_an_edit_keeps_unknown_fields_everywhere() -> None:
    before = record(FORM, colour="red")
    before["extra"]["tavern_desktop"]["more"] = 1
    before["extra"]["other"] = 2
    card = read_card(before)
    assert card is not None
    assert card.has_comments
    after = with_payload(before, card.payload | {"status": "cancelled"})
    assert after["extra"]["other"] == 2
    assert after["extra"]["tavern_desktop"]["more"] == 1
    envelope = after["extra"]["tavern_desktop"]["card"]
    assert envelope["colour"] == "red"
    assert "glow: unknown-8f1" in envelope["yaml"]
    assert after["mes"] == "[Form cancelled: Load scatter]"


def test_what_somebody_wrote_into_the_message_stays_a_caption() -> None:
    data = record(FORM)
    data["mes"] = "[Form shown: Load scatter] And then she laughed."
    card = read_card(data)
    assert card is not None
    assert card.caption == "And then she laughed."
    cancelled = with_payload(data, card.payload | {"status": "cancelled"})
    assert cancelled["mes"] == "[Form cancelled: Load scatter] And then she laughed."
    assert without_caption(cancelled)["mes"] == "[Form cancelled: Load scatter]"
    data["mes"] = "my own words"
    assert with_payload(data, card.payload | {"status": "cancelled"})["mes"] == "my own words"


def test_a_phrase_of_before_is_no_caption() -> None:
    assert caption("[Form shown: Old title] more", "[Form submitted: New title]") == "more"
    assert caption("[Table shown: T, 1 row]", "[Table shown: T, 2 rows]") == ""
    assert caption("[Note] words", "[Form shown]") == "[Note] words"


def test_source_is_kept_as_it_is_written() -> None:
    text = TABLE + "# mine\n"
    changed = with_yaml(record(UNREADABLE), text)
    assert changed["extra"]["tavern_desktop"]["card"]["yaml"] == text
