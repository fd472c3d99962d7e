"""Lorebooks (world info) in files, `worlds/<name>.json`, read and changed as SillyTavern has them (cards §B1).

An entry is changed field by field in the file as it stands at that moment; what is not known here is kept.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.publish import change_small_file, publish

SUFFIX = ".json"
Record = dict[str, Any]

DEFAULTS: Record = {
    "key": [],
    "keysecondary": [],
    "comment": "",
    "content": "",
    "constant": False,
    "vectorized": False,
    "selective": True,
    "selectiveLogic": 0,
    "addMemo": True,
    "order": 100,
    "position": 0,
    "disable": False,
    "ignoreBudget": False,
    "excludeRecursion": False,
    "preventRecursion": False,
    "delayUntilRecursion": 0,
    "probability": 100,
    "useProbability": True,
    "depth": 4,
    "outletName": "",
    "group": "",
    "groupOverride": False,
    "groupWeight": 100,
    "scanDepth": None,
    "caseSensitive": None,
    "matchWholeWords": None,
    "useGroupScoring": None,
    "automationId": "",
    "role": 0,
    "sticky": None,
    "cooldown": None,
    "delay": None,
    "triggers": [],
}
"""The fields of an entry and what they are where a file does not say (§B3)."""

_OF_CARD = {
    "keys": "key",
    "secondary_keys": "keysecondary",
    "comment": "comment",
    "content": "content",
    "constant": "constant",
    "selective": "selective",
    "insertion_order": "order",
}
_OF_EXTENSIONS = {
    "position": "position",
    "exclude_recursion": "excludeRecursion",
    "prevent_recursion": "preventRecursion",
    "delay_until_recursion": "delayUntilRecursion",
    "probability": "probability",
    "useProbability": "useProbability",
    "depth": "depth",
    "selectiveLogic": "selectiveLogic",
    "outlet_name": "outletName",
    "group": "group",
    "group_override": "groupOverride",
    "group_weight": "groupWeight",
    "scan_depth": "scanDepth",
    "match_whole_words": "matchWholeWords",
    "case_sensitive": "caseSensitive",
    "use_group_scoring": "useGroupScoring",
    "automation_id": "automationId",
    "role": "role",
    "vectorized": "vectorized",
    "sticky": "sticky",
    "cooldown": "cooldown",
    "delay": "delay",
    "triggers": "triggers",
    "ignore_budget": "ignoreBudget",
    "display_index": "displayIndex",
    "match_persona_description": "matchPersonaDescription",
    "match_character_description": "matchCharacterDescription",
    "match_character_personality": "matchCharacterPersonality",
    "match_character_depth_prompt": "matchCharacterDepthPrompt",
    "match_scenario": "matchScenario",
    "match_creator_notes": "matchCreatorNotes",
}
"""How a card's book calls the fields of an entry, and how a world file does (§B9)."""


@dataclass(frozen=True, slots=True)
class World:
    """A lorebook. `entries` are records as the file has them, by their uid, in the order in which they are shown."""

    name: str
    entries: Mapping[int, Record]


def world_names(root: DataRoot) -> list[str]:
    """Return the names of the lorebooks of a data folder. Raises StorageError io/list."""
    try:
        found = os.listdir(root.worlds)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", root.worlds) from None
    return sorted((name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)), key=str.casefold)


def world_path(root: DataRoot, name: str) -> Path:
    """Return the file of a lorebook. Raises StorageError validation/name for what is no name of one."""
    path = root.worlds / f"{name}{SUFFIX}"
    if not name or path.parent != root.worlds or path.name != f"{name}{SUFFIX}":
        raise StorageError("validation", "name", f"{name} is no name of a lorebook")
    return path


def load_world(root: DataRoot, name: str) -> World:
    """Return a lorebook. Raises StorageError."""
    path = world_path(root, name)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise StorageError("not_found", "source", f"There is no lorebook {name}", chat_ref=path) from None
    except OSError as error:
        raise from_os(error, "read", path) from None
    return World(name, _shown_in_order(_entries(_decoded(data, path))))


def create_world(root: DataRoot, name: str, entries: Iterator[Record] | None = None) -> World:
    """Write a new lorebook; its name is numbered where it is taken. Raises StorageError."""
    records = {str(uid): {"uid": uid, **entry} for uid, entry in enumerate(entries or ())}
    root.worlds.mkdir(exist_ok=True)

    def is_taken(file: str) -> bool:
        return (root.worlds / f"{file.removesuffix(names.SUFFIX)}{SUFFIX}").exists()

    while True:
        free = names.free_name(name.strip() or "Lorebook", is_taken).removesuffix(names.SUFFIX)
        try:
            publish(world_path(root, free), [jsontext.encode({"entries": records})], expected=None, integrity=None)
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
        return load_world(root, free)


def change_entry(root: DataRoot, name: str, uid: int, changes: Mapping[str, Any]) -> None:
    """Give fields of an entry other values. Raises StorageError, not_found/source for an entry that is gone."""
    _change(root, name, lambda entries: entries[_key(entries, uid, name)].update(changes))


def add_entry(root: DataRoot, name: str, entry: Mapping[str, Any] | None = None, uid: int | None = None) -> int:
    """Add an entry; return its uid: `uid` where that is free, else the smallest that is (§B1). Raises StorageError."""
    made: list[int] = []

    def add(entries: Record) -> None:
        taken = {number for number in map(_number, entries) if number is not None}
        free = uid if uid is not None and uid not in taken else next(n for n in range(len(taken) + 1) if n not in taken)
        made[:] = [free]
        entries[str(free)] = {"uid": free, **DEFAULTS, "displayIndex": len(entries), **(entry or {})} | {"uid": free}

    _change(root, name, add)
    return made[0]


def remove_entry(root: DataRoot, name: str, uid: int) -> Record:
    """Take an entry out, and return it. Raises StorageError, not_found/source for one that is gone."""
    gone: list[Record] = []
    _change(root, name, lambda entries: gone.append(entries.pop(_key(entries, uid, name))))
    return gone[-1]


def entries_of_card_book(book: Mapping[str, Any]) -> Iterator[Record]:
    """Yield the entries of the book that is in a card, as a world file has them (§B9)."""
    found = book.get("entries")
    entries = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    for index, entry in enumerate(entries):
        extensions = entry.get("extensions")
        more = extensions if isinstance(extensions, dict) else {}
        made = (
            DEFAULTS
            | {"selective": False}
            | {ours: entry[theirs] for theirs, ours in _OF_CARD.items() if theirs in entry}
        )
        made |= {"disable": entry.get("enabled") is False, "displayIndex": index}
        made["position"] = 1 if entry.get("position") == "after_char" else 0
        yield made | {ours: more[theirs] for theirs, ours in _OF_EXTENSIONS.items() if theirs in more}


def _change(root: DataRoot, name: str, change: Callable[[Record], object]) -> None:
    """Change the entries of a book, in the file as it stands then. Raises StorageError."""
    path = world_path(root, name)

    def changed(data: bytes) -> bytes:
        book = _decoded(data, path)
        entries = _by_key(book)
        change(entries)
        return jsontext.encode(book | {"entries": entries})

    try:
        change_small_file(path, changed)
    except FileNotFoundError:
        raise StorageError("not_found", "source", f"There is no lorebook {name}", chat_ref=path) from None
    except OSError as error:
        raise from_os(error, "write", path) from None


def _decoded(data: bytes, path: Path) -> Record:
    try:
        return jsontext.decode(data.removeprefix(codecs.BOM_UTF8))
    except JsonTextError:
        raise StorageError("io", "read", f"the lorebook {path.stem} is not JSON", chat_ref=path) from None


def _by_key(book: Record) -> Record:
    """Return the entries by their keys in the file; a list, as some tools write it, gets its indices (§B1)."""
    entries = book.get("entries")
    if isinstance(entries, list):
        return {str(index): entry | {"uid": index} for index, entry in enumerate(entries) if isinstance(entry, dict)}
    return dict(entries) if isinstance(entries, dict) else {}


def _entries(book: Record) -> dict[int, Record]:
    found: dict[int, Record] = {}
    for key, entry in _by_key(book).items():
        uid = _number(key)
        if uid is not None and isinstance(entry, dict):
            found[uid] = entry
    return found


def _shown_in_order(entries: dict[int, Record]) -> dict[int, Record]:
    def place(uid: int) -> tuple[int, int]:
        index = entries[uid].get("displayIndex")
        return (index if type(index) is int else uid, uid)

    return {uid: entries[uid] for uid in sorted(entries, key=place)}


def _key(entries: Record, uid: int, name: str) -> str:
    if str(uid) not in entries or not isinstance(entries[str(uid)], dict):
        raise StorageError("not_found", "source", f"The entry is no longer in the lorebook {name}")
    return str(uid)


def _number(key: str) -> int | None:
    return int(key) if key.isdecimal() else None
