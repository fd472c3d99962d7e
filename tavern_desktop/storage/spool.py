"""Texts that are too many for memory, in a file of ours that lives no longer than the process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import BinaryIO

from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.own_folders import make_folder


class SpoolFile:
    """A `chat.states.Spool`. The file is made with the first text. Used by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        """`folder`: one of our own, made when needed."""
        self._folder = folder
        self._file: BinaryIO | None = None
        self._places: list[tuple[int, int]] = []
        self._end = 0

    def put(self, raw: bytes) -> int:
        """Keep a text, and return the number by which it is found again. Raises StorageError."""
        try:
            if self._file is None:
                make_folder(self._folder)
                # It has no name, or loses it when it is closed: nothing is left behind by a process that is killed.
                self._file = tempfile.TemporaryFile(prefix="spool-", dir=self._folder)  # noqa: SIM115  kept open
            self._file.seek(self._end)
            self._file.write(raw)
        except OSError as error:
            raise from_os(error, "write", self._folder) from None
        self._places.append((self._end, len(raw)))
        self._end += len(raw)
        return len(self._places) - 1

    def get(self, number: int) -> bytes:
        """Return a text that was put here. Raises StorageError."""
        if self._file is None:
            raise LookupError("nothing was put into this spool")
        start, size = self._places[number]
        try:
            self._file.seek(start)
            raw = self._file.read(size)
        except OSError as error:
            raise from_os(error, "read", self._folder) from None
        if len(raw) != size:
            raise StorageError("io", "read", "the spool is cut short", chat_ref=self._folder)
        return raw

    def close(self) -> None:
        """Delete the file; what was put is gone."""
        if self._file is not None:
            self._file.close()
            self._file = None
