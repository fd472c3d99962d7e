"""What ties chats to each other: the chat one comes from, and in messages the checkpoints and branches made there.

All of them are stems of files in the same folder, as SillyTavern writes them (chat files §6, §7, §12).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record

PARENT = "main_chat"
"""In `chat_metadata`: the chat that this one is a branch or a checkpoint of."""
BOOKMARK, BRANCHES = "bookmark_link", "branches"
"""In a message's `extra`: the checkpoint made there, and the branches."""

_MARKS = (b'"bookmark_link"', b'"branches"')


@dataclass(frozen=True, slots=True)
class Link:
    """A chat that was made from message `index`."""

    index: int
    kind: Literal["checkpoint", "branch"]
    target: str


def may_link(raw: bytes) -> bool:
    """Tell cheaply whether a record can hold links."""
    return any(mark in raw for mark in _MARKS)


def parent_of(metadata: Mapping[str, Any]) -> str:
    """Return the stem of the chat that this one comes from, "" for none."""
    value = metadata.get(PARENT)
    return value if isinstance(value, str) else ""


def bookmark_of(data: Record) -> str:
    """Return the stem of the checkpoint made at a message, "" for none."""
    value = facts.extra(data).get(BOOKMARK)
    return value if isinstance(value, str) else ""


def links_of(index: int, data: Record) -> list[Link]:
    """Return every chat that message `index` says was made from it."""
    found = [Link(index, "checkpoint", bookmark_of(data))] if bookmark_of(data) else []
    branches = facts.extra(data).get(BRANCHES)
    listed = branches if isinstance(branches, list) else []
    return found + [Link(index, "branch", stem) for stem in listed if isinstance(stem, str) and stem]


def relinked(data: Record, old: str, new: str) -> Record:
    """Return the record with links to the chat `old` leading to `new`; itself where it has none."""
    more = facts.extra(data)
    changed: dict[str, Any] = {}
    if bookmark_of(data) == old:
        changed[BOOKMARK] = new
    branches = more.get(BRANCHES)
    if isinstance(branches, list) and old in branches:
        changed[BRANCHES] = [new if stem == old else stem for stem in branches]
    return data | {"extra": more | changed} if changed else data
