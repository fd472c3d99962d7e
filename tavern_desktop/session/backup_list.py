"""Which backups are copies of one chat: their names only say whose chats they are (SillyTavern data §1.4)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.session.backing_up import backups_of
from tavern_desktop.storage.backups import Backup, key_of_name, owner_of
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.summary import summarise


@dataclass(frozen=True, slots=True)
class BackupRow:
    """A backup as a list shows it. `messages` is None and `words` "" where it cannot be read."""

    path: Path
    size: int
    made_ms: int
    messages: int | None
    words: str


def backups_for(chat: Path) -> list[Backup]:
    """Return the backups of a chat, newest first: those with its identity, or where it has none those of its name.

    Runs off the owner. Raises StorageError io/list.
    """
    folder = backups_of(chat)
    if folder is None:
        return []
    found = folder.list(key_of_name(owner_of(chat)))
    identity = _identity(chat)
    return found if identity is None else [backup for backup in found if _identity(backup.path) == identity]


def newest_good(chat: Path) -> BackupRow | None:
    """Return the newest backup of a chat that can be read and has messages. Runs off the owner. Raises StorageError."""
    rows = map(row_of_backup, backups_for(chat))
    return next((row for row in rows if row.messages), None)


def row_of_backup(backup: Backup) -> BackupRow:
    """Return what there is to show of a backup; the whole file is read for it. Runs off the owner."""
    made = int(backup.mtime * 1000)
    try:
        found = summarise(backup.path, kind=kind_of(backup.path))
    except StorageError:
        return BackupRow(backup.path, backup.size, made, None, "")
    return BackupRow(backup.path, backup.size, made, found.message_count, found.preview)


def _identity(path: Path) -> str | None:
    try:
        return identity_on_disk(path)[1]
    except StorageError:
        return None
