"""A chat-completion preset as a prompt uses it: its prompts in their order, and the words around them (§3, §4).

Read tolerantly: a value of the wrong kind counts as not there. SillyTavern's shipped texts are not here; where a preset
has no text of a kind, nothing of that kind is sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.messages import PromptRole

GLOBAL_ORDER = 100001
"""The only list of `prompt_order` that counts."""

MARKERS: Mapping[str, str] = {
    "worldInfoBefore": "World info before",
    "personaDescription": "Persona",
    "charDescription": "Character description",
    "charPersonality": "Character personality",
    "scenario": "Scenario",
    "worldInfoAfter": "World info after",
    "dialogueExamples": "Example dialogue",
    "chatHistory": "Chat history",
}
"""Places that the program fills, and what they are called where a preset does not say."""

BUILT_IN: Mapping[str, str] = {
    "main": "Main",
    "enhanceDefinitions": "Enhance definitions",
    "nsfw": "Auxiliary",
    "jailbreak": "Post-history instructions",
}
"""Prompts that every preset may have, with their names."""

DEFAULT_ORDER: tuple[tuple[str, bool], ...] = (
    ("main", True),
    ("worldInfoBefore", True),
    ("personaDescription", True),
    ("charDescription", True),
    ("charPersonality", True),
    ("scenario", True),
    ("enhanceDefinitions", False),
    ("nsfw", True),
    ("worldInfoAfter", True),
    ("dialogueExamples", True),
    ("chatHistory", True),
    ("jailbreak", True),
)
"""The order where a preset has none: identifiers, and whether each is on."""

NAMES_NEVER, NAMES_WHERE_NEEDED, NAMES_IN_FIELD, NAMES_IN_TEXT = -1, 0, 1, 2
"""How messages tell who speaks (prompt §3.3)."""

POST_PROCESSING = ("", "merge", "semi", "strict", "single")

DEFAULT_DEPTH, DEFAULT_INJECTION_ORDER = 4, 100


@dataclass(frozen=True, slots=True)
class PresetPrompt:
    """One prompt. `is_absolute`: it stands in the chat at a depth, not where the order puts it."""

    identifier: str
    name: str = ""
    role: PromptRole = "system"
    text: str = ""
    is_marker: bool = False
    is_absolute: bool = False
    depth: int = DEFAULT_DEPTH
    order: int = DEFAULT_INJECTION_ORDER
    triggers: frozenset[str] = frozenset()
    """Kinds of generation it is for; none means all."""
    keeps_own: bool = False
    """Whether the card may not put its own text in its place."""
    is_on: bool = True

    @classmethod
    def of(cls, data: Mapping[str, Any], *, is_on: bool) -> PresetPrompt:
        """Return the prompt for an entry of `prompts`."""
        identifier = _text(data.get("identifier"))
        depth, order = index_of(data.get("injection_depth")), index_of(data.get("injection_order"))
        triggers = data.get("injection_trigger")
        role = data.get("role")
        return cls(
            identifier,
            _text(data.get("name")) or title_of(identifier),
            role if role in ("user", "assistant") else "system",
            _text(data.get("content")).replace("\r", ""),
            identifier in MARKERS,
            index_of(data.get("injection_position")) == 1,
            DEFAULT_DEPTH if depth is None else max(depth, 0),
            DEFAULT_INJECTION_ORDER if order is None else order,
            frozenset(filter(None, (_text(item) for item in triggers))) if isinstance(triggers, list) else frozenset(),
            data.get("forbid_overrides") is True,
            is_on,
        )

    def is_for(self, kinds: frozenset[str]) -> bool:
        """Say whether it is for a generation that goes by these names."""
        return not self.triggers or bool(self.triggers & kinds)


@dataclass(frozen=True, slots=True)
class ChatPreset:
    """How a request of messages is put together. Macros may stand in all texts."""

    name: str
    prompts: tuple[PresetPrompt, ...]
    """In their order, those that are off too."""
    lore_form: str = "{0}"
    scenario_form: str = "{{scenario}}"
    personality_form: str = "{{personality}}"
    names: int = NAMES_WHERE_NEEDED
    new_chat: str = ""
    new_group_chat: str = ""
    new_example: str = ""
    group_nudge: str = ""
    continue_nudge: str = ""
    impersonation: str = ""
    if_empty: str = ""
    """Said by the user where the character spoke last."""
    continues_by_prefill: bool = False
    prefill: str = ""
    """What a model that goes on from its own text begins with; for Anthropic's protocol."""
    impersonation_prefill: str = ""
    squashes: bool = False
    """Whether neighbouring system messages become one."""
    post_processing: str = ""
    pins_examples: bool = False
    """Whether examples have their room before the history."""
    prefers_card_main: bool = True
    prefers_card_end: bool = True
    """Whether the card's own texts stand in the places of `main` and `jailbreak`."""

    @classmethod
    def of(cls, name: str, data: Mapping[str, Any], person: Mapping[str, Any] | None = None) -> ChatPreset:
        """Return the preset for a file's data. `person`: `power_user`, where the person's own habits are."""
        habits = person or {}
        names = index_of(data.get("names_behavior"))
        wanted = _text(data.get("custom_prompt_post_processing")).removesuffix("_tools")
        wanted = "merge" if wanted == "claude" else wanted
        return cls(
            name,
            prompts_in_order(data),
            _text(data.get("wi_format"), "{0}"),
            _text(data.get("scenario_format"), "{{scenario}}"),
            _text(data.get("personality_format"), "{{personality}}"),
            names if names is not None and -1 <= names <= NAMES_IN_TEXT else NAMES_WHERE_NEEDED,
            _text(data.get("new_chat_prompt")),
            _text(data.get("new_group_chat_prompt")),
            _text(data.get("new_example_chat_prompt")),
            _text(data.get("group_nudge_prompt")),
            _text(data.get("continue_nudge_prompt")),
            _text(data.get("impersonation_prompt")),
            _text(data.get("send_if_empty")),
            data.get("continue_prefill") is True,
            _text(data.get("assistant_prefill")),
            _text(data.get("assistant_impersonation")),
            data.get("squash_system_messages") is True,
            wanted if wanted in POST_PROCESSING else "",
            habits.get("pin_examples") is True,
            habits.get("prefer_character_prompt") is not False,
            habits.get("prefer_character_jailbreak") is not False,
        )


def prompts_in_order(data: Mapping[str, Any]) -> tuple[PresetPrompt, ...]:
    """Return the prompts of a preset in the order that counts; an entry of the order without a prompt is none."""
    defined = definitions(data)
    return tuple(
        PresetPrompt.of(defined.get(identifier, {"identifier": identifier}), is_on=is_on)
        for identifier, is_on in order_of(data)
        if identifier in defined or identifier in MARKERS
    )


def definitions(data: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the entries of `prompts` by their identifiers; of two the first counts."""
    found: dict[str, Mapping[str, Any]] = {}
    listed = data.get("prompts")
    for entry in listed if isinstance(listed, list) else ():
        identifier = entry.get("identifier") if isinstance(entry, dict) else None
        if isinstance(identifier, str) and identifier:
            found.setdefault(identifier, entry)
    return found


def order_of(data: Mapping[str, Any]) -> tuple[tuple[str, bool], ...]:
    """Return the identifiers in their order, each once, and which are on."""
    listed = data.get("prompt_order")
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and index_of(entry.get("character_id")) == GLOBAL_ORDER:
            order = entry.get("order")
            items = [item for item in order if isinstance(item, dict)] if isinstance(order, list) else []
            found: dict[str, bool] = {}
            for item in items:
                if isinstance(item.get("identifier"), str):
                    found.setdefault(item["identifier"], item.get("enabled") is not False)
            return tuple(found.items())
    return DEFAULT_ORDER


def title_of(identifier: str) -> str:
    """Return what a prompt is called that has no name of its own."""
    return MARKERS.get(identifier) or BUILT_IN.get(identifier) or identifier


def _text(value: object, default: str = "") -> str:
    return value if isinstance(value, str) else default
