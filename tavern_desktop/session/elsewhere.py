"""When the disk of a chat is full: how much room there is, and a whole copy of the open chat on another disk."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.signature import Signature


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes: what a disk has left, and about what saving a chat takes, a second copy of it for a moment."""

    free: int
    needed: int


def room_for(chat: Path) -> Room:
    """Look how much room a chat has to be saved. Runs off the owner. Raises StorageError."""
    try:
        signature = Signature.of_path(chat)
        return Room(shutil.disk_usage(chat.parent).free, signature.size if signature is not None else 0)
    except OSError as error:
        raise from_os(error, "open", chat) from None


def write_elsewhere(out: Path, header: Header, messages: Sequence[Message]) -> None:
    """Write a chat as it is in memory to `out`, in the place of what is there. Runs off the owner. Raises
    StorageError."""
    try:
        expected = Signature.of_path(out)
    except OSError as error:
        raise from_os(error, "open", out) from None
    try:
        pieces = commit_pieces(header, messages)
        publish(out, pieces, expected=expected, integrity=header.integrity(), force=True)
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=out) from None
