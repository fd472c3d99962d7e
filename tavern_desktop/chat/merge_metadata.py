"""Three versions of a chat's metadata made into one (conversation entry 6.3)."""

from __future__ import annotations

from typing import Any, Final

from tavern_desktop.chat.header import NOT_SAVED, Header
from tavern_desktop.chat.jsontext import same
from tavern_desktop.chat.merge_fields import ABSENT, merge_keys, merge_value

Metadata = dict[str, Any]

NESTED: Final = ("variables", "extensions", "timedWorldInfo")
"""Keys whose values merge one level deeper; every other value is one unit."""

NEVER_MERGED: Final = ("integrity", NOT_SAVED)
"""Ours stands without a conflict: the identity of the chat (which has to be the same anyway), and a cache."""


def merge_metadata(base: Metadata, disk: Metadata, memory: Metadata) -> tuple[Metadata, list[str]]:
    """Return the merged `chat_metadata`, and as `key` or `key.subkey` what both sides changed differently.

    Ours stands in a conflict; removing is a change like any other. Nothing given is changed.
    """
    merged: Metadata = {}
    conflicts: list[str] = []
    for key in memory | disk:
        if key in NEVER_MERGED:
            merged[key] = memory.get(key, disk.get(key))
        elif key in NESTED and isinstance(disk.get(key), dict) and isinstance(memory.get(key), dict):
            before = base.get(key)
            merged[key], names = merge_keys(before if isinstance(before, dict) else {}, disk[key], memory[key])
            conflicts += [f"{key}.{name}" for name in names]
        else:
            value, in_conflict = merge_value(*(side.get(key, ABSENT) for side in (base, disk, memory)))
            conflicts += [key] if in_conflict else []
            if value is not ABSENT:
                merged[key] = value
    return merged, conflicts


def merge_headers(base: Header, disk: Header, memory: Header) -> tuple[Header, list[str]]:
    """Return the merged header, and the conflicts of its metadata; other fields are one unit each, ours first."""
    if disk.raw in (base.raw, memory.raw):
        return memory, []
    if memory.raw == base.raw:
        return disk, []
    metadata, conflicts = merge_metadata(base.metadata(), disk.metadata(), memory.metadata())
    fields, _ = merge_keys(base.data(), disk.data(), memory.data())
    merged = Header.of(fields).with_metadata(metadata)
    return (memory if same(merged.data(), memory.data()) else merged), conflicts
