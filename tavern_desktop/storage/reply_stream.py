"""The partial reply of a running generation, kept on disk so that a killed program loses at most a second of it.

One file of ours per generation (decisions D11, D13): a head that says what it is for, then what has come, piece by
piece, of the alternative that is shown and of those written beside it. It lives until the reply stands in the chat.
What a dead process left behind is offered to the person.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec

from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.own_folders import make_folder

SUFFIX = ".reply"


class StreamHead(msgspec.Struct, frozen=True):
    """What a generation is for. `after` is the number of the message it answers or adds to, counted from 0.

    `card` is the file name of the speaker's card in a group, "" elsewhere; `api` and `model` are who wrote it.
    """

    chat: str
    action: str
    speaker: str
    after: int
    started_ms: int
    model: str = ""
    api: str = ""
    card: str = ""


class _Piece(msgspec.Struct, frozen=True, omit_defaults=True):
    text: str = ""
    reasoning: str = ""
    choice: int = 0


class Part(NamedTuple):
    """What had come of one alternative."""

    text: str
    reasoning: str

    @property
    def has_words(self) -> bool:
        """Say whether it is worth keeping."""
        return bool(self.text.strip() or self.reasoning.strip())


@dataclass(frozen=True, slots=True)
class InterruptedReply:
    """What was left of a generation whose program died."""

    path: Path
    head: StreamHead
    text: str
    reasoning: str
    last_ms: int
    """When the last piece came."""
    others: tuple[Part, ...] = ()
    """What had come of alternatives that were written beside it, in order."""


class ReplyStream:
    """The file of one running generation. Confined to one lane."""

    def __init__(self, folder: Path, task_id: str, head: StreamHead) -> None:
        """Begin the file. Raises StorageError io."""
        make_folder(folder)
        self._path = folder / f"{task_id}{SUFFIX}"
        try:
            self._descriptor = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise from_os(error, "write", self._path) from None
        self._write(msgspec.json.encode(head))

    def append(self, text: str, reasoning: str, choice: int = 0) -> None:
        """Add what has come since of an alternative, 0 for the shown one, and wait until it is on the disk.

        Raises StorageError io.
        """
        if text or reasoning:
            self._write(_encoded(_Piece(text, reasoning, choice)))

    def end(self) -> None:
        """Remove the file: the reply is in the chat, or nobody wants it. A file that stays is offered again."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)
            self._path.unlink()

    def leave(self) -> None:
        """Close the file and keep it: the reply could not be put into the chat."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)

    def _write(self, line: bytes) -> None:
        try:
            rest = memoryview(line + b"\n")
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise from_os(error, "write", self._path) from None


def interrupted_replies(folder: Path) -> list[InterruptedReply]:
    """Return what dead processes left, oldest first; files of which nothing had come are removed.

    For the start of a program that owns the data folder, before anything is generated.
    """
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        reply = _read(path)
        if reply is None:
            forget(path)
        else:
            found.append(reply)
    return sorted(found, key=lambda reply: reply.head.started_ms)


def forget(path: Path) -> None:
    """Remove what was left of a generation."""
    with contextlib.suppress(OSError):
        path.unlink()


def now_ms() -> int:
    """Return the time for a head."""
    return time.time_ns() // 1_000_000


def _read(path: Path) -> InterruptedReply | None:
    """Read a file up to the first line that is not whole; None if not even its head is, or nothing had come."""
    try:
        first, *lines = path.read_bytes().split(b"\n")
        last_ms = path.stat().st_mtime_ns // 1_000_000
        head = msgspec.json.decode(first, type=StreamHead)
    except (OSError, msgspec.MsgspecError):
        return None
    pieces: dict[int, list[_Piece]] = {}
    for line in lines:
        try:
            piece = msgspec.json.decode(line, type=_Piece)
        except msgspec.MsgspecError:
            break
        pieces.setdefault(piece.choice, []).append(piece)
    parts = [part for choice in sorted(pieces) if (part := _joined(pieces[choice])).has_words]
    return InterruptedReply(path, head, *parts[0], last_ms, tuple(parts[1:])) if parts else None


def _joined(pieces: list[_Piece]) -> Part:
    return Part("".join(piece.text for piece in pieces), "".join(piece.reasoning for piece in pieces))


def _encoded(piece: _Piece) -> bytes:
    """Encode a piece; half a surrogate pair, which JSON texts may hold, becomes a replacement character."""
    try:
        return msgspec.json.encode(piece)
    except UnicodeEncodeError:
        text, reasoning = (part.encode("utf-8", "replace").decode() for part in (piece.text, piece.reasoning))
        return msgspec.json.encode(_Piece(text, reasoning, piece.choice))
