"""Chats that were deleted and of which `backups/` still has a copy: found by what is not there any more."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tavern_desktop.library.characters import card_stems
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.records import add_to_group
from tavern_desktop.session.backing_up import backups_in
from tavern_desktop.session.importing import Receiver
from tavern_desktop.storage.backups import Backup, key_of_name
from tavern_desktop.storage.directory import list_global
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.integrity import identity_on_disk


def deleted_chats(root: DataRoot, owner: Receiver) -> list[Backup]:
    """Return the newest backup of each chat of a character that is not there any more, newest first.

    Whose a group's backup is, its name does not say: for a group these are those of every group. Copies without an
    identity are left out while a chat without one is there, for they may be its own. Raises StorageError io/list.
    """
    listing = list_global(root.user_folder, card_stems(root))
    key = key_of_name(root.chat_folder(owner.character).name) if owner.character else ""
    there = [file for file in listing.files if (file.kind == "group") == bool(owner.group)]
    if owner.group:
        of_characters = {key_of_name(folder) for folder in _folders(root)}
        backups = [backup for backup in backups_in(root).list() if backup.key not in of_characters]
    else:
        there = [file for file in there if key_of_name(Path(file.file).parent.name) == key]
        backups = backups_in(root).list(key)
    present = {_identity(Path(file.file)) for file in there}
    return list(_newest_of_each(backups, present))


def bring_back(root: DataRoot, owner: Receiver, name: str, backup: Path) -> Path:
    """Copy a backup among the chats of its owner, under a free name made from `name`. Raises StorageError, OSError."""
    folder = root.group_chats if owner.group else root.chat_folder(owner.character)
    folder.mkdir(parents=True, exist_ok=True)
    path = backups_in(root).restore(backup.name, folder, name)
    if owner.group:
        add_to_group(root, owner.group, path)
    return path


def _newest_of_each(backups: Iterable[Backup], present: set[str | None]) -> Iterable[Backup]:
    """Yield the first backup of each identity that no chat has; `backups` come newest first."""
    seen = set(present)
    for backup in backups:
        identity = _identity(backup.path)
        if identity not in seen:
            seen.add(identity)
            yield backup


def _folders(root: DataRoot) -> list[str]:
    try:
        return [entry.name for entry in root.chats.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _identity(path: Path) -> str | None:
    try:
        return identity_on_disk(path)[1]
    except StorageError:
        return None
