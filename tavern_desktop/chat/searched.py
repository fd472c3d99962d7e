"""What of a chat's records a person searches: the texts they have read or written, each with its place.

Everything else that is text in a record, such as the name of a model, is found too but counts less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record

TEXT, SWIPE, REASONING, TRANSLATION, NOTE = "text", "swipe", "reasoning", "translation", "note"
DEEPEST = 50
"""Levels of nesting below which nothing is searched."""


class Place(NamedTuple):
    """A text and where it stands: `field` is one of the names above or a path, `swipe` counts from 1, 0 for none."""

    field: str
    swipe: int
    text: str


def message_texts(data: Record) -> Iterator[Place]:
    """Yield what a person reads of a message: its text, the other alternatives, the reasoning, a translation."""
    swipes = facts.swipes(data)
    shown = swipes.current + 1
    yield Place(TEXT, shown, facts.text(data))
    for number, text in enumerate(swipes.texts, 1):
        if number != shown:
            yield Place(SWIPE, number, text)
    yield Place(REASONING, shown, facts.reasoning(data))
    side_data = data.get("swipe_info")
    for number, info in enumerate(side_data if isinstance(side_data, list) else [], 1):
        if number != shown and isinstance(info, dict):
            yield Place(REASONING, number, facts.reasoning(info))
    translation = facts.extra(data).get("display_text")
    if isinstance(translation, str):
        yield Place(TRANSLATION, shown, translation)


def header_texts(data: Record) -> Iterator[Place]:
    """Yield what a person has written about a chat as a whole: the author's note."""
    metadata = data.get("chat_metadata")
    note = metadata.get("note_prompt") if isinstance(metadata, dict) else None
    if isinstance(note, str):
        yield Place(NOTE, 0, note)


def all_strings(value: Any, path: str = "", depth: int = 0) -> Iterator[Place]:
    """Yield every text value of a record, with its path such as `extra.model` or `swipes.2`."""
    if isinstance(value, str):
        yield Place(path, 0, value)
    elif depth < DEEPEST and isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from all_strings(inner, f"{path}.{key}" if path else str(key), depth + 1)
