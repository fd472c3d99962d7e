"""Search in every chat of a data folder, newest first. By scanning: nothing has to be opened or indexed before."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

from tavern_desktop.library.characters import card_stems
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import directory
from tavern_desktop.storage.directory import ChatFile, FileFailure
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.search import TITLE, Hit, Query, search_file

Progress = Callable[[int, int], object]


def search_chats(
    root: DataRoot,
    query: Query,
    *,
    most: int | None = None,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> Iterator[Hit | FileFailure]:
    """Yield what is found, chat by chat, as it is found, and a failure for each file that could not be read whole.

    Chats are ranked by modification time; the conflict copies of a chat come behind it, with what only they have.
    `most` limits the hits of each file. `progress` is told (bytes read, bytes in all).
    Ends early when `cancelled` says so. Raises StorageError io/list where the folder cannot be read.
    """
    listing = directory.list_global(root.user_folder, card_stems(root))
    yield from listing.failures
    files = sorted(listing.files, key=lambda file: (-file.mtime_ns, file.file))
    scans = [_Scan(query, most, cancelled, file) for file in files]
    total, done = sum(scan.size for scan in scans), 0
    for scan in scans:

        def advanced(read: int, before: int = done) -> None:
            if progress is not None:
                progress(before + read, total)

        try:
            yield from scan.found(advanced)
        except StorageError as error:
            if error.kind != "cancelled":
                raise
            return
        done += scan.size


class _Scan:
    """A chat and its conflict copies, of which only what they alone have is of interest."""

    def __init__(self, query: Query, most: int | None, cancelled: Callable[[], bool] | None, chat: ChatFile) -> None:
        self._query, self._cancelled = query, cancelled
        self._most = sys.maxsize if most is None else most
        self._kind = chat.kind
        self._files = [(chat.file, chat.size, chat.mtime_ns)]
        for copy in chat.conflicts:
            with contextlib.suppress(OSError):  # it went while we looked
                status = os.stat(copy)
                self._files.append((copy, status.st_size, status.st_mtime_ns))
        self.size = sum(size for _, size, _ in self._files)

    def found(self, advanced: Callable[[int], object]) -> Iterator[Hit | FileFailure]:
        """Yield hits and failures, file by file. Raises StorageError cancelled."""
        known: set[tuple[str, str, str]] = set()
        before = 0
        for file, size, mtime_ns in self._files:
            try:
                yield from self._new_in(file, known, partial(_plus, advanced, before))
            except StorageError as error:
                if error.kind == "cancelled":
                    raise
                yield FileFailure.of(file, error, mtime_ns)
            before += size

    def _new_in(self, file: str, known: set[tuple[str, str, str]], advanced: Callable[[int], object]) -> Iterator[Hit]:
        hits = search_file(Path(file), self._query, kind=self._kind, cancelled=self._cancelled, advanced=advanced)
        if len(self._files) == 1:
            yield from islice(hits, self._most)
            return
        earlier, is_copy, count = frozenset(known), file != self._files[0][0], 0
        for hit in hits:  # beyond the most too: what is left out here is not new in a copy
            what = (hit.name, hit.field, hit.snippet)
            if what in earlier or (is_copy and hit.field == TITLE):
                continue
            known.add(what)
            count += 1
            if count <= self._most:
                yield hit


def _plus(advanced: Callable[[int], object], before: int, read: int) -> None:
    advanced(before + read)
