"""Chats of Chub are JSONL with an object where a text belongs: `{"message": text, …}`."""

from __future__ import annotations

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.message import Message
from tavern_desktop.library.imports.notes import Notes

_MARK = b'"message"'


def with_plain_texts(messages: list[Message], notes: Notes) -> list[Message]:
    """Return the messages with texts in place of such objects; the others are the same ones."""
    changed = [_with_plain_text(message) if _MARK in message.raw else message for message in messages]
    notes.add("objects", sum(new is not old for new, old in zip(changed, messages, strict=True)))
    return changed


def _with_plain_text(message: Message) -> Message:
    data = message.data()
    changed = dict(data)
    if isinstance(data.get(facts.TEXT_FIELD), dict):
        changed[facts.TEXT_FIELD] = facts.slot_text(data[facts.TEXT_FIELD])
    slots = data.get("swipes")
    if isinstance(slots, list) and any(isinstance(slot, dict) for slot in slots):
        changed["swipes"] = [facts.slot_text(slot) if isinstance(slot, dict) else slot for slot in slots]
    return edits.rewritten(message, changed)
