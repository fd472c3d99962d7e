"""What lies in folders, for finding out what changed where the system does not tell."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

Scan = dict[str, tuple[int, int, int]]
"""Size, modification time in nanoseconds and inode of every file, by path."""

DEPTH = 2
"""Levels looked at: the folders of characters are the deepest that hold chats."""


def scan(folders: Iterable[Path]) -> Scan:
    """Look at every file in `folders`. What cannot be looked at counts as not there."""
    found: Scan = {}
    for folder in folders:
        _add(found, str(folder), DEPTH)
    return found


def differences(before: Scan, after: Scan) -> frozenset[str]:
    """Return the paths of files that came, went or changed."""
    return frozenset(path for path, _ in before.items() ^ after.items())


def _add(found: Scan, folder: str, depth: int) -> None:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        with contextlib.suppress(OSError):  # gone since it was listed
            if entry.is_dir():
                if depth > 1:
                    _add(found, entry.path, depth - 1)
            else:
                status = entry.stat()
                found[entry.path] = (status.st_size, status.st_mtime_ns, status.st_ino)
