"""Chats exported by RisuAI. The only ones with dates and names of their own."""

from __future__ import annotations

from typing import Any

from tavern_desktop.chat.dates import parse_date
from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.library.imports.speech import Conversation, Speakers


def fits(data: dict[str, Any]) -> bool:
    """Tell whether this is such a file."""
    return data.get("type") == "risuChat"


def read(data: dict[str, Any], speakers: Speakers, notes: Notes) -> list[Conversation]:
    """Return its one conversation."""
    chat = data.get("data")
    entries = chat.get("message") if isinstance(chat, dict) else None
    messages = []
    for entry in entries if isinstance(entries, list) else []:
        text = entry.get("data") if isinstance(entry, dict) else None
        if not isinstance(text, str):
            notes.add("left_out")
            continue
        name, at_ms = entry.get("name"), parse_date(entry.get("time"))
        by_user = entry.get("role") == "user"
        messages.append(
            speakers.message(text, by_user=by_user, name=name if isinstance(name, str) else "", at_ms=at_ms)
        )
    return [messages]


def has_dates(data: dict[str, Any]) -> bool:
    """Tell whether any message says when it was written."""
    chat = data.get("data")
    entries = chat.get("message") if isinstance(chat, dict) else None
    return any(isinstance(entry, dict) and entry.get("time") for entry in entries or ())
