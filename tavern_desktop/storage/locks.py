"""One writer at a time for each file, within this process (storage contract §5.1); other programs do not see it."""

from __future__ import annotations

import os
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

FileKey = tuple[int, int, str]


@dataclass(slots=True)
class _Held:
    lock: threading.Lock = field(default_factory=threading.Lock)
    users: int = 0


_guard = threading.Lock()
_held: dict[FileKey, _Held] = {}


def file_key(path: str | os.PathLike[str]) -> FileKey:
    """Return what two spellings of a path have in common if they may reach the same file (§12).

    Case and Unicode form of the name count for nothing, for there are file systems that do not tell them
    apart. The file itself need not exist.
    """
    folder, name = os.path.split(os.path.realpath(path))
    try:
        status = os.stat(folder)
    except OSError:  # no such folder: nothing can be written there either
        return 0, 0, os.path.join(folder, name)
    return status.st_dev, status.st_ino, unicodedata.normalize("NFC", name).casefold()


def same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Tell whether two paths lead to one file. Names that differ in case are two files where the disk has two."""
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    if file_key(one) != file_key(other):
        return False
    try:
        return os.path.samefile(one, other)
    except OSError:  # at least one of them is not there
        return False


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait until nobody else in this process writes the file, and keep them waiting meanwhile."""
    key = file_key(path)
    with _guard:
        held = _held.setdefault(key, _Held())
        held.users += 1
    try:
        with held.lock:
            yield
    finally:
        with _guard:
            held.users -= 1
            if not held.users:
                del _held[key]
