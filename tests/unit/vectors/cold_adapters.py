"""Adapters of the operations about alternatives left on disk.

What TauriTavern marks in a record the program knows without: a marker of a vector stands for one of our cold messages.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tavern_desktop.chat.cold import MARK
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.storage.reader import load

Args = dict[str, Any]
Record = dict[str, Any]


def project(path: Path, args: Args) -> dict[str, Any]:
    """Number what the source holds by the records of the file, as the vectors do."""
    source = ColdSource(path.parent)
    messages = load(path, messages_of=source.read).messages
    messages[-1] = messages[-1].whole()
    return {"messages": [_marked(message, 1 + index, args) for index, message in enumerate(messages)]}


def _marked(message: Message, record: int, args: Args) -> Record:
    marker = {MARK: {"sourceId": args["source_id"], "record": record}}
    return message.seen_data() | (marker if isinstance(message, ColdMessage) else {})


def merge(path: Path, args: Args) -> dict[str, Any]:
    source = _source(path)
    return {"messages": [_live(record, source, args).data() for record in args["messages"]]}


def hydrate(path: Path, args: Args) -> dict[str, Any]:
    return {"message": _live(args["message"], _source(path), args).whole().data()}


def _source(path: Path) -> ColdSource:
    """Return a source with every record of the file but its header, unread."""
    source = ColdSource(path.parent)
    for line in path.read_bytes().split(b"\n")[1:]:
        if line.strip():
            source.put(line)
    return source


def _live(record: Record, source: ColdSource, args: Args) -> Message:
    if MARK not in record:
        return Message.new(record)
    marker = record[MARK]
    if marker["sourceId"] != args["source_id"]:
        source.close()
    live = {field: value for field, value in record.items() if field != MARK}
    place = (source, marker["record"] - 1)
    shown = {"mes": "", "swipe_id": 0, "swipes": ["", ""]}
    return ColdMessage.projected(Message.new(shown), shown, *place).saying_seen(live)


COLD_ADAPTERS: dict[str, Callable[[Path, Args], dict[str, Any]]] = {
    "cold_project": project,
    "cold_merge": merge,
    "cold_hydrate": hydrate,
}
