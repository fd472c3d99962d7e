"""Which chats have changes that their files do not have yet: found at the next start if the program dies.

One small file per chat in a folder of ours, written when the journal gets ahead of the chat's file and removed once
they agree. It only points to the journal, which has the changes.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import write_small_file

FOLDER = "unsaved"
_SUFFIX = ".json"


class Unsaved(msgspec.Struct, frozen=True):
    """A chat whose journal is ahead of its file."""

    chat: str
    """Its path."""
    kind: str
    """`character` or `group`."""
    title: str
    since_ms: int
    """When it got ahead, in milliseconds since 1970."""


def note_unsaved(folder: Path, key: str, unsaved: Unsaved) -> None:
    """Write down that a chat, known by `key`, has unsaved changes. Raises StorageError."""
    make_folder(folder)
    write_small_file(folder / f"{key}{_SUFFIX}", msgspec.json.encode(unsaved))


def forget_unsaved(folder: Path, key: str) -> None:
    """Take the note back; there need be none. Raises StorageError io/delete."""
    path = folder / f"{key}{_SUFFIX}"
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise from_os(error, "delete", path) from None


def list_unsaved(folder: Path) -> list[Unsaved]:
    """Return the notes that are there, the oldest first. One that cannot be read is left out. Never fails."""
    found = []
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder)):
            if name.endswith(_SUFFIX):
                with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
                    found.append(msgspec.json.decode((folder / name).read_bytes(), type=Unsaved))
    return sorted(found, key=lambda unsaved: unsaved.since_ms)
