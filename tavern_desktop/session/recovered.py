"""What was put aside in our own folder instead of being lost: versions of chats, and text that was typed for one."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

from tavern_desktop.session.backup_list import BackupRow, row_of_backup
from tavern_desktop.session.orphan_drafts import TEXT_SUFFIX
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.names import SUFFIX

FOLDER = "recovery"
"""In our folder of a data root."""
SHOWN = 400
"""Characters of a typed text that a list shows."""

_STAMP = re.compile(r" - \d{4}-\d\d-\d\d \d\dh\d\dm\d\ds [0-9a-f]{4}\Z")
"""What is put behind the title."""


def row_of_copy(copy: Backup) -> BackupRow:
    """Return what there is to show of a copy; of typed text the beginning. Runs off the owner."""
    if copy.path.suffix != TEXT_SUFFIX:
        return row_of_backup(copy)
    with copy.path.open(encoding="utf-8", errors="replace") as file:
        return BackupRow(copy.path, copy.size, int(copy.mtime * 1000), None, file.read(SHOWN))


def recovered_copies(folder: Path) -> list[Backup]:
    """Return the copies in `folder`, newest first; `key` is the title of the chat. Raises StorageError io/list."""
    found = []
    try:
        for file in folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # somebody took it away meanwhile
                if file.suffix in (SUFFIX, TEXT_SUFFIX) and file.is_file():
                    status = file.stat()
                    title = _STAMP.sub("", file.stem)
                    found.append(Backup(file, title, status.st_size, status.st_mtime))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from None
    return sorted(found, key=lambda copy: -copy.mtime)
