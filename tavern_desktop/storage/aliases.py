"""Chat folders whose names TauriTavern once got wrong, and remembers (storage contract §12). Only read by us."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import orjson

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.names import require_plain_name

ALIAS_FILE = Path("user", "cache", "chat_aliases_v1.json")

_log = logging.getLogger(__name__)


def folder_names(user_folder: str | os.PathLike[str]) -> dict[str, str]:
    """Return the folder in `chats/` for each card stem whose folder has another name and is there.

    A file that cannot be read is a warning in the log: the chats in rightly named folders are there all the same.
    """
    try:
        content = orjson.loads(Path(user_folder, ALIAS_FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, orjson.JSONDecodeError) as error:
        _log.warning("TauriTavern's list of chat folders could not be read: %s", error)
        return {}
    entries = content.get("aliases") if isinstance(content, dict) else None
    found = {}
    for stem, entry in entries.items() if isinstance(entries, dict) else ():
        folder = entry.get("dir") if isinstance(entry, dict) else None
        if isinstance(folder, str) and _is_there(user_folder, folder):
            found[stem] = folder
    return found


def folder_name(user_folder: str | os.PathLike[str], stem: str) -> str:
    """Return the name of the folder in `chats/` that holds the chats of one character."""
    return folder_names(user_folder).get(stem, stem)


def stem_of_folder(user_folder: str | os.PathLike[str], folder: str) -> str:
    """Return whose chats a folder in `chats/` holds."""
    return next((stem for stem, name in folder_names(user_folder).items() if name == folder), folder)


def _is_there(user_folder: str | os.PathLike[str], folder: str) -> bool:
    try:
        return Path(user_folder, "chats", require_plain_name(folder)).is_dir()
    except StorageError:
        return False
