"""A whole chat file made of what can be read of a damaged one, which itself is never touched."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.recovery import RecoveryView, recovery

REST = ".damaged"
"""Behind the copy's name: the lines that cannot be read, byte for byte. No program lists it as a chat."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repaired copy. `rest` has the lines that could not be read, None where there are none."""

    path: Path
    messages: int
    damaged: int
    rest: Path | None


def write_repaired_copy(path: Path, rest: RecoveryView) -> Path:
    """Write every readable message of `rest` into a new chat beside `path` and return its file.

    A header that cannot be read is replaced by a new one. Runs off the owner. Raises StorageError.
    """
    taken = path.parent
    copy = taken / names.free_name(f"{path.stem} (repaired)", lambda name: (taken / name).exists())
    _write(copy, rest)
    return copy


def repair_to(path: Path, out: Path) -> Repaired:
    """Write everything readable of the chat at `path` to `out`, and the lines that are not to a file beside it.

    A file in UTF-16 is refused: line by line nothing of it can be read, and the copy would be an empty chat that
    passes for sound, while importing reads all of it. Raises CommandRefused, StorageError already_exists/target,
    not_found, io.
    """
    beside = out.with_name(out.name + REST)
    for target in (out, beside):
        if target.exists():
            raise StorageError("already_exists", "target", chat_ref=target)
    view = recovery(path, kind=kind_of(path))
    if view.damage == "utf16":
        raise CommandRefused(
            "The file is UTF-16 text: import it as a chat, which reads all of it. Nothing was written."
        )
    _write(out, view)
    damaged = [row.raw for row in view.rows if row.error is not None]
    if damaged:
        publish(beside, (line + b"\n" for line in damaged), expected=None, integrity=None)
    return Repaired(out, view.readable, len(damaged), beside if damaged else None)


def _write(target: Path, view: RecoveryView) -> None:
    header = (view.header or Header.new()).with_integrity()
    messages = Message.read(row.raw for row in view.rows if row.error is None)
    try:
        write_new(target, Version(header, messages))
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=target) from None
