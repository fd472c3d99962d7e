"""Nothing of a special message reaches a model but its phrase (structured cards §6.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tavern_desktop.backends.request import Request
from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.build import build_prompt
from tavern_desktop.prompt.scene import Character, Scene
from tavern_desktop.prompt.tokens import Estimate
from tests.unit.backends.talking import on_a_loop, sends, talking
from tests.unit.backends.wires import WIRES, Wire
from tests.unit.cards.payloads import BROKEN_FIELD, TABLE, UNKNOWN, UNREADABLE, VALID

MARK = "8f1"
"""In every value and label of the payloads that no model may see."""
ALONE = ("71934", "81935", "scatter\\n", "c_form", "c_table", "unclosed")


def every_card() -> Iterator[dict[str, Any]]:
    for yaml in VALID.values():
        yield new_record(yaml)
    for yaml in (UNKNOWN, BROKEN_FIELD, UNREADABLE):
        record = new_record(TABLE)
        record["extra"]["tavern_desktop"]["card"]["yaml"] = yaml
        yield record
    newer = new_record(TABLE)
    newer["extra"]["tavern_desktop"]["card"]["v"] = 2
    yield newer
    unhidden = new_record(VALID["Form"]) | {"is_system": False}
    unhidden["mes"] += " caption-8f1"
    yield unhidden
    yield new_record(VALID["Form"]) | {"is_system": False, "is_user": True, "mes": "edited-8f1"}


def scene(**more: Any) -> Scene:
    hello = {"name": "Ana", "is_user": True, "is_system": False, "mes": "Look at these.", "extra": {}}
    messages = [Message.new(record) for record in (*every_card(), hello)]
    return Scene(Character("Mira"), "Ana", messages, len(messages), **more)


def test_the_model_is_told_phrases_with_the_system_role() -> None:
    prompt = build_prompt(scene(), Estimate())
    told = [part.message for part in prompt.parts if part.source == "history"]
    assert {message.role for message in told[:-1]} == {"system"}
    assert [message.text for message in told[:-1]] == [
        "[Form shown: Load scatter]",
        "[Parameters shown: Fit]",
        "[Table shown: Cargo list, 3 rows]",
        "[Column matching shown: Columns]",
        "[Workflow: Crossing]",
        "[Card: Chart]",
        "[Table shown: Half a table, 1 row]",
        "[Card]",
        "[Card: Table]",
        "[Form shown: Load scatter]",
        "[Form shown: Load scatter]",
    ]


def test_a_chat_may_leave_them_out() -> None:
    prompt = build_prompt(scene(tells_cards=False), Estimate())
    assert [part.message.text for part in prompt.parts if part.source == "history"] == ["Look at these."]
    (left,) = prompt.left_out
    assert (left.reason, left.first, left.last) == ("special message", 0, 10)


@pytest.mark.parametrize("wire", WIRES, ids=[wire.protocol for wire in WIRES])
def test_no_request_of_any_protocol_has_a_value_of_a_payload(wire: Wire) -> None:
    messages = tuple(build_prompt(scene(), Estimate()).messages)

    async def talk() -> None:
        async with talking(wire, sends(wire, wire.reply("Hello"))) as (backend, server):
            whole = "\n".join(message.text for message in messages)
            request = Request(messages=messages) if backend.takes_messages else Request(prompt=whole)
            async for _ in backend.stream(request):
                pass
            sent = b"".join(seen.body for seen in server.seen).decode("utf-8")
        assert "Look at these." in sent
        assert "Cargo list" in sent
        assert MARK not in sent
        assert not [value for value in ALONE if value in sent]

    on_a_loop(talk)


def test_every_payload_has_the_mark() -> None:
    """The test above is worth something only where there is something to find."""
    yamls = [card.yaml for card in map(read_card, every_card()) if card is not None]
    assert sum(yaml.count(MARK) for yaml in yamls) > 20
