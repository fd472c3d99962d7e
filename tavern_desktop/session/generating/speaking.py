"""Who speaks in a chat: the character or a member of the group, and the person. Reads files, so off the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tavern_desktop.chat import facts
from tavern_desktop.chat.message import Message
from tavern_desktop.library.characters import SUFFIX as CARD
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.groups import Group, list_groups
from tavern_desktop.library.personas import NOBODY, Persona, persona_for
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import character_of
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.names import SUFFIX

SEARCHED = 500
"""Messages from the end among which the last speaker is looked for."""


class Voices(NamedTuple):
    """Who may reply in a chat, the one whose turn it is first, and who the person is."""

    speakers: tuple[Speaker, ...]
    persona: Persona

    def named(self, name: str) -> Speaker:
        """Return the one of this name, the first with "". Raises CommandRefused."""
        for speaker in self.speakers:
            if not name or name.casefold() in (speaker.name.casefold(), speaker.card.removesuffix(CARD).casefold()):
                return speaker
        raise CommandRefused(f"Nobody called “{name}” can speak in this chat.")


def voices_of(path: Path, metadata: Mapping[str, Any], messages: Sequence[Message]) -> Voices:
    """Return who may speak in a chat."""
    root = root_of(path)
    newest = [message.seen_data() for message in messages[-SEARCHED:]]
    last_by_user = next((data for data in reversed(newest) if facts.role(data) == "user"), None)
    last_spoken = next((data for data in reversed(newest) if facts.kind(data) == "character"), None)
    name = facts.name(last_spoken) if last_spoken is not None else path.stem
    if root is None:
        user = facts.name(last_by_user) if last_by_user is not None else ""
        return Voices((Speaker(name),), Persona(user or NOBODY))
    return Voices(_speakers(root, path, name, last_spoken), persona_for(root, metadata, last_by_user))


def _speakers(root: DataRoot, path: Path, name: str, last_spoken: Mapping[str, Any] | None) -> tuple[Speaker, ...]:
    if kind_of(path) == "group":
        members = _members(root, path)
        return _after(members, last_spoken) if members else (Speaker(name, in_group=True),)
    stem = root.character_of(path)
    if not stem:
        return (Speaker(name),)
    return (Speaker(character_of(root, f"{stem}{CARD}", name).name, f"{stem}{CARD}"),)


def _members(root: DataRoot, path: Path) -> list[Speaker]:
    stem = path.name.removesuffix(SUFFIX)
    group: Group | None = next((group for group in list_groups(root) if stem in group.chats), None)
    present = [member for member in group.members if member not in group.missing] if group is not None else []
    cards = [member if member.endswith(CARD) else f"{member}{CARD}" for member in present]
    return [Speaker(character_of(root, card, card.removesuffix(CARD)).name, card, in_group=True) for card in cards]


def _after(members: list[Speaker], last_spoken: Mapping[str, Any] | None) -> tuple[Speaker, ...]:
    """Begin with the member whose turn comes after who spoke last."""
    if last_spoken is None:
        return tuple(members)
    card, name = last_spoken.get("original_avatar"), last_spoken.get("name")
    spoke = next((at for at, member in enumerate(members) if member.card == card), None)
    if spoke is None:
        spoke = next((at for at, member in enumerate(members) if member.name == name), -1)
    return (*members[spoke + 1 :], *members[: spoke + 1])
