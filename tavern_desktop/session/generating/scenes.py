"""What a prompt of a chat is built from, read from the data folder. Runs off the owner."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.backends.settings import NO_PRESETS, Generation, PresetNames
from tavern_desktop.chat.facts import index_of
from tavern_desktop.chat.hidden_scan import count_shown
from tavern_desktop.chat.message import Message
from tavern_desktop.library.card_fields import fields_of
from tavern_desktop.library.card_file import CardError, card_data, read_card
from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.library.persona_files import IN_CHAT, NOTE_BOTTOM, NOTE_TOP
from tavern_desktop.library.personas import Persona
from tavern_desktop.library.settings_file import power_user, read_settings
from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.chat_slots import MAIN
from tavern_desktop.prompt.injections import Injection, Note, note_of, role_of
from tavern_desktop.prompt.lore_sources import includes_names, lore_candidates, lore_settings
from tavern_desktop.prompt.lore_timed import METADATA, Timed
from tavern_desktop.prompt.macro_values import MacroValues
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import PromptError
from tavern_desktop.prompt.scene import Action, Character, Lore, Scene, Wording
from tavern_desktop.prompt.scripts import prompt_scripts
from tavern_desktop.prompt.text_form import TextForm
from tavern_desktop.session.generating.forms import OWN_FORM, Form
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
    connection: str = ""
    """Id or name of the connection to use this time, "" for the one of the chat."""
    may_call: bool = False
    """Whether the reply may call tools."""
    tools: tuple[str, ...] = ()
    """Names or ids of tools that are offered this time, also where models are offered none."""
    presets: PresetNames = NO_PRESETS
    """Those to use this time, before those of the chat."""


class ChatChoices(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a chat has chosen for itself, in its metadata. `connection` is an id, "" for the program's own choice."""

    connection: str = ""
    generation: Generation = Generation()
    template: str = ""
    """For text protocols: id of a template, "" for the server's own."""
    presets: PresetNames = NO_PRESETS
    tells_cards: bool = True
    """Whether the model is told by a phrase that there was a special message."""
    allowed_tools: tuple[str, ...] = ()
    """Ids of the tools that run in this chat without a question."""
    uses_tools: bool | None = None
    """Whether models are offered tools in this chat; None for as elsewhere."""


LEAST_TOOL_SHARE = 2
"""Descriptions of tools may take at most this part of the context (one half)."""


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


def scene_of(
    asked: Asked,
    settings: Generation,
    *,
    context: int | None,
    can_prefill: bool,
    tool_tokens: int | None = None,
    form: Form = OWN_FORM,
) -> Scene:
    """Return the scene for a generation. `context`: how many tokens the server takes, None if it does not say.

    `tool_tokens`: how many of them describe tools, None where no tools are sent. `form`: what the chosen presets make
    of it. Raises PromptError where tools leave too little.
    """
    root = root_of(asked.path)
    tokens = _without_tools(_least(settings.context_tokens, context) or DEFAULT_CONTEXT, tool_tokens or 0)
    sent_tools: Literal["all", "newest"] = "newest" if settings.leaves_out_old_tools else "all"
    reply = settings.reply_tokens or min(DEFAULT_REPLY, tokens // LEAST_CONTEXT_SHARE)
    wording = _wording(form, settings.system_prompt)
    card = _card(root, asked.speaker.card) if root is not None else {}
    character = Character.of_card(card, asked.speaker.name)
    macros = Macros(asked.persona.name, character.name)
    return Scene(
        character=character,
        user=asked.persona.name,
        messages=asked.messages,
        end=asked.end,
        action=asked.action,
        persona=_persona_text(root, asked.persona) if root is not None else "",
        wording=wording,
        overrides=_overrides(asked.metadata),
        values=MacroValues(datetime.now().astimezone(), _seed(asked), _object(asked.metadata.get("variables"))),
        scripts=prompt_scripts(read_settings(root), card, asked.speaker.card, form.scripts) if root is not None else (),
        lore=_lore(root, asked, card) if root is not None else None,
        note=_with_persona(note_of(asked.metadata, _user_messages(asked), macros), root, asked.persona, macros),
        injections=[*_character_note(card, macros), *_persona_at_depth(root, asked.persona, macros)],
        is_group=asked.speaker.in_group,
        can_prefill=can_prefill,
        root=root,
        context=tokens,
        reply=reply,
        stop=settings.stop or (),
        tells_cards=chat_choices(asked.metadata).tells_cards,
        tools="none" if tool_tokens is None else sent_tools,
        preset=_with_main(form.chat, settings.system_prompt),
        text_form=_with_system(form.text, settings.system_prompt),
        takes_prefill=form.takes_prefill and can_prefill,
        preset_notes=form.notes,
        reasoning=form.reasoning,
    )


def _wording(form: Form, own: str | None) -> Wording:
    """Return the program's words, or the person's system prompt: their own, else the one of the data folder."""
    usual = Wording()
    main = own if own is not None else form.system
    return Wording(
        main=usual.main if main is None else main,
        post_history=usual.post_history if form.post_history is None else form.post_history,
    )


def _with_system(form: TextForm | None, own: str | None) -> TextForm | None:
    return form if form is None or own is None else replace(form, system=own)


def _with_main(preset: ChatPreset | None, own: str | None) -> ChatPreset | None:
    """Put the person's own system prompt, set for a connection or chat, in the place of the preset's main prompt."""
    if preset is None or own is None:
        return preset
    prompts = (replace(prompt, text=own) if prompt.identifier == MAIN else prompt for prompt in preset.prompts)
    return replace(preset, prompts=tuple(prompts))


def _without_tools(tokens: int, tool_tokens: int) -> int:
    """Return how many tokens are left beside those that describe tools."""
    if tool_tokens * LEAST_TOOL_SHARE > tokens:
        sentence = (
            f"The tools that are offered need about {tool_tokens:,} of the {tokens:,} tokens there are: offer fewer of "
            "them (Reply, Tools…)."
        )
        raise PromptError("too_large", sentence, "tools", {"needed": tool_tokens, "free": tokens})
    return tokens - tool_tokens


def character_of(root: DataRoot, card: str, name: str) -> Character:
    """Return the fields of a card; a card that cannot be read has only its name."""
    return Character.of_card(_card(root, card), name)


def talkativeness_of(root: DataRoot, card: str) -> float:
    """Return how likely a character speaks up in a group, as its card says."""
    return fields_of({"data": _card(root, card)}).talkativeness


def _card(root: DataRoot, card: str) -> dict[str, Any]:
    """Return the data of a card, {} for one that cannot be read."""
    if not card or Path(card).name != card:
        return {}
    try:
        return card_data(read_card(root.characters / card))
    except (CardError, OSError):
        return {}


def _lore(root: DataRoot, asked: Asked, card: dict[str, Any]) -> Lore:
    """Return the lorebooks in force; the same chat at the same length takes the same chances."""
    settings, stem = read_settings(root), asked.speaker.card.removesuffix(".png")
    candidates = lore_candidates(root, settings, asked.metadata, card, stem, asked.persona.id)
    is_timed = any(entry.sticky or entry.cooldown or entry.delay for entry in candidates) or METADATA in asked.metadata
    return Lore(
        candidates,
        lore_settings(settings),
        includes_names(settings),
        stem,
        _seed(asked),
        Timed.of(asked.metadata, candidates, count_shown(asked.messages[: asked.end])) if is_timed else Timed(),
        _tags(settings, asked.speaker.card),
        _texts(card),
        asked.metadata,
    )


def _tags(settings: Mapping[str, Any], card: str) -> frozenset[str]:
    tags = _object(settings.get("tag_map")).get(card)
    return frozenset(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else frozenset()


def _texts(card: dict[str, Any]) -> dict[str, str]:
    """Return the texts of a card that are not sent, but that lore may look at."""
    note = _object(_object(card.get("extensions")).get("depth_prompt")).get("prompt")
    found = {"creator_notes": card.get("creator_notes"), "depth_prompt": note}
    return {name: text for name, text in found.items() if isinstance(text, str)}


def _seed(asked: Asked) -> int:
    return zlib.crc32(f"{asked.path} {asked.end}".encode("utf-8", "surrogatepass"))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _user_messages(asked: Asked) -> int:
    """Count the person's messages, without decoding a hundred thousand, where the note's interval asks for it."""
    if asked.metadata.get("note_interval") in (None, 1, 0) or not asked.metadata.get("note_prompt"):
        return 0
    marks = (b'"is_user":true', b'"is_user": true')
    return sum(any(mark in message.seen for mark in marks) for message in asked.messages[: asked.end])


def _character_note(card: dict[str, Any], macros: Macros) -> list[Injection]:
    extensions = card.get("extensions")
    note = extensions.get("depth_prompt") if isinstance(extensions, dict) else None
    text = note.get("prompt") if isinstance(note, dict) else None
    if not isinstance(note, dict) or not isinstance(text, str) or not text.strip():
        return []
    depth = index_of(note.get("depth"))
    role = role_of(note.get("role"))
    return [
        Injection(4 if depth is None else depth, role, macros.fill(text), "character note", "from the character card")
    ]


def _persona_entry(root: DataRoot, persona: Persona) -> tuple[dict[str, Any], str]:
    """Return what SillyTavern keeps of a persona, and what the names of its fields begin with."""
    user = power_user(read_settings(root))
    descriptions = user.get("persona_descriptions")
    entry = descriptions.get(persona.id) if isinstance(descriptions, dict) else None
    if isinstance(entry, dict):
        return entry | {"text": entry.get("description")}, ""
    return user | {"text": user.get("persona_description")}, "persona_description_"


def _persona_text(root: DataRoot, persona: Persona) -> str:
    """Return how the person described who they are, where that stands with the card."""
    entry, prefix = _persona_entry(root, persona)
    text = entry["text"]
    return text if isinstance(text, str) and entry.get(f"{prefix}position") in (None, 0, 1) else ""


def _persona_at_depth(root: DataRoot | None, persona: Persona, macros: Macros) -> list[Injection]:
    if root is None:
        return []
    entry, prefix = _persona_entry(root, persona)
    text = entry["text"]
    if not isinstance(text, str) or not text.strip() or entry.get(f"{prefix}position") != IN_CHAT:
        return []
    depth, role = index_of(entry.get(f"{prefix}depth")), role_of(entry.get(f"{prefix}role"))
    return [Injection(2 if depth is None else depth, role, macros.fill(text), "persona", "who you are in this chat")]


def _with_persona(note: Note | None, root: DataRoot | None, persona: Persona, macros: Macros) -> Note | None:
    """Put the persona above or below the author's note, where it asks for that and the note is due (prompt §1)."""
    if note is None or root is None:
        return note
    entry, prefix = _persona_entry(root, persona)
    text, position = entry["text"], entry.get(f"{prefix}position")
    if not isinstance(text, str) or not text.strip() or position not in (NOTE_TOP, NOTE_BOTTOM):
        return note
    parts = (macros.fill(text), note.text)
    return replace(note, text="\n".join(parts if position == NOTE_TOP else reversed(parts)))


def _overrides(metadata: Mapping[str, Any]) -> Character:
    def text(name: str) -> str:
        value = metadata.get(name)
        return value.strip() if isinstance(value, str) else ""

    return Character("", scenario=text("scenario"), examples=text("mes_example"), system_prompt=text("system_prompt"))


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value), default=None)
