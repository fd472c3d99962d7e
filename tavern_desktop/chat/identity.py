"""Which message is which: the ids that stand in records.

An id is top level, a string, and unique in one file (conversation entry 5.2). Most messages carry none: they get
one when we make or rewrite them, and other programs keep it without knowing it, copies included.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.message import ID_FIELD, Message

NEARBY = 200
"""How far before a copy its original is looked for: other programs put it directly behind."""

_MARK = f'"{ID_FIELD}"'.encode()
_AT_THE_END = re.compile(rb',"' + ID_FIELD.encode() + rb'":"([^"\\\x80-\xff]+)"\}\Z')
"""An id written as the last field, where an edit of ours puts it: only there the bytes alone are proof."""


def id_of(data: dict[str, Any]) -> str | None:
    """Return the id in a record, None where there is none: other values than non-empty strings are not ids."""
    value = data.get(ID_FIELD)
    return value if isinstance(value, str) and value else None


def stored_id(raw: bytes) -> str | None:
    """Return the id in the text of a record, parsing it only where it may hold one that is not its last field."""
    if _MARK not in raw:
        return None
    last = _AT_THE_END.search(raw, max(0, len(raw) - 80))
    return last[1].decode("ascii") if last else id_of(jsontext.decode(raw))


def places(records: Sequence[bytes]) -> dict[str, int]:
    """Return the index of each id in the records of one file.

    Of several records with one id the first keeps it (SillyTavern puts a copy behind its original); the later ones
    count as having none, and get one of their own when they are next rewritten.
    """
    found: dict[str, int] = {}
    for index in [index for index, raw in enumerate(records) if _MARK in raw]:
        name = stored_id(records[index])
        if name is not None:
            found.setdefault(name, index)
    return found


def is_taken(messages: Sequence[Message], index: int) -> bool:
    """Say whether a message has the id of one not far before it: then it counts as having none."""
    name = stored_id(messages[index].seen)
    if name is None:
        return False
    mark = name.encode()
    before = (message.seen for message in messages[max(0, index - NEARBY) : index])
    return any(mark in raw and stored_id(raw) == name for raw in before)


def effective_ids(records: Sequence[bytes]) -> list[str | None]:
    """Return the id of each record of one file, None for those that have none or count as having none."""
    effective: list[str | None] = [None] * len(records)
    for name, index in places(records).items():
        effective[index] = name
    return effective
