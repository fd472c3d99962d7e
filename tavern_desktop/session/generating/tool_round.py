"""A reply that called tools, with what they answered, as one command: all of it comes into the chat together."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from tavern_desktop.cards.envelope import new_record, read_card, with_payload
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.chat import edits, facts, jsontext
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.messages import ToolCall
from tavern_desktop.prompt.tool_rounds import SIGNATURE
from tavern_desktop.session.generating.reply import AddReply, Reply, Speaker
from tavern_desktop.session.steps import Presence, Replace, Step
from tavern_desktop.tools.definition import CardChange, ToolResult

FAILED = "tool_failed"
"""In `extra.tavern_desktop` of a result that says what went wrong."""

Answers = Sequence[tuple[ToolCall, ToolResult]]


class AddToolRound(AddReply):
    """The message with the calls, a row for each result, then what tools show (storage contract §14.4)."""

    label = "Use tools"

    def __init__(self, after_key: int | None, reply: Reply, speaker: Speaker, key: int, answers: Answers) -> None:
        super().__init__(after_key, reply, speaker, key)
        self.data = self.data | {"tool_calls": [_written(call) for call, _ in answers]}
        self._rows = [_row(call, result) for call, result in answers]
        self._rows += [_shown(call, result) for call, result in answers if result.pictures]
        self._rows += [new_record(result.card) for _, result in answers if result.card]
        self._changes = [result.change for _, result in answers if result.change is not None]

    def _plan(self, chat: Chat) -> list[Step]:
        first, *others = super()._plan(chat)
        assert isinstance(first, Presence)
        ((place, messages),) = first.runs
        rows = tuple(edits.created(row) for row in self._rows)
        return [Presence(True, ((place, (*messages, *rows)),)), *_changed(chat, self._changes), *others]


def _changed(chat: Chat, changes: Sequence[CardChange]) -> list[Step]:
    """Return what becomes of special messages that are there; one that is gone, or was written over, is let be."""
    wanted = {change.card_id for change in changes}
    if not wanted:
        return []
    pairs: list[tuple[Message, Message]] = []
    for message in chat.messages:
        if b'"card"' not in message.seen:
            continue
        card = read_card(message.seen_data())
        if card is None or card.id not in wanted or card.state != "full":
            continue
        wanted.remove(card.id)  # of several with one id the first is the original (contract §3)
        payload = card.payload
        for change in changes:
            payload = change.change(payload) if change.card_id == card.id else payload
        with contextlib.suppress(PayloadError, ValueError):  # too large by now, or half a character: it stays
            pairs.append((message, edits.rewritten(message, with_payload(message.seen_data(), payload), of_seen=True)))
    pairs = [(old, new) for old, new in pairs if new is not old]
    return [Replace(tuple(old for old, _ in pairs), tuple(new for _, new in pairs))] if pairs else []


def _shown(call: ToolCall, result: ToolResult) -> Record:
    """Return a note with the pictures that a tool made: for people, not for models."""
    note = edits.new_message("system", "", call.name)
    media = [{"url": url, "type": "image", "source": "upload"} for url in result.pictures]
    return note | {"extra": {"type": "comment", "isSmallSys": True, "media": media, "inline_image": True}}


def _written(call: ToolCall) -> Record:
    written: Record = {"id": call.id, "type": "function"}
    written["function"] = {"name": call.name, "arguments": _arguments(call)}
    return written | ({SIGNATURE: call.signature} if call.signature else {})


def _arguments(call: ToolCall) -> str:
    """Return arguments that can be sent again: broken ones would keep every later prompt from being built."""
    try:
        found: Any = jsontext.decode(call.arguments.encode("utf-8", "surrogatepass"))
    except ValueError:
        return "{}"
    return call.arguments if isinstance(found, dict) else "{}"


def _row(call: ToolCall, result: ToolResult) -> Record:
    row = edits.new_message("tool", result.text, call.name) | {"tool_call_id": call.id}
    extra: dict[str, Any] = {"isSmallSys": True}
    if result.is_error:
        extra[facts.OWN_FIELD] = {FAILED: True}
    return row | {"extra": extra}
