"""Reading a chat for a session: what runs off the owner."""

from __future__ import annotations

import dataclasses
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from tavern_desktop.chat import facts
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.runner import Runner
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import LoadedChat, MessagesOf, load
from tavern_desktop.storage.savelog import SaveLog
from tavern_desktop.storage.signature import Signature

S = TypeVar("S")
T = TypeVar("T")

ChatKind = Literal["character", "group"]

ReadOnlyReason = Literal["not_a_chat", "owned_elsewhere", "old_form"]
"""Why nothing may be changed: no message in the file (D26); another process owns the data folder (D28);
a group chat without a header that shall keep its old form (D6)."""

READ_ONLY_REFUSALS: dict[ReadOnlyReason | None, str] = {
    "not_a_chat": "This file holds no messages: it is not a chat, so it can only be looked at.",
    "owned_elsewhere": "Another program has this data folder open, so its chats can only be looked at here.",
    "old_form": "This group chat keeps its old form without a header, so it can only be looked at here.",
}
"""What is said when somebody wants to change such a chat."""

HeaderForHeaderless = Callable[[Path], tuple[dict[str, Any], bool]]
"""For a group chat without a header: its metadata, and whether writing a header needs consent (contract G1, G2)."""


def in_memory(_path: Path) -> MessagesOf:
    """Return what makes messages that are in memory as a whole."""
    return Message.read


@dataclass(frozen=True, slots=True)
class Setup:
    """What every session of a program is given."""

    runner: Runner
    recovery_folder: Path
    header_for_headerless: HeaderForHeaderless
    read_only: bool = False
    preview_limit: int = 100
    """How many of the newest messages to show while the rest is read; 0 = none."""
    own_folder: Path | None = None
    """Our own folder for the data root; without it nothing is kept beside the chats."""
    save_log: SaveLog | None = None
    journals: JournalPlace | None = None
    messages_of: Callable[[Path], MessagesOf] = in_memory
    """Called for each load of a file, off the owner: what makes messages of its records."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A chat as a session needs it. `header` has an integrity value, which may be ours (H4)."""

    header: Header
    messages: list[Message]
    signature: Signature
    warnings: tuple[str, ...]
    is_chat: bool
    needs_header_consent: bool
    identity: str | None
    """The integrity value that the file itself has."""


def load_chat(
    path: Path,
    kind: ChatKind,
    header_for_headerless: HeaderForHeaderless,
    cancelled: Callable[[], bool],
    progress: Callable[[int, int], None],
    messages_of: Callable[[Path], MessagesOf] = in_memory,
) -> Loaded:
    """Read the whole chat, trying once more if it was cut short while being read. Raises StorageError."""
    options: dict[str, Any] = {"kind": kind, "cancelled": cancelled, "progress": progress}
    try:
        read = load(path, messages_of=messages_of(path), **options)
    except StorageError as error:
        if error.kind != "truncated":
            raise
        read = load(path, messages_of=messages_of(path), **options)
    read.messages[-1:] = [message.whole() for message in read.messages[-1:]]
    metadata: dict[str, Any] = {}
    needs_consent = False
    if read.header is None and kind == "group" and read.messages:
        metadata, needs_consent = header_for_headerless(path)
    if read.signature is None:
        raise AssertionError("only a missing file, which is an error here, has no signature")
    header = read.header.with_integrity() if read.header else Header.new(metadata).with_integrity()
    identity = read.header.integrity() if read.header else None
    return Loaded(header, read.messages, read.signature, read.warnings, _is_chat(read), needs_consent, identity)


def one_then_other(one: Callable[[], S], other: Callable[[], T]) -> tuple[S, T]:
    """Do two things in one piece of work."""
    return one(), other()


def with_known_keys(known: Sequence[Message], read: list[Message]) -> list[Message]:
    """Return `read` with the keys of `known` where both begin and end alike."""
    shortest = min(len(known), len(read))
    head = 0
    while head < shortest and known[head].raw == read[head].raw:
        head += 1
    tail = 0
    while tail < shortest - head and known[-1 - tail].raw == read[-1 - tail].raw:
        tail += 1
    messages = list(read)
    for index in (*range(head), *range(-tail, 0)):
        messages[index] = read[index].with_key(known[index].key)
    return messages


def read_again(read: Callable[[], Loaded], known: Sequence[Message]) -> Loaded:
    """Read a chat that was read before, when it was `known`: messages that are the same keep their keys."""
    loaded = read()
    return dataclasses.replace(loaded, messages=with_known_keys(known, loaded.messages))


def write_recovery_copy(folder: Path, stem: str, header: Header, messages: Sequence[Message]) -> Path:
    """Write a version that the file will not have into our own folder; return where it is. Raises StorageError."""
    make_folder(folder)
    stamp = time.strftime("%Y-%m-%d %Hh%Mm%Ss")
    # The longest name that every file system takes has 255 bytes, and a character has up to four.
    path = folder / f"{stem[:50]} - {stamp} {uuid.uuid4().hex[:4]}.jsonl"
    publish(path, chat_format.commit_pieces(header, messages), expected=None, integrity=header.integrity())
    return path


def _is_chat(read: LoadedChat) -> bool:
    """Tell a chat from other JSON Lines (D26): it has a header or messages."""
    if read.header is None:
        return not read.messages or any(map(_has_text, read.messages))
    header = read.header.data()
    names_a_chat = "chat_metadata" in header or "user_name" in header or "character_name" in header
    return names_a_chat or "mes" in header or any(map(_has_text, read.messages))


def _has_text(message: Message) -> bool:
    return b'"mes"' in message.raw and facts.TEXT_FIELD in message.data()
