"""Putting a new version of a file in the place of the old one: whole, durable, or not at all (contract §5).

The new bytes are staged in the same folder and synced, the target is compared with what it was when it was
read, and one atomic step makes the new version the file; where the system can exchange names, what it replaced is
compared once more. There is no other way: never a copy over the
old bytes, never truncating in place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from tavern_desktop.storage import integrity as integrity_rules
from tavern_desktop.storage import locks
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.signature import Signature
from tavern_desktop.storage.stages import Stage, sweep

__all__ = ["ChangedOnDisk", "change_small_file", "publish", "sweep", "sync_folder", "write_small_file"]

_PATIENCE = 2.0
"""Seconds to wait for another program to let go of the file (decision D14)."""

_FIRST_WAIT = 0.02
CHANGE_ATTEMPTS = 5
"""How often a small change is made anew because another program wrote the file meanwhile."""


def publish(
    path: str | os.PathLike[str],
    pieces: Iterable[bytes],
    *,
    expected: Signature | None,
    integrity: str | None,
    force: bool = False,
) -> Signature:
    """Write a chat; return the signature of the new file. A symbolic link is followed, mode and owner are kept.

    `expected` is the signature of the version that is replaced, None where there must be no file yet.
    `integrity` is that of the new version; `force` says that the person agreed to replace another chat with it.
    Raises ChangedOnDisk where the file is not the expected one, StorageError integrity, bad_header (side
    "existing"), not_found/directory or io; then the file is as it was.
    """
    target = Path(os.path.realpath(path))
    with locks.writing(target):
        _require_expected(target, expected, integrity, force)
        return _replace(target, pieces, lambda stage: _put_for(stage, target, expected))


def write_small_file(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file of our own in the same way, whatever stands there now. Raises StorageError."""
    target = Path(os.path.realpath(path))
    with locks.writing(target):
        _replace(target, [data], Stage.replace_target)


def change_small_file(path: str | os.PathLike[str], change: Callable[[bytes], bytes | None]) -> bool:
    """Write a file that other programs write too as `change` wants its bytes, None for as they are; return whether it
    was written.

    Where another program writes it meanwhile, what that wrote is what is changed. Raises OSError, StorageError.
    """
    target = Path(os.path.realpath(path))
    with locks.writing(target):
        for _ in range(CHANGE_ATTEMPTS):
            with open(target, "rb") as file:
                read = Signature.of_handle(file.fileno())
                changed = change(file.read())
            if changed is None:
                return False
            with contextlib.suppress(ChangedOnDisk):
                _replace(target, [changed], partial(_put_for, target=target, expected=read))
                return True
    raise StorageError("io", "write", "another program writes the file again and again", chat_ref=target)


def _require_expected(target: Path, expected: Signature | None, integrity: str | None, force: bool) -> None:
    """Compare the identity first: another chat under this name is more than another version."""
    if expected is not None and not force:
        try:
            found, on_disk = integrity_rules.identity_on_disk(target)
        except StorageError as error:
            if error.kind == "not_found":
                raise ChangedOnDisk(target, None) from None
            raise
        integrity_rules.require_same_chat(on_disk, integrity)
        if found != expected:
            raise ChangedOnDisk(target, found)
    else:
        _require_unchanged(target, expected)


def _require_unchanged(target: Path, expected: Signature | None) -> None:
    try:
        found = Signature.of_path(target)
    except OSError as error:
        raise from_os(error, "open", target) from None
    if found != expected:
        raise ChangedOnDisk(target, found)


def _put_for(stage: Stage, target: Path, expected: Signature | None) -> None:
    """Let the stage be the target if that is still as expected. Raises ChangedOnDisk, StorageError, OSError."""
    _require_unchanged(target, expected)
    if expected is not None:
        stage.replace_expected(expected)
        return
    try:
        stage.take_free_name()
    except FileExistsError:
        raise ChangedOnDisk(target, Signature.of_path(target)) from None


def _replace(target: Path, pieces: Iterable[bytes], put: Callable[[Stage], None]) -> Signature:
    _require_writable(target)
    sweep(target.parent)
    stage = Stage(target)
    try:
        stage.write(pieces)
        signature = stage.sync()
        _take_place(stage, target, put)
    except BaseException:
        stage.discard()
        raise
    sync_folder(target.parent)
    stage.remove_replaced()
    return signature


def _require_writable(target: Path) -> None:
    """Respect a file marked read-only, which replacing would get around."""
    if target.exists() and not os.access(target, os.W_OK):
        raise StorageError("io", "write", "the file is read-only", chat_ref=target, errno=errno.EACCES)


def _take_place(stage: Stage, target: Path, put: Callable[[Stage], None]) -> None:
    """Put the stage in the target's place, waiting for a program that holds it open where the system minds that."""
    deadline = time.monotonic() + _PATIENCE
    wait = _FIRST_WAIT
    while True:
        try:
            put(stage)
            return
        except OSError as error:
            if not _is_blocked(error):
                raise from_os(error, "replace", target) from None
            if time.monotonic() + wait > deadline:
                raise from_os(error, "replace_blocked", target) from None
        time.sleep(wait)
        wait *= 2


def _is_blocked(error: OSError) -> bool:
    """Tell whether another program holds the file open: then waiting may help."""
    if sys.platform == "win32":
        return error.winerror in (5, 32, 33)  # access denied (also antivirus), sharing and lock violation
    return error.errno in (errno.EBUSY, errno.ETXTBSY)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder durable too, where the system can: after a power cut it is the old file or the new."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
