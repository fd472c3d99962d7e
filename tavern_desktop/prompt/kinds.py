"""What the parts of a prompt are, roughly: for seeing at a glance where the room goes."""

from __future__ import annotations

from typing import Literal, get_args

from tavern_desktop.prompt.messages import Prompt

Kind = Literal["instructions", "character", "persona", "lore", "notes", "examples", "conversation"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_KINDS: dict[str, Kind] = {
    "description": "character",
    "personality": "character",
    "scenario": "character",
    "story": "character",
    "persona": "persona",
    "lore before": "lore",
    "lore after": "lore",
    "lore": "lore",
    "note": "notes",
    "character note": "notes",
    "summary": "notes",
    "examples": "examples",
    "history": "conversation",
}


def kind_of(source: str) -> Kind:
    """Return what a part is by what it comes from; what is none of the others instructs."""
    return _KINDS.get(source) or _KINDS.get(source.partition(":")[0], "instructions")


def tokens_by_kind(prompt: Prompt) -> dict[Kind, int]:
    """Return how many tokens the parts of each kind have, in a fixed order, without kinds that have none."""
    found = dict.fromkeys(KINDS, 0)
    for part in prompt.parts:
        found[kind_of(part.source)] += part.tokens
    return {kind: tokens for kind, tokens in found.items() if tokens}


def free_tokens(prompt: Prompt) -> int:
    """Return how many tokens are left beside the prompt and the reply."""
    return max(0, prompt.context - prompt.reply - prompt.tokens)
