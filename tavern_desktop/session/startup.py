"""Which data folder a start of the program, with or without a window, works on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot, ensure_own_root, recognise, users
from tavern_desktop.resources import resource_path
from tavern_desktop.session.preferences import Preferences
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import OwnFolders

SAMPLE = "sample"


def choose_root(folders: OwnFolders, preferences: Preferences, given: str | None, user: str | None) -> DataRoot:
    """Return the data root to work on: the one `given`, else the one remembered, else our own with the sample.

    `user` chooses among the users of a folder that has several. Raises StorageError not_found/directory where
    the folder is missing or is none, with a message that says which; OSError where our own cannot be made.
    """
    settings = preferences.settings.value
    if given is not None:
        return _known(Path(given), user, "")
    if settings.data_root is not None:
        return _known(Path(settings.data_root), user or settings.user, "The data folder used last is not usable. ")
    return _with_user(ensure_own_root(folders, resource_path(SAMPLE)), user)


def remember_root(preferences: Preferences, root: DataRoot) -> None:
    """Make `root` the one for the next start. Raises StorageError."""
    preferences.settings.update(data_root=str(root.path), user=root.user)


def _known(path: Path, user: str | None, opening: str) -> DataRoot:
    if not path.is_dir():
        raise StorageError("not_found", "directory", message=f"{opening}There is no folder {path}.")
    root = recognise(path)
    if root is None:
        raise StorageError(
            "not_found",
            "directory",
            message=f"{opening}{path} is no SillyTavern or TauriTavern data folder: none of its folders holds "
            "characters and chats.",
        )
    return _with_user(root, user)


def _with_user(root: DataRoot, user: str | None) -> DataRoot:
    if user is None or user == root.user:
        return root
    there = users(root.path)
    if user not in there:
        raise StorageError(
            "not_found", "directory", message=f"{root.path} has no user {user!r}, only {', '.join(there) or 'none'}."
        )
    return dataclasses.replace(root, user=user)
