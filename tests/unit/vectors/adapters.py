"""Thin adapters from the operations of the vectors to the program: a file and arguments in, plain values out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tavern_desktop.chat.dates import parse_date
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.tool_pairs import ToolPairingError, tool_pairs
from tavern_desktop.storage import integrity, pages
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import chat_of_entries, commit_pieces
from tavern_desktop.storage.names import normalize_name
from tavern_desktop.storage.pages import Cursor, Page
from tavern_desktop.storage.reader import BLOCK_SIZE, load
from tavern_desktop.storage.search import Query, search_file
from tavern_desktop.storage.summary import summarise, window_info
from tests.unit.vectors.card_adapters import CARD_ADAPTERS
from tests.unit.vectors.cold_adapters import COLD_ADAPTERS
from tests.unit.vectors.entry_adapters import ENTRY_ADAPTERS
from tests.unit.vectors.file_adapters import FILE_ADAPTERS
from tests.unit.vectors.merge_adapters import MERGE_ADAPTERS
from tests.unit.vectors.vectors import bytes_of, zone_of

Args = dict[str, Any]
Adapter = Callable[[Path, Args], dict[str, Any]]


def parse_full(path: Path, args: Args, *, block_size: int = BLOCK_SIZE) -> dict[str, Any]:
    chat = load(path, kind=args.get("kind", "character"), block_size=block_size)
    return {
        "header": None if chat.header is None else chat.header.data(),
        "messages": [message.data() for message in chat.messages],
    }


def header_validate(path: Path, args: Args) -> dict[str, Any]:
    header = integrity.header_of(path.read_bytes())
    return {"integrity": header.integrity(), "metadata": header.metadata()}


def integrity_check(path: Path, args: Args) -> dict[str, Any]:
    existing, incoming = bytes_of(args["existing"]), bytes_of(args["incoming"])
    assert incoming is not None
    header = integrity.header_of(incoming)
    if existing is not None and not args["force"]:
        path.write_bytes(existing)
        _, on_disk = integrity.identity_on_disk(path)
        integrity.require_same_chat(on_disk, header.integrity())
    return {"decision": "publish"}


def serialize(path: Path, args: Args) -> dict[str, Any]:
    header, messages = args["header"], args["messages"]
    entries = [header, *messages] if header is not None or messages else []
    return {"bytes": _commit(*chat_of_entries(entries))}


def full_save(path: Path, args: Args) -> dict[str, Any]:
    chat = load(path)
    assert chat.header is not None
    messages = list(chat.messages)
    for edit in args["edits"]:
        _EDITS[edit["op"]](messages, edit)
    data = _commit(chat.header, messages)
    line, _, body = data.partition(b"\n")
    return {"header": Header(line).data(), "body": body}


def summary(path: Path, args: Args) -> dict[str, Any]:
    os.utime(path, ns=(0, args["mtime_ms"] * 1_000_000))
    found = summarise(
        path,
        directory_key=args["directory_key"],
        kind=args.get("kind", "character"),
        tz=zone_of(args["tz"]),
    )
    return {name: getattr(found, name) for name in found.__slots__}


def parse(path: Path, args: Args) -> dict[str, Any]:
    return {"ms": parse_date(args["value"], zone_of(args["tz"]))}


def tail(path: Path, args: Args) -> dict[str, Any]:
    os.utime(path, ns=(0, args["mtime_ms"] * 1_000_000))
    return _plain(pages.tail(path, args["limit"], kind=args.get("kind", "character")))


def before(path: Path, args: Args) -> dict[str, Any]:
    os.utime(path, ns=(0, args["mtime_ms"] * 1_000_000))
    cursor = Cursor(**args["cursor"])
    return _plain(pages.before(path, cursor, args["limit"], kind=args.get("kind", "character")))


def before_pages(path: Path, args: Args) -> dict[str, Any]:
    os.utime(path, ns=(0, args["mtime_ms"] * 1_000_000))
    found = pages.before_pages(path, Cursor(**args["cursor"]), args["limit"], args["pages"])
    return {"pages": [_plain(page) for page in found]}


def normalize(path: Path, args: Args) -> dict[str, Any]:
    file_name, stem = normalize_name(args["name"])
    return {"file_name": file_name, "stem": stem}


def window(path: Path, args: Args) -> dict[str, Any]:
    return window_info(args["chat_kind"], args["chat_ref"], args["message_count"])


def search_match(path: Path, args: Args) -> dict[str, Any]:
    named = path.with_name(f"{args['file_stem']}.jsonl")
    path.rename(named)
    return {"match": any(search_file(named, Query(args["query"], raw=True)))}


def pair_tools(path: Path, args: Args) -> dict[str, Any]:
    try:
        return {"pairs": [list(pair) for pair in tool_pairs(args["messages"])]}
    except ToolPairingError as error:
        raise StorageError("tool_pairing", error.detail, index=error.index) from None


ADAPTERS: dict[str, Adapter] = {
    "parse_full": parse_full,
    "header_validate": header_validate,
    "integrity_check": integrity_check,
    "serialize": serialize,
    "full_save": full_save,
    "summary": summary,
    "parse_date": parse,
    "tail": tail,
    "before": before,
    "before_pages": before_pages,
    "normalize_name": normalize,
    "window_info": window,
    "search_match": search_match,
    "tool_pairs": pair_tools,
    **COLD_ADAPTERS,
    **FILE_ADAPTERS,
    **MERGE_ADAPTERS,
    **ENTRY_ADAPTERS,
    **CARD_ADAPTERS,
}


def _commit(header: Header, messages: list[Message]) -> bytes:
    return b"".join(commit_pieces(header, messages))


def _plain(page: Page) -> dict[str, Any]:
    cursor = page.cursor
    return {
        "messages": [message.data() for message in Message.read(page.records)],
        "start_index": page.start_index,
        "total_count": page.total_count,
        "cursor": {"offset": cursor.offset, "size": cursor.size, "modified_millis": cursor.modified_millis},
        "has_more_before": page.has_more_before,
    }


def _set(messages: list[Message], edit: Args) -> None:
    message = messages[edit["index"]]
    messages[edit["index"]] = message.with_data(message.data() | {edit["field"]: edit["value"]})


def _delete(messages: list[Message], edit: Args) -> None:
    del messages[edit["index"]]


def _append(messages: list[Message], edit: Args) -> None:
    messages.append(Message.new(edit["message"]))


def _move(messages: list[Message], edit: Args) -> None:
    messages.insert(edit["to"], messages.pop(edit["from"]))


_EDITS: dict[str, Callable[[list[Message], Args], None]] = {
    "set": _set,
    "delete": _delete,
    "append": _append,
    "move": _move,
}
