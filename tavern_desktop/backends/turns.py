"""Messages for protocols that want turns: the system text apart, user and assistant by turns, user first.

Shared by Anthropic's and Google's protocols, whose blocks differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tavern_desktop.prompt.messages import PromptMessage

OPENING = "(The conversation begins.)"
"""Stands where a user turn is demanded and nobody said anything."""

GOING_ON = "(Go on.)"
"""Asks for a new reply after one that shall not be continued."""

Block = dict[str, Any]


@dataclass
class Turn:
    """What one side says in a row."""

    role: Literal["user", "assistant"]
    blocks: list[Block] = field(default_factory=list)


def turns_of(
    messages: Sequence[PromptMessage],
    blocks_of: Callable[[PromptMessage], list[Block]],
    text_block: Callable[[str], Block],
) -> tuple[list[str], list[Turn]]:
    """Return the leading system texts, and the rest as turns made of blocks."""
    lead = 0
    while lead < len(messages) and messages[lead].role == "system":
        lead += 1
    turns: list[Turn] = []
    for message in messages[lead:]:
        blocks = blocks_of(message)
        role: Literal["user", "assistant"] = "assistant" if message.role == "assistant" else "user"
        if not blocks:
            continue
        if not turns or turns[-1].role != role:
            turns.append(Turn(role))
        turns[-1].blocks += blocks
    if not turns or turns[0].role != "user":
        turns.insert(0, Turn("user", [text_block(OPENING)]))
    if turns[-1].role == "assistant" and not messages[-1].is_prefill:
        turns.append(Turn("user", [text_block(GOING_ON)]))
    return [message.text for message in messages[:lead] if message.text.strip()], turns


def said_by(message: PromptMessage) -> str:
    """Return the text, with the speaker in front where one is named: these protocols have no field for that."""
    return f"{message.name}: {message.text}" if message.name and message.role != "tool" else message.text
