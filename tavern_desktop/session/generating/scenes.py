"""What a prompt of a chat is built from, read from the data folder. Runs off the owner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.backends.settings import Generation
from tavern_desktop.chat.message import Message
from tavern_desktop.library.card_file import CardError, card_data, read_card
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.personas import Persona
from tavern_desktop.library.settings_file import power_user, read_settings
from tavern_desktop.prompt.scene import Action, Character, Scene, Wording
from tavern_desktop.session.generating.reply import Speaker

NAMESPACE = "tavern_desktop"
"""Of our own settings in a chat's metadata (decision D1)."""

DEFAULT_CONTEXT, DEFAULT_REPLY = 8192, 512
"""Tokens, where neither the person nor the server says."""

LEAST_CONTEXT_SHARE = 4
"""A reply may have at most this part of the context (one fourth), where the person did not say how long it may be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A generation as the owner asks for it: immutable, so that it stays what was asked."""

    path: Path
    metadata: Mapping[str, Any]
    messages: tuple[Message, ...]
    end: int
    """Messages before this index are the history."""
    action: Action
    speaker: Speaker
    persona: Persona


class ChatChoices(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a chat has chosen for itself, in its metadata. `connection` is an id, "" for the program's own choice."""

    connection: str = ""
    generation: Generation = Generation()
    template: str = ""
    """For text protocols: id of a template, "" for the server's own."""


def chat_choices(metadata: Mapping[str, Any]) -> ChatChoices:
    """Return the choices in a chat's metadata; what cannot be read counts as not chosen."""
    own = metadata.get(NAMESPACE)
    if not isinstance(own, dict):
        return ChatChoices()
    choices = ChatChoices()
    for name in ChatChoices.__struct_fields__:
        try:
            read = msgspec.convert({name: own[name]}, ChatChoices) if name in own else choices
        except msgspec.ValidationError:
            continue
        choices = msgspec.structs.replace(choices, **{name: getattr(read, name)})
    return choices


def with_choices(metadata: Mapping[str, Any], choices: ChatChoices) -> dict[str, Any]:
    """Return the metadata with other choices; what else is in our namespace stays."""
    own = metadata.get(NAMESPACE)
    kept = dict(own) if isinstance(own, dict) else {}
    for name in ChatChoices.__struct_fields__:
        kept.pop(name, None)
    kept |= msgspec.to_builtins(choices)
    changed = {name: value for name, value in metadata.items() if name != NAMESPACE}
    return changed | {NAMESPACE: kept} if kept else changed


def scene_of(asked: Asked, settings: Generation, *, context: int | None, can_prefill: bool) -> Scene:
    """Return the scene for a generation. `context`: how many tokens the server takes, None if it does not say."""
    root = root_of(asked.path)
    tokens = _least(settings.context_tokens, context) or DEFAULT_CONTEXT
    reply = settings.reply_tokens or min(DEFAULT_REPLY, tokens // LEAST_CONTEXT_SHARE)
    wording = Wording() if settings.system_prompt is None else Wording(main=settings.system_prompt)
    character = Character(asked.speaker.name)
    if root is not None and asked.speaker.card:
        character = character_of(root, asked.speaker.card, asked.speaker.name)
    return Scene(
        character=character,
        user=asked.persona.name,
        messages=asked.messages,
        end=asked.end,
        action=asked.action,
        persona=_persona_text(root, asked.persona) if root is not None else "",
        wording=wording,
        overrides=_overrides(asked.metadata),
        is_group=asked.speaker.in_group,
        can_prefill=can_prefill,
        root=root,
        context=tokens,
        reply=reply,
        stop=settings.stop or (),
    )


def character_of(root: DataRoot, card: str, name: str) -> Character:
    """Return the fields of a card; a card that cannot be read has only its name."""
    if Path(card).name != card:
        return Character(name)
    try:
        return Character.of_card(card_data(read_card(root.characters / card)), name)
    except (CardError, OSError):
        return Character(name)


def _persona_text(root: DataRoot, persona: Persona) -> str:
    """Return how the person described who they are in this chat."""
    user = power_user(read_settings(root))
    descriptions = user.get("persona_descriptions")
    entry = descriptions.get(persona.id) if isinstance(descriptions, dict) else None
    if isinstance(entry, dict):
        text, position = entry.get("description"), entry.get("position")
    else:
        text, position = user.get("persona_description"), user.get("persona_description_position")
    return text if isinstance(text, str) and position in (None, 0, 1) else ""


def _overrides(metadata: Mapping[str, Any]) -> Character:
    def text(name: str) -> str:
        value = metadata.get(name)
        return value.strip() if isinstance(value, str) else ""

    return Character("", scenario=text("scenario"), examples=text("mes_example"), system_prompt=text("system_prompt"))


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value), default=None)
