"""Adapters of the operations about merging: ids stand for our keys, records for their JSON text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

from tavern_desktop.chat import identity, jsontext
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.ancestor import choose_base
from tavern_desktop.chat.merge import Conflict, is_collapse, merge_messages
from tavern_desktop.chat.merge_metadata import merge_metadata
from tavern_desktop.chat.merge_two_way import merge_two_way
from tavern_desktop.chat.message import ID_FIELD, Message
from tavern_desktop.chat.states import States

Args = dict[str, Any]
Record = dict[str, Any]


class _Keys(defaultdict[str, int]):
    """Our keys for the ids of a vector."""

    def __init__(self) -> None:
        super().__init__(count(1).__next__)

    def messages(self, records: Iterable[Record], id_field: str) -> list[Message]:
        return [Message(self[record[id_field]], jsontext.encode(record)) for record in records]

    def id_of(self, key: int | None) -> str | None:
        return next((name for name, known in self.items() if known == key), None)


def _renamed(records: Iterable[Record], old: str, new: str) -> list[Record]:
    """Return the records with the field `old` called `new`."""
    return [{(new if name == old else name): value for name, value in record.items()} for record in records]


def _encoded(records: Iterable[Record]) -> list[bytes]:
    return [jsontext.encode(record) for record in records]


def two_way(path: Path, args: Args) -> dict[str, Any]:
    if args["allow_shrink"]:  # a declared restore is another operation: it never comes to a merge
        return {"merged": args["memory"], "path": "override"}
    disk, memory = (_encoded(_renamed(args[side], args["id_field"], ID_FIELD)) for side in ("disk", "memory"))
    result = merge_two_way(disk, Message.read(memory))
    merged = _renamed((message.data() for message in result.messages), ID_FIELD, args["id_field"])
    return {"merged": merged, "path": result.path}


def three_way(path: Path, args: Args) -> dict[str, Any]:
    keys = _Keys()
    base, disk, memory = (keys.messages(args[side], args["id_field"]) for side in ("base", "disk", "memory"))
    result = merge_messages(base, disk, memory, {keys[name] for name in args["deleted_ids"]})
    conflicts = [_plain(conflict, keys) for conflict in result.conflicts]
    return {"merged": [message.data() for message in result.messages], "conflicts": conflicts}


def _plain(conflict: Conflict, keys: _Keys) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": conflict.kind, "id": keys.id_of(conflict.key)}
    if conflict.field is not None:
        plain["field"] = conflict.field
    if conflict.side is not None:
        plain["side"] = conflict.side
    return plain


def metadata(path: Path, args: Args) -> dict[str, Any]:
    merged, conflicts = merge_metadata(args["base"], args["disk"], args["memory"])
    return {"merged": merged, "conflicts": conflicts}


def collapse_guard(path: Path, args: Args) -> dict[str, Any]:
    return {"ask": is_collapse(args["base_count"], args["survivors"])}


def ancestor(path: Path, args: Args) -> dict[str, Any]:
    keys = _Keys()
    versions = [_records(state) for state in args["states"]]
    states = States(keys.messages(versions[0], ID_FIELD))
    numbers = [states.newest.number]
    for version in versions[1:]:
        states.record(keys.messages(version, ID_FIELD))
        numbers.append(states.newest.number)
    base = choose_base(states, _encoded(_records(args["disk"])))
    index = numbers.index(base.state.number)
    assert [message.data() for message in base.messages] == versions[index]
    return {"base_index": index}


def _records(versions: dict[str, str]) -> list[Record]:
    return [{ID_FIELD: name, "mes": version} for name, version in versions.items()]


def alignment(path: Path, args: Args) -> dict[str, Any]:
    found = align(_encoded(args["base"]), _encoded(args["other"]))
    return {"pairs": [list(pair) for pair in found.pairs], "deleted": found.deleted, "inserted": found.inserted}


def dedupe_ids(path: Path, args: Args) -> dict[str, Any]:
    records = _renamed(args["messages"], args["id_field"], ID_FIELD)
    return {"effective_ids": identity.effective_ids(_encoded(records))}


MERGE_ADAPTERS: dict[str, Callable[[Path, Args], dict[str, Any]]] = {
    "merge_two_way": two_way,
    "merge_three_way": three_way,
    "merge_metadata": metadata,
    "collapse_guard": collapse_guard,
    "ancestor": ancestor,
    "align": alignment,
    "dedupe_ids": dedupe_ids,
}
