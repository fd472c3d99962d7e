"""Names of files changed in one step, where the system has such a step: a name that must be free (contract D8, B2),
and two names exchanged, which replaces a file without losing sight of it."""

from __future__ import annotations

import ctypes
import errno
import os
import sys

_NO_REPLACE = 1
_EXCHANGE = 2
_AT_FDCWD = -100
_NOT_HERE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM})
"""What a file system says that does not know the step."""


def move_without_replacing(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Rename a file within its file system. Raises FileExistsError where the name is taken, else OSError."""
    if sys.platform == "win32":  # there renaming never replaces
        os.rename(source, target)
    elif not _rename_in_one_step(os.fspath(source), os.fspath(target), _NO_REPLACE):
        _link_and_unlink(source, target)


def exchange(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Let two files of a file system have each other's name, in one step; False where there is no such step: nothing
    was done. Raises OSError.
    """
    return sys.platform != "win32" and _rename_in_one_step(os.fspath(one), os.fspath(other), _EXCHANGE)


def _rename_in_one_step(source: str, target: str, how: int) -> bool:
    """Rename by the system call that takes one of the flags above; False where there is none."""
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:  # not Linux, or a C library older than 2018
        return False
    if rename(_AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), how) == 0:
        return True
    number = ctypes.get_errno()
    if number in _NOT_HERE:
        return False
    raise OSError(number, os.strerror(number), source, None, target)


def _link_and_unlink(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Give the file a second name, which fails where that is taken, and then take the first away."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # no second names here (FAT, some network folders): look first, then rename
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(target)) from None
        os.rename(source, target)
    else:
        os.unlink(source)
