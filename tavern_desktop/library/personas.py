"""Who the person is in a chat: their name and picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.pictures import resolve_picture
from tavern_desktop.library.settings_file import power_user, read_settings

NOBODY = "You"
"""The name where nothing says another."""
PERSONA = "persona"
"""In a chat's metadata: the id of the persona that the person writes as there."""


@dataclass(frozen=True)
class Persona:
    """A name to write under, the picture beside it, and the persona's id where it is one of the folder's."""

    name: str
    avatar: Path | None = None
    id: str = ""

    def force_avatar(self) -> str:
        """Return what a message's `force_avatar` says of this persona, "" for none."""
        return f"/thumbnail?type=persona&file={quote(self.id, safe='')}" if self.id else ""


def persona_for(
    root: DataRoot, metadata: Mapping[str, Any], last_user_message: Mapping[str, Any] | None = None
) -> Persona:
    """Return who writes in a chat: its own persona, else who wrote last, else SillyTavern's, else "You".

    `metadata` is the chat's `chat_metadata`, `last_user_message` the record of its last message by the user.
    """
    settings = read_settings(root)
    chosen = metadata.get(PERSONA)
    if isinstance(chosen, str):
        persona = _persona(root, settings, chosen)
        if persona is not None:
            return persona
    if last_user_message is not None:
        name = last_user_message.get("name")
        if isinstance(name, str) and name.strip():
            return _persona_of_message(root, name, last_user_message.get("force_avatar"))
    return _active_persona(root, settings)


def personas(root: DataRoot) -> tuple[Persona, ...]:
    """Return the personas of a data folder by name: those that have one, and SillyTavern's active one."""
    settings = read_settings(root)
    names = power_user(settings).get("personas")
    ids = {one for one in names if isinstance(one, str)} if isinstance(names, dict) else set()
    found = [_persona(root, settings, one) for one in ids]
    active = _active_persona(root, settings)
    if active.id and active.id not in ids:
        found.append(active)
    return tuple(sorted(filter(None, found), key=lambda persona: (persona.name.casefold(), persona.id)))


def _persona(root: DataRoot, settings: Mapping[str, Any], persona_id: str, name: str | None = None) -> Persona | None:
    """Return a persona of the folder; None where its picture, and with it the persona, is gone."""
    if not persona_id or Path(persona_id).name != persona_id:
        return None
    avatar = resolve_picture(root, f"User Avatars/{persona_id}")
    if avatar is None:
        return None
    names = power_user(settings).get("personas")
    known = names.get(persona_id) if isinstance(names, dict) else None
    chosen = known if isinstance(known, str) and known.strip() else name
    return Persona(chosen or NOBODY, avatar, persona_id)


def _persona_of_message(root: DataRoot, name: str, force_avatar: Any) -> Persona:
    if not isinstance(force_avatar, str):
        return Persona(name)
    avatar = resolve_picture(root, force_avatar)
    is_persona = avatar is not None and avatar.parent == root.personas.resolve()
    return Persona(name, avatar, avatar.name if avatar is not None and is_persona else "")


def _active_persona(root: DataRoot, settings: Mapping[str, Any]) -> Persona:
    name = settings.get("username")
    name = name if isinstance(name, str) and name.strip() else None
    active = settings.get("user_avatar")
    persona = _persona(root, settings, active, name) if isinstance(active, str) else None
    return persona or Persona(name or NOBODY)
