"""Texts that stand in the middle of the conversation, counted from its end: notes, lore, a persona (prompt §1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import Part, PromptRole

ROLES: tuple[PromptRole, ...] = ("system", "user", "assistant")
DOWNWARDS: tuple[PromptRole, ...] = ("assistant", "user", "system", "tool")
"""The order at one depth, read downwards: system stands nearest to the end."""

AFTER_MAIN, IN_CHAT, BEFORE_MAIN = 0, 1, 2
DEEPEST = 10_000


@dataclass(frozen=True, slots=True)
class Injection:
    """A text at a depth: 0 stands behind the last message, 1 before it."""

    depth: int
    role: PromptRole
    text: str
    source: str
    reason: str
    order: int = 100
    """Among those of one depth: higher stands nearer to the end of the chat."""


def sorted_at(depth: int, injections: Sequence[Injection]) -> list[Injection]:
    """Return those of a depth as they are read downwards: by order, then by role, then by what they come from."""
    here = [injection for injection in injections if injection.depth == depth and injection.text.strip()]
    return sorted(here, key=lambda each: (each.order, DOWNWARDS.index(each.role), _rank(each.source)))


def joins_of(injection: Injection) -> str:
    """Return the word that those have in common which are sent as one message."""
    return f"depth {injection.depth} {injection.order} {injection.role}"


def _rank(source: str) -> int:
    """Return the place of a source among texts of one depth, order and role, as SillyTavern has them."""
    kind = source.partition(":")[0]
    return _RANKS.index(kind) if kind in _RANKS else len(_RANKS)


_RANKS = ("prompt", "main", "summary", "note", "character note", "persona", "lore")


@dataclass(frozen=True, slots=True)
class Note:
    """The author's note of a chat, if its turn has come."""

    text: str
    position: int = IN_CHAT
    depth: int = 4
    role: PromptRole = "system"


def note_of(metadata: Mapping[str, Any], user_messages: int, macros: Macros) -> Note | None:
    """Return the author's note of a chat, None where there is none or it is not due with so many user messages."""
    text = metadata.get("note_prompt")
    interval = index_of(metadata.get("note_interval"))
    interval = 1 if interval is None else interval
    due = interval == 1 or (interval > 0 and user_messages > 0 and user_messages % interval == 0)
    if not isinstance(text, str) or not text.strip() or not due:
        return None
    position, depth = index_of(metadata.get("note_position")), index_of(metadata.get("note_depth"))
    return Note(
        macros.fill(text),
        IN_CHAT if position is None else position,
        4 if depth is None else min(max(depth, 0), DEEPEST),
        role_of(metadata.get("note_role")),
    )


def role_of(value: object) -> PromptRole:
    """Return a role by its number or its name; system for anything else."""
    if isinstance(value, str) and value in ROLES:
        return value
    number = index_of(value)
    return ROLES[number] if number is not None and 0 <= number < len(ROLES) else "system"


def inserted(history: Sequence[Part], parts: Mapping[int, Sequence[Part]], *, least_depth: int = 0) -> list[Part]:
    """Return the history with the parts of each depth in their places; deeper than it reaches stands at its top.

    `least_depth`: 1 keeps the last message at the end, as where it is to be continued.
    """
    places: dict[int, list[Part]] = {}
    # A tool's result stays with its call: it is no place, and counts for nothing.
    starts = [at for at, part in enumerate(history) if part.message.role != "tool"]
    for depth in sorted(parts, reverse=True):
        above = max(depth, least_depth)
        at = len(history) if above == 0 else starts[-above] if above <= len(starts) else 0
        places.setdefault(at, []).extend(parts[depth])
    result: list[Part] = []
    for at in range(len(history) + 1):
        result += places.get(at, ())
        result += history[at : at + 1]
    return result
