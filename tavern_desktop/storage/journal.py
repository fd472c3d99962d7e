"""The journal of one chat: every change of it, with the bytes needed to go back, in a folder of our own.

Changes are numbered; change n leads from one state of the chat to the state n. They stand in files of about a
megabyte, the newest of which grows. What a process that died left half-written at the end is cut off; a file that is
damaged elsewhere is set aside with all older ones, and a warning says so: states are found by going back from the
present, so that what is newer is still there. Reading never writes.

Everything here runs on the chat's lane, one call after another.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tavern_desktop.chat.deltas import Delta
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.journal_format import (
    VERSION,
    BadFrame,
    JournalKind,
    Meta,
    Opening,
    PublishedNote,
    entry_delta,
    entry_frame,
    framed,
)
from tavern_desktop.storage.journal_segments import Segment, scan, segment_path, segment_paths
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import sync_folder, write_small_file
from tavern_desktop.storage.signature import Signature

FULL_BYTES = 1024 * 1024
FULL_ENTRIES = 500
"""A file that is larger, or has more changes, is closed, and the next change begins a new one."""
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """A change to be written down; `number` is one more than that of the change before."""

    number: int
    at_ms: int
    kind: JournalKind
    label: str
    delta: Delta
    undoes: int | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """The newest state that was written to the chat's file, and what the file was known by then."""

    signature: Signature
    number: int
    count: int
    at_ms: int


class Journal:
    """The journal in `folder`, which need not exist yet; it is read when it is first asked for something.

    `chat` (its path) is only noted down for whoever looks into the folder. Methods raise StorageError io.
    """

    def __init__(self, folder: Path, chat: str = "") -> None:
        self.folder = folder
        self.warnings: list[str] = []
        """Sentences for the person, about what was found damaged."""
        self._chat = chat
        self._known: list[Segment] | None = None
        self._places: dict[int, tuple[Segment, int]] = {}
        """Segment and place in its list, by number of the change."""
        self._useless: list[Path] = []
        """Files that took part in a joining whose end was cut short."""
        self._damaged: list[Path] = []
        self._unsynced: set[Path] = set()
        self._has_new_names = False

    # -- reading ----------------------------------------------------------------------------------------

    @property
    def number(self) -> int:
        """The newest state; 0 where nothing was written down yet."""
        return self.segments[-1].last if self.segments else 0

    @property
    def oldest(self) -> int:
        """The oldest state that can be gone back to; `number` where there is no other."""
        return next((meta.before for segment in self.segments for meta in segment.metas), self.number)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(segment.end for segment in self.segments)

    @property
    def published(self) -> Published | None:
        """The state that was last known to be the file."""
        notes = [segment.published for segment in self.segments if segment.published is not None]
        if not notes:
            return None
        note = notes[-1]
        return Published(Signature(note.size, note.mtime_ns, note.file_id), note.number, note.count, note.at_ms)

    def metas(self) -> list[Meta]:
        """Return all changes, the newest first, without reading them."""
        return [meta for segment in reversed(self.segments) for meta in reversed(segment.metas)]

    def delta(self, number: int) -> Delta:
        """Return a change. Raises not_found/source where there is none of this number (any more)."""
        segment, index = self._place(number)
        with _opened(segment.path) as file:
            return _read_delta(file, segment, index)

    def payload(self, number: int) -> bytes:
        """Return a change as it is written, for copying it."""
        segment, index = self._place(number)
        with _opened(segment.path) as file:
            return _read_payload(file, segment, index)

    def deltas_back(self, after: int = 0) -> Iterator[tuple[Meta, Delta]]:
        """Yield the changes, the newest first, down to the one that leads from the state `after`."""
        for segment in reversed(self.segments):
            if segment.last <= after:
                return
            with _opened(segment.path) as file:
                for index in range(len(segment.metas) - 1, -1, -1):
                    if segment.metas[index].number <= after:
                        return
                    yield segment.metas[index], _read_delta(file, segment, index)

    @property
    def segments(self) -> list[Segment]:
        """The files, the oldest first; for what thins them."""
        if self._known is None:
            self._known = self._read_patiently()
        return self._known

    # -- writing ----------------------------------------------------------------------------------------

    def append(self, entries: Sequence[Entry]) -> None:
        """Write changes down, all of them or none. They are not durable before `sync`."""
        frames, before = [], self.number
        for entry in entries:
            if entry.number != before + 1:
                raise ValueError(f"change {entry.number} does not follow {before}")
            frames.append(
                entry_frame(
                    entry.number, before, entry.at_ms, entry.kind, entry.label, entry.delta, entry.undoes
                )
            )  # fmt: skip
            before = entry.number
        if frames:
            self._write(frames)

    def note_published(self, signature: Signature, number: int, count: int) -> None:
        """Write down that the file now holds the state `number` of `count` messages. Not durable before `sync`."""
        at_ms = time.time_ns() // 1_000_000
        note = PublishedNote(signature.size, signature.mtime_ns, signature.file_id, number, count, at_ms)
        self._write([framed(note)])

    def sync(self) -> None:
        """Wait until everything written is on the disk."""
        for path in sorted(self._unsynced):
            try:
                with open(path, "r+b", buffering=0) as file:
                    os.fsync(file.fileno())
            except OSError as error:
                raise from_os(error, "sync", path) from None
            self._unsynced.discard(path)
        if self._has_new_names:
            for folder in (self.folder, self.folder.parent, self.folder.parent.parent):
                sync_folder(folder)
            self._has_new_names = False

    def rewrite(self, segments: Sequence[Segment], frames: Iterable[bytes]) -> None:
        """Put other frames in the place of neighbouring files: in one step, so that a crash leaves the old or the new.

        The newest file cannot be among them.
        """
        self._repair()
        opening = framed(Opening(VERSION, segments[-1].last, self._chat))
        write_small_file(segments[0].path, b"".join((opening, *frames)))
        for segment in segments[1:]:  # where this is cut short, the next reading finds that they are of no use
            with contextlib.suppress(OSError):
                segment.path.unlink()
        self.forget()

    def drop_oldest(self, count: int) -> None:
        """Remove the oldest files: the states before them can no longer be reached."""
        self._repair()
        for segment in self.segments[:count]:
            try:
                segment.path.unlink()
            except OSError as error:
                raise from_os(error, "delete", segment.path) from None
        self.forget()

    def forget(self) -> None:
        """Read everything anew when it is next asked for."""
        self._known = None

    # -- how it is done ---------------------------------------------------------------------------------

    def _place(self, number: int) -> tuple[Segment, int]:
        _ = self.segments
        place = self._places.get(number)
        if place is None:
            raise StorageError("not_found", "source", "this version is not kept any more")
        return place

    def _read_patiently(self) -> list[Segment]:
        """Read the files, again where another process has just joined some of them."""
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._read()
            except StorageError as error:
                if error.errno != errno.ENOENT:
                    raise
        return self._read()

    def _read(self) -> list[Segment]:
        """Find the files that can be used: those that follow each other up to the newest."""
        self._useless, self._damaged = [], []
        usable: list[Segment] = []
        through = 0
        paths = segment_paths(self.folder)
        for path in paths:
            segment = scan(path, is_newest=path is paths[-1])
            if not segment.metas and segment.published is None and not segment.is_damaged:
                if segment.end == 0:
                    self._useless.append(path)  # its writer died before the first change was in it
                continue
            if segment.metas and segment.last <= through:
                self._useless.append(path)
                continue
            through = max(through, segment.through)
            if segment.is_damaged or not _follows(usable, segment):
                self._damaged += [older.path for older in usable]
                usable = []
            if segment.is_damaged:
                self._damaged.append(path)
            else:
                usable.append(segment)
        if self._damaged and not self.warnings:
            self.warnings.append("Earlier versions of this chat are damaged and were set aside; newer ones are kept.")
        self._places = {meta.number: (segment, index) for segment in usable for index, meta in enumerate(segment.metas)}
        if usable:  # another process may have died before its sync
            self._unsynced.add(usable[-1].path)
        return usable

    def _repair(self) -> None:
        """Set aside what is damaged and remove what is of no use, before anything is written."""
        _ = self.segments
        for path in self._useless:
            with contextlib.suppress(OSError):
                path.unlink()
        for path in self._damaged:
            try:
                os.replace(path, path.with_suffix(f".damaged-{time.time_ns() // 1_000_000}"))
            except OSError as error:
                raise from_os(error, "replace", path) from None
        self._useless, self._damaged = [], []

    def _write(self, frames: list[bytes]) -> None:
        self._repair()
        segment = self.segments[-1] if self.segments else None
        if segment is None or segment.end >= FULL_BYTES or len(segment.metas) >= FULL_ENTRIES:
            self.sync()  # only the end of the newest file may ever be torn
            segment = self._begin()
            frames = [framed(Opening(VERSION, 0, self._chat)), *frames]
        is_new = segment.end == 0
        data = b"".join(frames)
        try:
            _write_at(segment.path, segment.end, data, is_new=is_new)
        except OSError as error:
            raise from_os(error, "write", segment.path) from None
        self._unsynced.add(segment.path)
        self._has_new_names |= is_new
        added = segment.take(data)
        if is_new:
            self.segments.append(segment)
        self._places.update((segment.metas[index].number, (segment, index)) for index in added)

    def _begin(self) -> Segment:
        make_folder(self.folder)
        return Segment(segment_path(self.folder, self.number + 1))


def _follows(segments: Sequence[Segment], segment: Segment) -> bool:
    return not segments or not segment.metas or segment.metas[0].before == segments[-1].last


def _write_at(path: Path, end: int, data: bytes, *, is_new: bool) -> None:
    """Write behind what is known to be whole. Raises OSError; then the file ends there again, or will be cut there."""
    with open(path, "wb" if is_new else "r+b", buffering=0) as file:
        file.truncate(end)
        file.seek(end)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[file.write(rest) :]
        except OSError:
            with contextlib.suppress(OSError):
                file.truncate(end)
            raise


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as file:
            yield file
    except OSError as error:
        raise from_os(error, "read", path) from None


def _read_payload(file: BinaryIO, segment: Segment, index: int) -> bytes:
    start, end = segment.payloads[index]
    file.seek(start)
    return file.read(end - start)


def _read_delta(file: BinaryIO, segment: Segment, index: int) -> Delta:
    try:
        return entry_delta(segment.metas[index], _read_payload(file, segment, index))
    except BadFrame:
        raise StorageError("io", "read", "this version is damaged", chat_ref=segment.path) from None
