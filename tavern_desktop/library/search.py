"""Search in every chat of a data folder, newest first. By scanning: nothing has to be opened or indexed before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from tavern_desktop.library.characters import card_stems
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import directory
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.search import Hit, Query, search_file

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

    Chats are ranked by modification time. `most` limits the hits of each chat. `progress` is told (bytes read, bytes
    in all). Ends early when `cancelled` says so. Raises StorageError io/list where the folder cannot be read.
    """
    listing = directory.list_global(root.user_folder, card_stems(root))
    yield from listing.failures
    files = sorted(listing.files, key=lambda file: (-file.mtime_ns, file.file))
    total, done = sum(file.size for file in files), 0
    for file in files:

        def advanced(read: int, before: int = done) -> None:
            if progress is not None:
                progress(before + read, total)

        try:
            hits = search_file(Path(file.file), query, kind=file.kind, cancelled=cancelled, advanced=advanced)
            yield from islice(hits, most)
        except StorageError as error:
            if error.kind == "cancelled":
                return
            yield FileFailure.of(file.file, error, file.mtime_ns)
        done += file.size
