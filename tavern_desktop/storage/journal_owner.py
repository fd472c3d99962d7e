"""Whose a journal is: the identity of its chat, and the path by which that was known, in small files beside it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.publish import write_small_file

IDENTITY = "identity"
NAME = "name"
"""Where the path of a chat that was renamed is; the journal itself has the one that it had when a file of it began."""


def identity_of(journal: Journal) -> str | None:
    """Return the integrity value of the chat, None where that is not known."""
    return _read(journal.folder / IDENTITY) or None


def keep_identity(folder: Path, identity: str | None) -> None:
    """Write down whose journal it is. Raises StorageError."""
    write_small_file(folder / IDENTITY, (identity or "").encode())


def journal_chat(journal: Journal) -> str:
    """Return the path of the chat below its data root, "" where that is not known. Raises nothing."""
    name = _read(journal.folder / NAME)
    with contextlib.suppress(StorageError, IndexError):
        return name or journal.segments[-1].chat
    return ""


def keep_name(folder: Path, name: str) -> None:
    """Write down the new path of a chat, if it has a journal. That history goes on does not depend on it."""
    with contextlib.suppress(StorageError):
        if folder.is_dir():
            write_small_file(folder / NAME, name.encode("utf-8", "surrogateescape"))


def _read(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_bytes().decode("utf-8", "surrogateescape")
    return ""
