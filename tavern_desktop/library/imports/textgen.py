"""Chats of text-generation-webui (Oobabooga): pairs of what the user and the character said."""

from __future__ import annotations

from typing import Any

from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.library.imports.speech import Conversation, Speakers

_SHOWN = ("data_visible", "visible")
"""What it calls the texts as shown, formerly and now."""


def fits(data: dict[str, Any]) -> bool:
    """Tell whether this is such a file."""
    return any(isinstance(data.get(key), list) for key in _SHOWN)


def read(data: dict[str, Any], speakers: Speakers, notes: Notes) -> list[Conversation]:
    """Return its one conversation; a side that said nothing in a pair has no message."""
    pairs = next(data[key] for key in _SHOWN if isinstance(data.get(key), list))
    messages = []
    for pair in pairs:
        if not isinstance(pair, list) or not all(isinstance(text, str) for text in pair[:2]):
            notes.add("left_out")
            continue
        for by_user, text in zip((True, False), pair, strict=False):
            if text:
                messages.append(speakers.message(text, by_user=by_user))
    return [messages]
