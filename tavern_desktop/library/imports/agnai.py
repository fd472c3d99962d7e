"""Chats exported by Agnai."""

from __future__ import annotations

from typing import Any

from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.library.imports.speech import Conversation, Speakers


def fits(data: dict[str, Any]) -> bool:
    """Tell whether this is such a file."""
    return isinstance(data.get("messages"), list)


def read(data: dict[str, Any], speakers: Speakers, notes: Notes) -> list[Conversation]:
    """Return its one conversation."""
    messages = []
    for entry in data["messages"]:
        text = entry.get("msg") if isinstance(entry, dict) else None
        if isinstance(text, str):
            messages.append(speakers.message(text, by_user=bool(entry.get("userId"))))
        else:
            notes.add("left_out")
    return [messages]
