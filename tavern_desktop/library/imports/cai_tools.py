"""Histories saved by CAI Tools: several conversations in one file."""

from __future__ import annotations

from typing import Any

from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.library.imports.speech import Conversation, Speakers


def fits(data: dict[str, Any]) -> bool:
    """Tell whether this is such a file."""
    return "histories" in data


def read(data: dict[str, Any], speakers: Speakers, notes: Notes) -> list[Conversation]:
    """Return each history as a conversation."""
    outer = data["histories"]
    histories = outer.get("histories") if isinstance(outer, dict) else None
    if not isinstance(histories, list):
        return []
    return [_conversation(history, speakers, notes) for history in histories]


def _conversation(history: Any, speakers: Speakers, notes: Notes) -> Conversation:
    entries = history.get("msgs") if isinstance(history, dict) else None
    messages = []
    for entry in entries if isinstance(entries, list) else []:
        text = entry.get("text") if isinstance(entry, dict) else None
        if not isinstance(text, str):
            notes.add("left_out")
            continue
        source = entry.get("src")
        by_user = isinstance(source, dict) and bool(source.get("is_human"))
        messages.append(speakers.message(text, by_user=by_user))
    return messages
