"""What a person does with the prompts of a chat preset, on its file. Runs off the owner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tavern_desktop.backends.settings import IN_USE, OWN_WAY
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.presets import (
    LARGEST,
    PresetError,
    change_preset,
    decoded,
    encoded,
    new_preset,
    read_preset,
)
from tavern_desktop.library.presets_in_use import preset_in_use
from tavern_desktop.library.settings_file import read_settings
from tavern_desktop.prompt.chat_slots import default_preset
from tavern_desktop.prompt.preset_editing import Item, exported, own_data, with_items
from tavern_desktop.prompt.scene import Wording
from tavern_desktop.storage.names import sanitize
from tavern_desktop.storage.publish import write_small_file

NOT_KEPT = ("proxy_password", "reverse_proxy", "custom_url", "custom_include_headers", "custom_include_body")
"""Keys of what is in use that may hold secrets or addresses: they do not go into a new file."""


def is_file(name: str) -> bool:
    """Say whether a choice names a preset's file."""
    return name not in ("", OWN_WAY, IN_USE)


def title_of(name: str) -> str:
    """Return what a choice is called, "" for the program's own way."""
    return "SillyTavern" if name == IN_USE else name if is_file(name) else ""


def data_of(root: DataRoot, name: str) -> dict[str, Any]:
    """Return the data that a choice stands for. Raises PresetError."""
    if is_file(name):
        return read_preset(root, "chat", name).data
    live = preset_in_use(read_settings(root), "chat") if name == IN_USE else None
    if live is None:
        return own_data(default_preset(Wording()))
    return {key: value for key, value in live.data.items() if key not in NOT_KEPT}


def save_items(root: DataRoot, name: str, before: Sequence[Item], now: Sequence[Item]) -> None:
    """Write what was changed into the preset's file. Raises PresetError, StorageError."""
    change_preset(root, "chat", name, lambda data: with_items(data, before, now))


def save_new(root: DataRoot, wanted: str, data: dict[str, Any], before: Sequence[Item], now: Sequence[Item]) -> str:
    """Write a new preset and return its name. Raises PresetError, StorageError."""
    return new_preset(root, "chat", wanted, with_items(data, before, now))


def judged(name: str) -> tuple[bool, str]:
    """Say whether a name will do for a preset, and what becomes of it."""
    usable = sanitize(name.strip())
    if not usable:
        return False, "A preset needs a name that a file can have."
    return True, "" if usable == name.strip() else f"It will be called “{usable}”."


def read_export(path: Path) -> dict[str, Any]:
    """Return what is in an exported file. Raises PresetError."""
    try:
        if path.stat().st_size > LARGEST:
            raise PresetError(f"{path.name} is far too large for prompts.")
        return decoded(path.read_bytes(), path.name)
    except OSError as error:
        raise PresetError(f"{path.name} cannot be read: {error.strerror or error}.") from None


def write_export(path: Path, items: Sequence[Item]) -> None:
    """Write prompts into a file. Raises StorageError."""
    write_small_file(path, encoded(exported(items)))
