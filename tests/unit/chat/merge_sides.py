"""Chats and edit scripts for the tests of merging: every text is unlike every other."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import strategies as st

from tavern_desktop.chat import edits, jsontext
from tavern_desktop.chat.message import Message

Record = dict[str, Any]


class Writer:
    """Makes records nobody made before, as another program would: without ids."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._number = 0

    def text(self) -> str:
        self._number += 1
        return f"{self._number} " + "".join(self._random.choices(string.ascii_lowercase, k=20))

    def record(self, **fields: Any) -> Record:
        text = self.text()
        date = f"2026-01-01T00:{self._number // 60:02}:{self._number % 60:02}.000Z"
        return {
            "name": "Mira",
            "is_user": False,
            "send_date": date,
            "mes": text,
            "swipes": [text],
            "swipe_id": 0,
        } | fields

    def bare_record(self) -> Record:
        """A record that offers nothing but its text to be recognised by."""
        return {"mes": self.text()}


def encoded(records: Iterable[Record]) -> list[bytes]:
    return [jsontext.encode(record) for record in records]


def with_text(record: Record, text: str) -> Record:
    return edits.set_text(record, text)


def texts_of(records: Iterable[Record]) -> set[str]:
    """Every text that a person can still find in these records."""
    return {text for record in records for text in (record["mes"], *record.get("swipes", ()))}


def texts_in(messages: Iterable[Message]) -> set[str]:
    return texts_of(message.data() for message in messages)


@st.composite
def scripts(draw: st.DrawFn, with_deletions: bool = True) -> list[tuple[str, float, float]]:
    """Random changes: what, where (a share of the list), and where to."""
    kinds = ["add", "add", "edit", "edit", "move"] + (["delete"] if with_deletions else [])
    place = st.floats(0, 1, exclude_max=True)
    return draw(st.lists(st.tuples(st.sampled_from(kinds), place, place), max_size=6))


def changed_messages(
    messages: Sequence[Message], script: Iterable[tuple[str, float, float]], writer: Writer
) -> tuple[list[Message], set[int]]:
    """Carry out a script as our commands would. Return the messages, and the keys of those deleted."""
    changed = list(messages)
    deleted: set[int] = set()
    for kind, where, target in script:
        index = int(where * len(changed))
        if kind == "add":
            changed.insert(int(where * (len(changed) + 1)), edits.created(writer.record()))
        elif not changed:
            continue
        elif kind == "edit":
            changed[index] = edits.rewritten(changed[index], with_text(changed[index].data(), writer.text()))
        elif kind == "delete":
            deleted.add(changed.pop(index).key)
        else:
            changed.insert(int(target * len(changed)), changed.pop(index))
    return changed, deleted


def changed_records(
    records: Sequence[Record], script: Iterable[tuple[str, float, float]], writer: Writer
) -> list[Record]:
    """Carry out a script as another program would."""
    changed = list(records)
    for kind, where, target in script:
        index = int(where * len(changed))
        if kind == "add":
            changed.insert(int(where * (len(changed) + 1)), writer.record())
        elif not changed:
            continue
        elif kind == "edit":
            changed[index] = with_text(changed[index], writer.text())
        elif kind == "delete":
            del changed[index]
        else:
            changed.insert(int(target * len(changed)), changed.pop(index))
    return changed
