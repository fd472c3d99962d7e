"""A whole chat file made of what can be read of a damaged one, which itself is never touched."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage import names
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.recovery import RecoveryView


def write_repaired_copy(path: Path, rest: RecoveryView) -> Path:
    """Write every readable message of `rest` into a new chat beside `path` and return its file.

    A header that cannot be read is replaced by a new one. Runs off the owner. Raises StorageError.
    """
    header = (rest.header or Header.new()).with_integrity()
    messages = Message.read(row.raw for row in rest.rows if row.error is None)
    taken = path.parent
    copy = taken / names.free_name(f"{path.stem} (repaired)", lambda name: (taken / name).exists())
    publish(copy, commit_pieces(header, messages), expected=None, integrity=header.integrity())
    return copy
