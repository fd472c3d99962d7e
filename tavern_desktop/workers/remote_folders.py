"""Whether a folder lies on another computer: there the system tells only of what this one writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path

MOUNTS = Path("/proc/self/mountinfo")
REMOTE_TYPES = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "davfs", "vboxsf", "virtiofs"})
REMOTE_FUSE = ("sshfs", "rclone", "davfs", "s3fs", "gcsfuse", "gvfsd-fuse", "vmhgfs-fuse", "smbnetfs")
DRIVE_REMOTE = 4


def is_remote(folder: Path) -> bool:
    """Say whether `folder` is known to lie on a network or another machine's disk; may take as long as a stat."""
    path = os.path.realpath(folder)
    if sys.platform == "win32":
        return _is_remote_drive(path)
    if sys.platform == "linux":
        try:
            return is_remote_type(type_of(path, MOUNTS.read_text("utf-8", "surrogateescape")))
        except OSError:  # no /proc: nothing is known
            return False
    return False


def type_of(path: str, mounts: str) -> str:
    """Return the file system type of the mount that `path` lies on, by the lines of `mountinfo`, "" for unknown."""
    found, longest = "", -1
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        point = _unescaped(fields.split(" ")[4])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= longest:  # of two on one point the later hides the earlier
            found, longest = rest.split(" ")[0], len(point)
    return found


def is_remote_type(name: str) -> bool:
    """Say whether a file system of this type is another machine's."""
    return name in REMOTE_TYPES or (name.startswith("fuse.") and name.removeprefix("fuse.") in REMOTE_FUSE)


def _unescaped(point: str) -> str:
    for escaped, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escaped, plain)
    return point


def _is_remote_drive(path: str) -> bool:
    if sys.platform != "win32":
        return False
    import ctypes

    drive = os.path.splitdrive(path)[0]
    return drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive + "\\") == DRIVE_REMOTE
