"""The files of a journal, as found on disk: which changes are in them, and how far they are whole."""

from __future__ import annotations

import io
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.journal_format import (
    MAGIC,
    VERSION,
    BadFrame,
    Frame,
    Meta,
    Opening,
    PublishedNote,
    is_whole,
    read_frame,
)

_NAME = re.compile(r"(\d{10})\.journal")
_MOST_LOOKED_THROUGH = 64 * 1024 * 1024
"""Bytes behind a bad place in which whole frames are looked for."""


@dataclass(slots=True)
class Segment:
    """One file. `metas` and `payloads` go together; all of it ends at `end`, whatever stands behind that."""

    path: Path
    end: int = 0
    through: int = 0
    chat: str = ""
    """Path of the chat, as noted down."""
    published: PublishedNote | None = None
    """The last note in it."""
    metas: list[Meta] = field(default_factory=list)
    payloads: list[tuple[int, int]] = field(default_factory=list)
    """From where to where the payload stands."""
    is_damaged: bool = False

    @property
    def last(self) -> int:
        """The state that the last change leads to; where there is none yet, that before the first."""
        return self.metas[-1].number if self.metas else int(self.path.stem) - 1

    def take(self, data: bytes) -> range:
        """Take notice of frames that were written to the end of the file; return which changes are new."""
        before = len(self.metas)
        file = io.BytesIO(data)
        start, at = self.end, 0
        while at < len(data):
            frame = read_frame(file, at)
            self._add(frame, start)
            at = frame.end
            file.seek(at)
        return range(before, len(self.metas))

    def _add(self, frame: Frame, offset: int = 0) -> None:
        """Take a frame in that was found at `offset` from where it stands in the file."""
        match frame.head:
            case Opening():
                self.through, self.chat = frame.head.through, frame.head.chat
            case PublishedNote():
                self.published = frame.head
            case Meta():
                self.metas.append(frame.head)
                self.payloads.append((frame.payload + offset, frame.end + offset))
        self.end = frame.end + offset

    def read(self, file: BinaryIO, size: int) -> None:
        """Read all frames of the file, which has `size` bytes."""
        try:
            while self.end < size:
                frame = read_frame(file, self.end)
                if frame.end > size or not self._may_follow(frame):
                    raise BadFrame
                self._add(frame)
                file.seek(self.end)
        except BadFrame:
            self.is_damaged = _has_frames(file, self.end + 1)

    def cut_unsynced(self, file: BinaryIO) -> None:
        """Leave out changes at the end whose bytes did not reach the disk: only those after a publish may lack them."""
        synced = self.published.number if self.published is not None else 0
        for index, (meta, (start, end)) in enumerate(zip(self.metas, self.payloads, strict=True)):
            if meta.number > synced:
                file.seek(start)
                if not is_whole(meta, file.read(end - start)):
                    self.end = self.payloads[index - 1][1] if index else 0
                    del self.metas[index:], self.payloads[index:]
                    return

    def _may_follow(self, frame: Frame) -> bool:
        if isinstance(frame.head, Opening):
            return self.end == 0 and frame.head.version <= VERSION
        if isinstance(frame.head, Meta) and self.metas:
            return frame.head.before == self.metas[-1].number
        return self.end > 0


def segment_path(folder: Path, first: int) -> Path:
    """Return where a file is whose first change is `first`."""
    return folder / f"{first:010}.journal"


def segment_paths(folder: Path) -> list[Path]:
    """Return the files of a journal, the oldest first; none where there is no folder. Raises StorageError io/list."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from None
    return [folder / name for name in sorted(names) if _NAME.fullmatch(name)]


def scan(path: Path, *, is_newest: bool) -> Segment:
    """Read a file without the changes themselves. Raises StorageError io/read."""
    segment = Segment(path)
    try:
        with open(path, "rb") as file:
            segment.read(file, os.fstat(file.fileno()).st_size)
            if is_newest and not segment.is_damaged:
                segment.cut_unsynced(file)
    except OSError as error:
        raise from_os(error, "read", path) from None
    return segment


def _has_frames(file: BinaryIO, start: int) -> bool:
    """Say whether whole frames follow: then what stands before them is damaged, not merely cut off."""
    file.seek(start)
    rest = io.BytesIO(file.read(_MOST_LOOKED_THROUGH))
    data = rest.getbuffer()
    text = bytes(data)
    at = text.find(MAGIC)
    while at >= 0:
        rest.seek(at)
        try:
            read_frame(rest, at)
        except BadFrame:
            at = text.find(MAGIC, at + 1)
        else:
            return True
    return False
