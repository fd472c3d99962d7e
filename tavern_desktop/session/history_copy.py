"""A version of a chat as a file of its own. Runs off the owner."""

from __future__ import annotations

import os
import time
import uuid
from pathlib import Path

from tavern_desktop.chat.differences import is_known
from tavern_desktop.session.history import Snapshot
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError


def write_copy(out: Path, version: Snapshot) -> int:
    """Write a version into the new file `out`, as a chat with an identity of its own: with the same the two would be
    taken for one. Returns how many messages it has; those whose texts nobody has are left out.

    Raises StorageError.
    """
    header = version.header.with_metadata(version.header.metadata() | {"integrity": str(uuid.uuid4())})
    known = [message for message in version.messages if is_known(message)]
    try:
        write_new(out, Version(header, known))
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=out) from None
    return len(known)


def write_beside(chat: Path, version: Snapshot, at_ms: int) -> Path:
    """Write a version beside its chat under a name that is free and says of when it is; return the file."""
    stamp = time.strftime("%Y-%m-%d %Hh%M", time.localtime(at_ms / 1000))
    folder = chat.parent
    while True:
        out = folder / names.free_name(f"{chat.stem} ({stamp})", lambda name: os.path.lexists(folder / name))
        try:
            write_copy(out, version)
        except StorageError as error:
            if error.kind != "already_exists":  # somebody else took the name meanwhile
                raise
        else:
            return out
