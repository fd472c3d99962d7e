"""Personas as a person edits them: their fields in SillyTavern's `settings.json`, their pictures in `User Avatars`.

The settings are changed key by key as they stand on disk. SillyTavern, while it runs, writes its own over them.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.facts import index_of
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import PNG
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.settings_file import power_user, read_settings
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.file_moves import to_system_bin
from tavern_desktop.storage.publish import change_small_file, publish

Record = dict[str, Any]

IN_PROMPT, NOTE_TOP, NOTE_BOTTOM, IN_CHAT, NOWHERE = 0, 2, 3, 4, 9
"""Where a persona's description stands."""

_LIVE = {
    "description": "persona_description",
    "position": "persona_description_position",
    "depth": "persona_description_depth",
    "role": "persona_description_role",
    "lorebook": "persona_description_lorebook",
}
"""How the settings call the copy of the active persona's fields."""


class PersonaFields(msgspec.Struct, frozen=True):
    """What is kept of a persona. `depth` and `role` (0 system, 1 user, 2 assistant) count in the chat."""

    name: str = ""
    description: str = ""
    position: int = IN_PROMPT
    depth: int = 2
    role: int = 0
    lorebook: str = ""


def read_persona(root: DataRoot, persona_id: str) -> PersonaFields:
    """Return a persona's fields; those that are missing are as SillyTavern takes them."""
    user = power_user(read_settings(root))
    name, entry = _object(user.get("personas")).get(persona_id), _object(_descriptions(user).get(persona_id))
    position, depth, role = (index_of(entry.get(field)) for field in ("position", "depth", "role"))
    return PersonaFields(
        name if isinstance(name, str) else "",
        _text(entry.get("description")),
        IN_PROMPT if position in (None, 1) else position or IN_PROMPT,
        2 if depth is None else depth,
        role or 0,
        _text(entry.get("lorebook")),
    )


def write_persona(root: DataRoot, persona_id: str, changes: Mapping[str, Any]) -> None:
    """Give fields of a persona other values; those of the active one are in force at once. Raises StorageError."""

    def change(settings: Record) -> None:
        user = settings.setdefault("power_user", {})
        if "name" in changes:
            user["personas"] = {**_object(user.get("personas")), persona_id: changes["name"]}
        described = {name: value for name, value in changes.items() if name in _LIVE}
        if described:
            descriptions = _descriptions(user)
            entry = {**_object(descriptions.get(persona_id)), **described}
            user["persona_descriptions"] = {**descriptions, persona_id: entry}
        if settings.get("user_avatar") == persona_id:
            user.update({_LIVE[name]: value for name, value in described.items()})
            if "name" in changes:
                settings["username"] = changes["name"]

    _change(root, change)


def create_persona(root: DataRoot, name: str, picture: bytes) -> str:
    """Write a new persona with a picture, a PNG, and return its id. Raises StorageError."""
    if not picture.startswith(PNG):
        raise StorageError("validation", "argument", "The picture of a persona is a PNG.")
    root.personas.mkdir(parents=True, exist_ok=True)
    number = time.time_ns() // 1_000_000
    while True:
        persona_id = f"{number}.png"
        try:
            publish(root.personas / persona_id, [picture], expected=None, integrity=None)
        except ChangedOnDisk:
            number += 1
            continue
        break
    write_persona(root, persona_id, {"name": name, "description": ""})
    return persona_id


def remove_persona(root: DataRoot, persona_id: str) -> None:
    """Take a persona out of the settings, and put its picture into the system's bin. Raises StorageError."""

    def change(settings: Record) -> None:
        user = settings.setdefault("power_user", {})
        for field in ("personas", "persona_descriptions"):
            kept = {one: value for one, value in _object(user.get(field)).items() if one != persona_id}
            user[field] = kept
        if user.get("default_persona") == persona_id:
            user["default_persona"] = None

    picture = root.personas / persona_id
    if picture.parent != root.personas or picture.name != persona_id:
        raise StorageError("validation", "name", f"{persona_id} is no persona")
    _change(root, change)
    if picture.exists() and not to_system_bin(picture):
        raise StorageError("io", "delete", "its picture could not be moved to the bin", chat_ref=picture)


def _change(root: DataRoot, change: Callable[[Record], object]) -> None:
    def changed(data: bytes) -> bytes:
        try:
            settings = jsontext.decode(data)
        except JsonTextError:
            raise StorageError("io", "read", "the settings are not JSON", chat_ref=root.settings) from None
        settings["power_user"] = dict(_object(settings.get("power_user")))
        change(settings)
        return jsontext.encode(settings)

    try:
        if not root.settings.exists():
            _begin(root)
        change_small_file(root.settings, changed)
    except OSError as error:
        raise from_os(error, "write", root.settings) from None


def _begin(root: DataRoot) -> None:
    """Write settings that say nothing, unless somebody else does so meanwhile."""
    with contextlib.suppress(ChangedOnDisk):
        publish(root.settings, [b"{}"], expected=None, integrity=None)


def _descriptions(user: Mapping[str, Any]) -> Record:
    return _object(user.get("persona_descriptions"))


def _object(value: Any) -> Record:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
