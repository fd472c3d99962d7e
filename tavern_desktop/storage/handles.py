"""Opening a chat file for reading so that nobody is held up: not us by it, and no other program by us."""

from __future__ import annotations

import errno
import os
import stat
import sys
from typing import BinaryIO

if sys.platform == "win32":
    import _winapi
    import msvcrt

    _SHARE_EVERYTHING = 1 | 2 | 4  # read, write and, what open() leaves out, delete: which replacing needs
    _OPEN_EXISTING = 3


def open_shared(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file, unbuffered. Raises OSError, also for folders, pipes and devices."""
    descriptor = _descriptor(os.fspath(path))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is no ordinary file"
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, what, os.fspath(path))
    return open(descriptor, "rb", buffering=0)


def _descriptor(path: str) -> int:
    if sys.platform == "win32":
        handle = _winapi.CreateFile(
            path, _winapi.GENERIC_READ, _SHARE_EVERYTHING, _winapi.NULL, _OPEN_EXISTING, 0, _winapi.NULL
        )
        return msvcrt.open_osfhandle(handle, os.O_RDONLY)
    # A pipe that was named like a chat would otherwise make us wait for its writer.
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
