"""Special messages changed by commands: one step each, to be undone byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.cards.envelope import Card, new_record, read_card
from tavern_desktop.cards.forms import fields_of
from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.card_commands import (
    CancelForm,
    ConfirmMapping,
    EditSource,
    InsertCard,
    SeparateCaption,
    SubmitForm,
    UpdateCard,
    UseParameters,
)
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import CommandRefused
from tests.unit.cards.payloads import BROKEN_FIELD, FORM, MATCH, PARAMETERS, TABLE, UNKNOWN, VALID
from tests.unit.session.chats import user

ANA = Persona("Ana")


def chat_of(*records: dict[str, Any]) -> Chat:
    return Chat(Header.new(), [Message.new(record) for record in records])


def card_at(chat: Chat, index: int) -> Card:
    card = read_card(chat.messages[index].data())
    assert card is not None
    return card


def refusal(chat: Chat, command: Command) -> str:
    before = list(chat.messages)
    with pytest.raises(CommandRefused) as caught:
        command.do(chat)
    assert chat.messages == before
    return caught.value.sentence


def undone(chat: Chat, command: Command) -> None:
    before = list(chat.messages)
    assert command.do(chat)
    after = list(chat.messages)
    command.undo(chat)
    assert chat.messages == before
    command.do(chat)
    assert chat.messages == after


@pytest.mark.parametrize("kind", VALID)
def test_inserting(kind: str) -> None:
    chat = chat_of(user("hello"), user("more"))
    undone(chat, InsertCard(VALID[kind], chat.messages[0].key))
    assert card_at(chat, 1).yaml == VALID[kind]
    assert refusal(chat, InsertCard(VALID[kind])) == (
        f"There is a special message with the id {card_at(chat, 1).id} in this chat already."
    )


@pytest.mark.parametrize(
    ("yaml", "sentence"),
    [
        (BROKEN_FIELD, "The payload has an error at rows[0]."),
        (UNKNOWN, "There is no type Chart, but Form, ParameterSet, Table, ColumnMatch, WorkflowStatus."),
        ("schema: 2\n" + TABLE, "This schema is newer than this program knows."),
        ("a: [", "This is not valid YAML (line 2, column 1)."),
    ],
)
def test_what_is_not_valid_as_a_whole_is_not_inserted(yaml: str, sentence: str) -> None:
    with pytest.raises(CommandRefused) as caught:
        InsertCard(yaml)
    assert caught.value.sentence == sentence


def test_a_form_is_submitted_once_and_told_in_the_same_step() -> None:
    chat = chat_of(new_record(FORM), user("meanwhile"))
    fields = fields_of(card_at(chat, 0).payload)
    values = {"source": "a.csv", "count": 3, "mode": "mode-8f1", "pass": "hunter2"}
    undone(chat, SubmitForm(chat.messages[0].key, fields, values, ANA))
    card, told = card_at(chat, 0), chat.messages[2].data()
    assert (card.status, card.state) == ("submitted", "full")
    assert "hunter2" not in card.yaml
    assert chat.messages[0].data()["mes"] == "[Form submitted: Load scatter]"
    assert facts.text(told).splitlines() == [
        'Submitted "Load scatter":',
        "- Source-label-8f1: a.csv",
        "- count: 3",
        "- mode: Mode label 8f1",
        "- pass: (hidden)",
    ]
    assert (told["is_user"], told["name"]) == (True, "Ana")
    assert told["extra"]["tavern_desktop"] == {
        "formResult": {"cardId": "c_form", "formId": "scatter", "formVersion": 1}
    }
    again = SubmitForm(chat.messages[0].key, fields, values, ANA)
    assert refusal(chat, again) == "This special message was answered already."


def test_cancelling() -> None:
    chat = chat_of(new_record(FORM))
    undone(chat, CancelForm(chat.messages[0].key))
    assert card_at(chat, 0).status == "cancelled"
    assert refusal(chat, CancelForm(chat.messages[0].key)) == "This special message was answered already."


def test_columns_are_confirmed() -> None:
    chat = chat_of(new_record(MATCH))
    mapping: dict[str, str | None] = {"required-8f1": "found-8f1", "other-8f1": None}
    undone(chat, ConfirmMapping(chat.messages[0].key, mapping, ANA))
    card = card_at(chat, 0)
    assert card.status == "confirmed"
    assert card.payload["mappings"] == [
        {"required": "required-8f1", "column": "found-8f1", "confidence": 0.9},
        {"required": "other-8f1", "column": None},
    ]
    assert facts.text(chat.messages[1].data()) == 'Columns of "Columns":\n- required-8f1: found-8f1\n- other-8f1: none'


def test_parameters_are_used_without_being_changed() -> None:
    chat = chat_of(new_record(PARAMETERS))
    before = chat.messages[0]
    undone(chat, UseParameters(before.key, ANA))
    assert chat.messages[0] == before
    assert facts.text(chat.messages[1].data()) == 'Parameters "Fit":\n- alpha-8f1: 0.25-8f1 unit-8f1'


def test_a_copy_gets_an_id_of_its_own_when_it_is_acted_on() -> None:
    chat = chat_of(new_record(FORM), new_record(FORM))
    undone(chat, CancelForm(chat.messages[1].key, is_copy=True))
    assert card_at(chat, 0).id == "c_form" != card_at(chat, 1).id


def test_what_is_not_understood_is_never_written_anew() -> None:
    record = new_record(TABLE)
    record["extra"]["tavern_desktop"]["card"]["yaml"] = BROKEN_FIELD
    chat = chat_of(record, user("plain"))
    sentence = "This special message is not understood whole, so it is kept as it is."
    assert refusal(chat, UpdateCard(chat.messages[0].key, {"type": "Table"})) == sentence
    assert refusal(chat, CancelForm(chat.messages[1].key)) == "This is no special message."
    undone(chat, EditSource(chat.messages[0].key, TABLE))
    assert card_at(chat, 0).state == "full"


def test_too_large_a_payload_is_refused_before_anything_is_stored() -> None:
    chat = chat_of(new_record(TABLE))
    payload = card_at(chat, 0).payload | {"rows": [["x" * 500, n] for n in range(600)]}
    assert refusal(chat, UpdateCard(chat.messages[0].key, payload)) == "The payload is too large: show fewer rows."
    payload = card_at(chat, 0).payload | {"rows": [["\ud83d", 1]]}
    assert refusal(chat, UpdateCard(chat.messages[0].key, payload)).startswith("One of the values cannot be stored")


def test_words_behind_a_special_message_become_a_message_of_their_own() -> None:
    record = new_record(TABLE)
    record["mes"] += " She read it."
    chat = chat_of(record)
    undone(chat, SeparateCaption(chat.messages[0].key, "Mira"))
    assert chat.messages[0].data()["mes"] == "[Table shown: Cargo list, 3 rows]"
    assert (chat.messages[1].data()["name"], chat.messages[1].data()["mes"]) == ("Mira", "She read it.")
