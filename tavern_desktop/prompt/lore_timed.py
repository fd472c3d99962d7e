"""Entries that stay for some messages, or rest for some: sticky and cooldown (cards and lore §B6).

What is in force stands in the chat's metadata as SillyTavern writes it, under `timedWorldInfo`: by kind and by
"<world>.<uid>" where it began and where it ends, counted in the messages that a prompt may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.lore import LoreEntry

METADATA = "timedWorldInfo"
"""The field of `chat_metadata`."""

STICKY, COOLDOWN = "sticky", "cooldown"

Record = Mapping[str, Any]
Kept = Mapping[str, Mapping[str, Record]]
"""Records by kind and key. SillyTavern also notes a hash of the entry, which stays with a record that has one."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What is in force when a prompt is built from `count` messages."""

    count: int = 0
    kept: Kept = field(default_factory=dict)

    @classmethod
    def of(cls, metadata: Record, entries: Iterable[LoreEntry], count: int) -> Timed:
        """Return what is still in force; what is over, or was of a reply that was taken back, is left out."""
        stored = metadata.get(METADATA)
        stored = stored if isinstance(stored, dict) else {}
        known = {key_of(entry): entry for entry in entries}
        sticky, ended = _in_force(stored.get(STICKY), known, STICKY, count)
        cooldown, _ = _in_force(stored.get(COOLDOWN), known, COOLDOWN, count)
        # An entry that stayed begins to rest in the moment in which it goes.
        for key, record in ended.items():
            if known[key].cooldown:
                cooldown[key] = _record(count, known[key].cooldown, record, is_protected=True)
        return cls(count, {STICKY: sticky, COOLDOWN: cooldown})

    def left(self, entry: LoreEntry, kind: str) -> int:
        """Return for how many more messages an entry stays or rests, 0 if it does not."""
        record = self.kept.get(kind, {}).get(key_of(entry))
        return 0 if record is None or not _value(entry, kind) else max(_end(record) - self.count, 0)

    def after(self, active: Sequence[LoreEntry]) -> dict[str, dict[str, Record]]:
        """Return what the chat's metadata says once these entries were sent."""
        found = {kind: dict(self.kept.get(kind, {})) for kind in (STICKY, COOLDOWN)}
        for entry in active:
            for kind, records in found.items():
                value = _value(entry, kind)
                if value and key_of(entry) not in records:
                    records[key_of(entry)] = _record(self.count, value, {})
        return found

    def changes(self, metadata: Record, active: Sequence[LoreEntry]) -> dict[str, Any]:
        """Return the fields of the chat's metadata that are other once these entries were sent, {} for none."""
        stored = metadata.get(METADATA)
        found = self.after(active)
        before = stored if isinstance(stored, dict) else {}
        if all((before.get(kind) or {}) == records for kind, records in found.items()):
            return {}
        return {METADATA: dict(before) | found}


def key_of(entry: LoreEntry) -> str:
    """Return under what key SillyTavern keeps an entry's times."""
    return f"{entry.world}.{entry.uid}"


def _in_force(
    stored: object, known: Mapping[str, LoreEntry], kind: str, count: int
) -> tuple[dict[str, Record], dict[str, Record]]:
    """Return the records that hold, and those of known entries that have just come to their end."""
    holding: dict[str, Record] = {}
    ended: dict[str, Record] = {}
    for key, record in (stored if isinstance(stored, dict) else {}).items():
        if not isinstance(record, dict):
            continue
        start, entry = index_of(record.get("start")), known.get(key)
        if (start is None or start >= count) and record.get("protected") is not True:
            continue  # the chat did not go on since: the reply was taken back, or another is made
        if entry is not None and not _value(entry, kind):
            continue
        if count < _end(record):
            holding[key] = record
        elif entry is not None:
            ended[key] = record
    return holding, ended


def _record(count: int, length: int, before: Record, *, is_protected: bool = False) -> Record:
    hashed = {"hash": before["hash"]} if "hash" in before else {}
    return hashed | {"start": count, "end": count + length, "protected": is_protected}


def _end(record: Record) -> int:
    return index_of(record.get("end")) or 0


def _value(entry: LoreEntry, kind: str) -> int:
    return entry.sticky if kind == STICKY else entry.cooldown
