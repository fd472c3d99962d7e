"""Replacing small files of our own (settings, the index) so that a crash leaves the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def replace_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Put `data` at `path` in one step. Its folder must exist.

    `durable` waits until the data is on the disk; without it a power cut may leave the file damaged, which
    suits caches only. Raises OSError, and then the file is as it was.
    """
    stage = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(stage, "xb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(stage, path)
    except OSError:
        with contextlib.suppress(OSError):
            stage.unlink()
        raise
