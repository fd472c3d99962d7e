"""Versions of chats that were put aside in our own folder, so that they are not lost with the file they were for."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.names import SUFFIX

FOLDER = "recovery"
"""In our folder of a data root."""

_STAMP = re.compile(r" - \d{4}-\d\d-\d\d \d\dh\d\dm\d\ds [0-9a-f]{4}\Z")
"""What `write_recovery_copy` puts behind the title."""


def recovered_copies(folder: Path) -> list[Backup]:
    """Return the copies in `folder`, newest first; `key` is the title of the chat. Raises StorageError io/list."""
    found = []
    try:
        for file in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # somebody took it away meanwhile
                if file.name.endswith(SUFFIX) and file.is_file():
                    status = file.stat()
                    title = _STAMP.sub("", file.name.removesuffix(SUFFIX))
                    found.append(Backup(file, title, status.st_size, status.st_mtime))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from None
    return sorted(found, key=lambda copy: -copy.mtime)
