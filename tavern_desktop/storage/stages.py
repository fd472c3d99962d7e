"""Stage files: where a new version is written before it takes the place of the old one (decision D23).

A stage is `.td-<8 hex>.tmp` in its target's folder, whatever the target's name, so no program lists it as a
chat. The operating system locks it for as long as it is written; one whose lock is free was left by a
process that died, and is swept.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import secrets
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.moves import exchange, move_without_replacing
from tavern_desktop.storage.signature import Signature

_NAME = re.compile(r"\.td-[0-9a-f]{8}\.tmp")
_UNLOCKABLE_AGE = 24 * 3600
"""Seconds after which a stage counts as left behind where the file system knows no locks."""

_log = logging.getLogger(__name__)


class Stage:
    """A new, locked, empty file beside `target`. Methods raise StorageError io unless they say otherwise."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._size = 0
        self._descriptor = -1
        self._has_replaced = False
        self._has_others = False
        """Whether the stage's name was another program's version's, which could not be put back."""
        try:
            status = os.stat(target)
        except OSError:
            status = None
        while self._descriptor < 0:
            self._create(0o666 if status is None else 0o600)
        if status is not None:
            self._take_after(status)

    def write(self, pieces: Iterable[bytes]) -> None:
        """Write all pieces, one after the other; none of them is kept."""
        try:
            for piece in pieces:
                self._size += len(piece)
                rest = memoryview(piece)
                while rest:
                    rest = rest[os.write(self._descriptor, rest) :]
        except OSError as error:
            raise from_os(error, "write", self._target) from None

    def clone(self, source: int) -> bool:
        """Take the content of the open file `source` by sharing its blocks; False where the file system cannot."""
        if not _share_blocks(source, self._descriptor):
            return False
        self._size = os.fstat(self._descriptor).st_size
        return True

    def sync(self) -> Signature:
        """Wait until what was written is on the disk, all of it; return what the file will be known by."""
        try:
            os.fsync(self._descriptor)
            signature = Signature.of_handle(self._descriptor)
        except OSError as error:
            raise from_os(error, "sync", self._target) from None
        if signature.size != self._size:
            message = f"{signature.size:,} of {self._size:,} bytes arrived"
            raise StorageError("io", "write", message, chat_ref=self._target)
        return signature

    def replace_target(self) -> None:
        """Take the target's place in one step, whatever is there. Raises OSError; may then be tried again."""
        if sys.platform == "win32":  # an open file cannot be renamed there
            self._close()
        os.replace(self._path, self._target)
        self._close()

    def replace_expected(self, expected: Signature) -> None:
        """Take the target's place in one step if `expected` is what is there. Raises ChangedOnDisk, OSError.

        However late one looks at the target, another program may write it between the look and the rename. So the two
        exchange names where the system can do that; what came out is looked at, and put back if it is another version.
        """
        if not exchange(self._path, self._target):
            self.replace_target()
            return
        found = Signature.of_path(self._path)
        if found is not None and found != expected:
            self._put_back()
            raise ChangedOnDisk(self._target, found)
        self._has_replaced = True
        self._close()

    def remove_replaced(self) -> None:
        """Remove what the target was, once its new version is on the disk; if that fails the next sweep does it."""
        if self._has_replaced:
            self.discard()

    def _put_back(self) -> None:
        """Give the target what came out of it; what was written there since is newer and stays."""
        try:
            exchange(self._path, self._target)
            if not os.path.samestat(os.stat(self._path), os.fstat(self._descriptor)):
                exchange(self._path, self._target)
        except OSError:
            self._give_a_name()
            raise

    def _give_a_name(self) -> None:
        """Make another program's version, which cannot be put back, a file of its own that no sweep removes."""
        self._has_others = True
        name = f"{self._target.stem} - other version {secrets.token_hex(2)}{self._target.suffix}"
        with contextlib.suppress(OSError):
            move_without_replacing(self._path, self._target.with_name(name))

    def take_free_name(self) -> None:
        """Become the target in one step if there is none yet. Raises FileExistsError, OSError."""
        if sys.platform == "win32":
            self._close()
        move_without_replacing(self._path, self._target)
        self._close()

    def discard(self) -> None:
        """Remove the stage; if that fails the next sweep does it."""
        if self._has_others:
            return self._close()
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                self._close()
            os.unlink(self._path)
        self._close()

    def _create(self, mode: int) -> None:
        """Create and lock the file; a sweep that came in between takes it away, then there is none yet."""
        self._path = self._target.parent / f".td-{secrets.token_hex(4)}.tmp"
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(self._path, flags, mode)
        except FileExistsError:
            return
        except FileNotFoundError:
            raise StorageError("not_found", "directory", chat_ref=self._target.parent) from None
        except OSError as error:
            raise from_os(error, "write", self._target) from None
        try:
            is_ours = _lock(descriptor) is not False and _is_linked(descriptor)
        except OSError as error:
            os.close(descriptor)
            raise from_os(error, "write", self._target) from None
        if is_ours:
            self._descriptor = descriptor
        else:
            os.close(descriptor)

    def _take_after(self, status: os.stat_result) -> None:
        """Give the stage the target's owner, where that is allowed, and its mode."""
        if sys.platform == "win32":
            return
        for owner in ((status.st_uid, status.st_gid), (-1, status.st_gid)):
            with contextlib.suppress(OSError):
                os.fchown(self._descriptor, *owner)
                break
        with contextlib.suppress(OSError):  # FAT and some network folders know no modes
            os.fchmod(self._descriptor, status.st_mode & 0o7777)

    def _close(self) -> None:
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = -1


def sweep(folder: str | os.PathLike[str]) -> None:
    """Remove the stages in `folder` that nobody is writing. Failing is at most worth a warning."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if _NAME.fullmatch(entry.name)]
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        try:
            _remove_abandoned(path)
        except FileNotFoundError:
            pass  # somebody else swept, or its writer finished
        except OSError as error:
            _log.warning("a stage file of a dead process could not be removed: %s", error.strerror)


def _remove_abandoned(path: str) -> None:
    if sys.platform == "win32":
        with contextlib.suppress(PermissionError):  # open in its writer
            os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        is_mine = _lock(descriptor)
        if is_mine is None:
            is_mine = time.time() - os.fstat(descriptor).st_mtime > _UNLOCKABLE_AGE
        if is_mine:
            os.unlink(path)
    finally:
        os.close(descriptor)


def _is_linked(descriptor: int) -> bool:
    return sys.platform == "win32" or os.fstat(descriptor).st_nlink > 0


if sys.platform == "win32":

    def _lock(descriptor: int) -> bool | None:
        """Do nothing: a file open without delete sharing cannot be removed, which is all that the lock is for."""
        return None

    def _share_blocks(source: int, target: int) -> bool:
        """Do nothing: no file system that is common there can."""
        return False

else:
    import fcntl

    _FICLONE = 0x40049409
    """Linux: give one file the blocks of another (Btrfs, XFS, bcachefs); other systems refuse the number."""

    def _lock(descriptor: int) -> bool | None:
        """Lock an open stage. False: another process has it locked; None: the file system knows no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True

    def _share_blocks(source: int, target: int) -> bool:
        """Let `target` have the content of `source` without copying it; False: it is as it was."""
        if sys.platform != "linux":
            return False
        try:
            fcntl.ioctl(target, _FICLONE, source)
        except OSError:
            return False
        return True
