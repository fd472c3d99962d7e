"""What became of each save: times, counts and signatures, for finding out what happened to a chat. Never any text.

One JSON object a line, in our own folder of the data root, in two files: when the newer one is full it takes the place
of the older. A log that cannot be written is worth a warning and stops nothing. It is not synced.
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.signature import Signature

FOLDER = "savelog"
"""In our folder of a data root."""
FILE, OLDER = "savelog.jsonl", "savelog.1.jsonl"
KEPT = 1000
"""Saves that are shown, and after which a file is full."""
FULL_BYTES = 5 * 1024 * 1024 // 2

Operation = Literal["save", "metadata", "merge", "overwrite", "save_as", "restore", "recover"]
Comparison = Literal["same", "fast", "slow", "override", ""]
"""How the file on disk was found: the version we knew (same), its messages under another header (fast), another
version that was merged (slow), or replaced at the person's wish (override)."""

log = logging.getLogger(__name__)


class SaveRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """One save. Counts are messages; a signature is (size in bytes, modified in nanoseconds)."""

    at_ms: int
    """When it ended, in milliseconds since 1970."""
    chat: str
    op: str
    path: str = ""
    """A `Comparison`."""
    old_count: int | None = None
    new_count: int | None = None
    old: tuple[int, int] | None = None
    new: tuple[int, int] | None = None
    conflicts: int = 0
    lost_in_memory: int = 0
    """Messages that were gone here without a command that took them: a fault of ours."""
    deletions: int = 0
    """Messages that commands took out since the last version: the explanation of a chat that shrinks."""
    caller: str = ""
    duration_ms: int = 0
    result: str = "saved"
    """`saved`, `changed_on_disk`, or kind and detail of a StorageError as `io/space`; the name of any other error."""

    @property
    def flags(self) -> tuple[str, ...]:
        """What deserves a second look: `empty_suspect`, `shrink` (with `shrink_unexplained`), `lost_in_memory`."""
        found = []
        if self.old_count and self.new_count is not None and self.new_count < self.old_count:
            if self.new_count == 0:
                found.append("empty_suspect")
            is_explained = self.old_count - self.new_count <= self.deletions or self.op == "restore"
            found.append("shrink" if is_explained else "shrink_unexplained")
        if self.lost_in_memory:
            found.append("lost_in_memory")
        return tuple(found)


@dataclass(slots=True)
class Attempt:
    """What is known of a save under way; whoever saves fills in what turns up. See `SaveRecord`."""

    op: Operation
    old_count: int | None = None
    new_count: int | None = None
    old: Signature | None = None
    new: Signature | None = None
    path: Comparison = ""
    conflicts: int = 0
    lost_in_memory: int = 0
    deletions: int = 0
    caller: str = ""


class SaveLog:
    """The log of one data root. Methods may be called from any thread and never fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mutex = threading.Lock()
        self._count: int | None = None
        self._has_failed = False

    @contextlib.contextmanager
    def attempt(self, chat: Path, attempt: Attempt) -> Iterator[Attempt]:
        """Record the save that the block does, with how long it took and the error that ended it, if any."""
        started, result = time.monotonic(), "saved"
        try:
            yield attempt
        except BaseException as error:
            result = _result(error)
            raise
        finally:
            self.add(_record(chat, attempt, round((time.monotonic() - started) * 1000), result))

    def add(self, record: SaveRecord) -> None:
        """Append a record. Where that fails, once a warning is logged."""
        line = msgspec.json.encode(record) + b"\n"
        with self._mutex:
            try:
                self._append(line)
            except (OSError, StorageError) as error:
                if not self._has_failed:
                    log.warning("the log of saves cannot be written: %s", type(error).__name__)
                self._has_failed = True

    def _append(self, line: bytes) -> None:
        make_folder(self.folder)
        file = self.folder / FILE
        if self._count is None:
            lines = _lines(file)
            self._count = len(lines)
            if lines and not lines[-1].endswith(b"\n"):  # torn: what is added must not be lost with it
                line = b"\n" + line
        descriptor = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(descriptor, line)
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        self._count += 1
        if self._count >= KEPT or size >= FULL_BYTES:
            os.replace(file, self.folder / OLDER)
            self._count = 0


def read_save_log(folder: Path) -> list[SaveRecord]:
    """Return the last saves, newest first. Lines that cannot be read, as a torn last one, are left out."""
    records = []
    for line in [*_lines(folder / OLDER), *_lines(folder / FILE)]:
        with contextlib.suppress(msgspec.DecodeError):
            records.append(msgspec.json.decode(line, type=SaveRecord))
    return records[: -KEPT - 1 : -1]


def _lines(file: Path) -> list[bytes]:
    try:
        return file.read_bytes().splitlines(keepends=True)
    except OSError:
        return []


def _record(chat: Path, attempt: Attempt, duration_ms: int, result: str) -> SaveRecord:
    return SaveRecord(
        at_ms=time.time_ns() // 1_000_000,
        chat=str(chat),
        op=attempt.op,
        path=attempt.path,
        old_count=attempt.old_count,
        new_count=attempt.new_count,
        old=_told(attempt.old),
        new=_told(attempt.new),
        conflicts=attempt.conflicts,
        lost_in_memory=attempt.lost_in_memory,
        deletions=attempt.deletions,
        caller=attempt.caller,
        duration_ms=duration_ms,
        result=result,
    )


def _told(signature: Signature | None) -> tuple[int, int] | None:
    return (signature.size, signature.mtime_ns) if signature is not None else None


def _result(error: BaseException) -> str:
    if isinstance(error, StorageError):
        return "/".join(filter(None, (error.kind, error.detail)))
    return "changed_on_disk" if isinstance(error, ChangedOnDisk) else type(error).__name__
