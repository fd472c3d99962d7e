"""What tells one state of a file from another without reading it (storage contract §5.4)."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Signature:
    """Size in bytes, modification time in nanoseconds, and the file's id.

    Every atomic replace changes the id (device and inode, or the Windows file index), so two writes
    within the clock's granularity that leave the size alone are still told apart.
    """

    size: int
    mtime_ns: int
    file_id: tuple[int, int]

    @classmethod
    def of_stat(cls, status: os.stat_result) -> Signature:
        return cls(status.st_size, status.st_mtime_ns, (status.st_dev, status.st_ino))

    @classmethod
    def of_path(cls, path: str | os.PathLike[str]) -> Signature | None:
        """Return the signature of the file that `path` leads to, None where there is none. Raises OSError."""
        try:
            return cls.of_stat(os.stat(path))
        except FileNotFoundError:
            return None

    @classmethod
    def of_handle(cls, descriptor: int) -> Signature:
        return cls.of_stat(os.fstat(descriptor))

    @property
    def modified_millis(self) -> int:
        return self.mtime_ns // 1_000_000
