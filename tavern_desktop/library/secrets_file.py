"""SillyTavern's `secrets.json`, read only and only when the person asks for it: keys in plain text."""

from __future__ import annotations

from typing import Any

import orjson

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError, from_os


class SavedKey:
    """One key of the file. It never shows in a repr."""

    __slots__ = ("id", "is_active", "label", "name", "value")

    def __init__(self, name: str, value: str, id: str = "", label: str = "", is_active: bool = True) -> None:
        self.name = name
        self.value = value
        self.id = id
        self.label = label
        self.is_active = is_active

    def __repr__(self) -> str:
        return f"SavedKey({self.name})"


def read_keys(root: DataRoot) -> list[SavedKey]:
    """Return all keys, in the file's order. Both forms are read: one text a name, and lists of which one is active.

    Raises StorageError: not_found/source where there is no such file, io/read for one that cannot be read.
    """
    file = root.user_folder / "secrets.json"
    try:
        held = orjson.loads(file.read_bytes())
    except FileNotFoundError:
        raise StorageError("not_found", "source", "there is no secrets.json in this data folder") from None
    except OSError as error:
        raise from_os(error, "read", file) from None
    except orjson.JSONDecodeError:
        raise StorageError("io", "read", "secrets.json is damaged", chat_ref=file) from None
    return [key for name, value in _items(held) for key in _keys(name, value) if key.value]


def active_key(keys: list[SavedKey], name: str) -> str:
    """Return the key in use under a name, "" if there is none: the active one, else the first."""
    named = sorted((key for key in keys if key.name == name), key=lambda key: not key.is_active)
    return named[0].value if named else ""


def _items(held: Any) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in held.items() if name != "_migrated"] if isinstance(held, dict) else []


def _keys(name: str, value: Any) -> list[SavedKey]:
    if isinstance(value, str):
        return [SavedKey(name, value, label=name)]
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    return [
        SavedKey(name, str(entry.get("value") or ""), str(entry.get("id") or ""), str(entry.get("label") or ""),
                 entry.get("active") is True)
        for entry in entries
    ]  # fmt: skip
