"""Who speaks in a chat: the character or a member of the group, and the person. Reads files, so off the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.library.characters import SUFFIX as CARD
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.groups import Group, list_groups
from tavern_desktop.library.personas import NOBODY, Persona, persona_for
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import character_of, talkativeness_of
from tavern_desktop.session.generating.turn_order import STRATEGIES, Member, Moment, due
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.names import SUFFIX

SEARCHED = 500
"""Messages from the end among which the last speaker is looked for."""


class Voices(NamedTuple):
    """Who may reply in a chat, those whose turn it is first, and who the person is."""

    speakers: tuple[Speaker, ...]
    persona: Persona
    due: tuple[Speaker, ...] = ()
    """In a group who speaks now by its order, one after another; nobody where the person has to say who."""
    group: Group | None = None

    def named(self, name: str) -> Speaker:
        """Return the one of this name, the first with "". Raises CommandRefused."""
        for speaker in self.speakers:
            if not name or name.casefold() in (speaker.name.casefold(), speaker.card.removesuffix(CARD).casefold()):
                return speaker
        raise CommandRefused(f"Nobody called “{name}” can speak in this chat.")


def voices_of(
    path: Path, metadata: Mapping[str, Any], messages: Sequence[Message], chance: Random | None = None
) -> Voices:
    """Return who may speak in a chat. `chance`: for the orders of groups that leave it to chance."""
    root = root_of(path)
    newest = [message.seen_data() for message in messages[-SEARCHED:]]
    last_by_user = next((data for data in reversed(newest) if facts.role(data) == "user"), None)
    last_spoken = next((data for data in reversed(newest) if facts.kind(data) == "character"), None)
    name = facts.name(last_spoken) if last_spoken is not None else path.stem
    if root is None:
        user = facts.name(last_by_user) if last_by_user is not None else ""
        return Voices((Speaker(name),), Persona(user or NOBODY))
    persona = persona_for(root, metadata, last_by_user)
    group = _group_of(root, path) if kind_of(path) == "group" else None
    if group is None:
        return Voices(_speakers(root, path, name), persona)
    members = _members(root, group)
    if not members:
        return Voices((Speaker(name, in_group=True),), persona, group=group)
    now = due(members, STRATEGIES[group.order], _moment(newest, members), chance or Random(),
              answers_itself=group.answers_itself)  # fmt: skip
    others = [member for member in members if member not in now]
    others.sort(key=lambda member: member.is_muted)
    names = tuple(dict.fromkeys(member.name for member in members))
    speakers = {
        member: Speaker(member.name, member.card, True, tuple(name for name in names if name != member.name))
        for member in members
    }
    everybody = tuple(speakers[member] for member in (*now, *others))
    return Voices(everybody, persona, tuple(speakers[member] for member in now), group)


def _speakers(root: DataRoot, path: Path, name: str) -> tuple[Speaker, ...]:
    if kind_of(path) == "group":
        return (Speaker(name, in_group=True),)
    stem = root.character_of(path)
    if not stem:
        return (Speaker(name),)
    return (Speaker(character_of(root, f"{stem}{CARD}", name).name, f"{stem}{CARD}"),)


def _group_of(root: DataRoot, path: Path) -> Group | None:
    stem = path.name.removesuffix(SUFFIX)
    return next((group for group in list_groups(root) if stem in group.chats), None)


def _members(root: DataRoot, group: Group) -> list[Member]:
    """Return the members who have a card. Very old records have their names instead of their cards' files."""
    found = []
    for member in group.members:
        if member not in group.missing:
            card = member if member.endswith(CARD) else f"{member}{CARD}"
            name = character_of(root, card, card.removesuffix(CARD)).name
            found.append(Member(card, name, talkativeness_of(root, card), member in group.muted))
    return found


def _moment(newest: Sequence[Record], members: Sequence[Member]) -> Moment:
    """Return where a conversation is, by its newest messages."""
    seen = [data for data in newest if facts.kind(data) in ("character", "user") and not facts.is_hidden(data)]
    if not seen:
        return Moment()
    spoken: list[str] = []
    for data in reversed(seen):
        if facts.role(data) == "user":
            break
        spoken.append(_card_of(data, members))
    last = next((_card_of(data, members) for data in reversed(seen) if facts.role(data) != "user"), "")
    return Moment(facts.text(seen[-1]), facts.role(seen[-1]) == "user", last, frozenset(spoken))


def _card_of(data: Record, members: Sequence[Member]) -> str:
    card, name = data.get("original_avatar"), data.get("name")
    if isinstance(card, str) and any(member.card == card for member in members):
        return card
    return next((member.card for member in members if member.name == name), "")
