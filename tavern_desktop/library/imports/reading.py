"""Reading a file of any kind that chats come in; what it is, its content says and not its name (chat files §15)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.chat.message import Message
from tavern_desktop.library.imports import agnai, cai_tools, jsonl, kobold_lite, risu, store_document, textgen
from tavern_desktop.library.imports.notes import Adjustment, Notes
from tavern_desktop.library.imports.plain_text import plain_text
from tavern_desktop.library.imports.speech import Speakers
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import ChatKind
from tavern_desktop.storage.reader import BLOCK_SIZE, Cancelled, Progress, blocks, opened

JSONL = "SillyTavern"
DOCUMENT = "chat-store"
FORMATS = (
    ("Kobold Lite", kobold_lite),
    ("CAI Tools", cai_tools),
    ("text-generation-webui", textgen),
    ("Agnai", agnai),
    ("RisuAI", risu),
)
"""The kinds of JSON files, in the order in which they are tried."""

UNKNOWN = (
    "This is no chat in a form known here: JSONL of SillyTavern, TavernAI or Chub, "
    "YAML of this program, or JSON of Kobold Lite, CAI Tools, text-generation-webui, Agnai or RisuAI"
)


@dataclass(frozen=True, slots=True)
class ReadChat:
    """One chat of a file that is imported."""

    header: Header
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a file holds. `is_exact`: it is one chat whose bytes can be copied as they are."""

    form: str
    chats: list[ReadChat]
    adjustments: tuple[Adjustment, ...]
    is_exact: bool


def read_file(
    path: Path,
    kind: ChatKind,
    speakers: Speakers,
    *,
    repair: bool = False,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
) -> ReadFile:
    """Read every chat of a file. `repair`: what is damaged is left out instead of being an error.

    Raises StorageError: validation/argument for a file that is no chat, bad_header, bad_record, bad_encoding,
    not_found, cancelled, io.
    """
    notes = Notes()
    with plain_text(path, notes) as plain:
        if store_document.fits(plain):
            return ReadFile(DOCUMENT, [_of_document(plain, notes)], notes.told(), is_exact=False)
        told = _json_of(plain)
        known = next((pair for pair in FORMATS if told is not None and pair[1].fits(told)), None)
        if told is None or known is None:
            if not _is_lines(plain, told):
                raise StorageError("validation", "argument", UNKNOWN)
            lines = jsonl.read(plain, kind, notes, repair=repair, cancelled=cancelled, progress=progress)
            chats = [ReadChat(lines.header, lines.messages)]
            return ReadFile(JSONL, chats, notes.told(), lines.is_sound and plain == path)
    if kind == "group":
        raise StorageError("validation", "argument", "Only chats in SillyTavern's own form can be given to a group")
    return _of_json(known[0], known[1], told, speakers, notes)


def _of_document(path: Path, notes: Notes) -> ReadChat:
    header, messages = store_document.read(path)
    notes.add("header", header is None)
    return ReadChat(header or Header.new(), messages)


def _of_json(form: str, reader: Any, told: dict[str, Any], speakers: Speakers, notes: Notes) -> ReadFile:
    conversations = [messages for messages in reader.read(told, speakers, notes) if messages]
    if not conversations:
        raise StorageError("validation", "argument", "There are no messages in this file")
    if not (reader is risu and risu.has_dates(told)):
        notes.add("dates")
    return ReadFile(form, [ReadChat(Header.new(), messages) for messages in conversations], notes.told(), False)


def _json_of(path: Path) -> dict[str, Any] | None:
    """Return the object that the whole file is, None where it is several lines of their own or none at all."""
    with opened(path) as (file, signature):
        stream = chat_format.records(blocks(file, signature.size, BLOCK_SIZE, path))
        first = next(stream, None)
        if first is None:
            return None
        if _object(first[2]) is not None:
            return _object(first[2]) if next(stream, None) is None else None
        if not first[2].startswith(b"{"):
            return None
        file.seek(0)
        return _object(b"".join(blocks(file, signature.size, BLOCK_SIZE, path)))


def _object(raw: bytes) -> dict[str, Any] | None:
    try:
        return jsontext.decode(raw)
    except JsonTextError:
        return None


def _is_lines(path: Path, told: dict[str, Any] | None) -> bool:
    """Tell whether this is JSONL: one line may be a header or a message, of several at least one is an object."""
    if told is not None:
        return any(key in told for key in ("chat_metadata", "user_name", "character_name", "mes"))
    with opened(path) as (file, signature):
        stream = chat_format.records(blocks(file, signature.size, BLOCK_SIZE, path))
        return any(raw.startswith(b"{") and _object(raw) is not None for _line, _offset, raw in stream)
