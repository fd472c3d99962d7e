"""What the chat manager shows of each chat. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tavern_desktop.library.recents import CONFLICT, DAMAGED, ChatRow
from tavern_desktop.ui.library.entries import words_of


@dataclass(frozen=True)
class ManagedChat:
    """A chat of one character or group. `messages` is -1 where it is not known; `parent` the chat it branched off."""

    file: str
    title: str
    words: str
    messages: int
    size: int
    date_ms: int
    parent: str = ""
    parent_is_gone: bool = False
    is_current: bool = False
    is_damaged: bool = False
    has_conflict: bool = False


def managed_chats(rows: Sequence[ChatRow], current: str) -> list[ManagedChat]:
    """Return the chats in the order of `rows`; `current` is the title that card or group names.

    Where it names none that is there, the newest is the current one.
    """
    titles = {row.title for row in rows}
    if current not in titles and rows:
        current = rows[0].title
    return [
        ManagedChat(
            row.file,
            row.title,
            words_of(row),
            row.messages,
            row.size,
            row.date_ms,
            row.parent,
            bool(row.parent) and row.parent not in titles,
            row.title == current,
            DAMAGED in row.marks,
            CONFLICT in row.marks,
        )
        for row in rows
    ]
