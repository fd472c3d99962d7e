"""Room in the context: what must be there, what fits beside it, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tavern_desktop.prompt.history import Turn
from tavern_desktop.prompt.messages import NO_ROOM, LeftOut, Part, PromptError
from tavern_desktop.prompt.scene import Scene
from tavern_desktop.prompt.tokens import TokenCounter, usable


def tokens_of(parts: Sequence[Part]) -> int:
    """Return the tokens of parts together."""
    return sum(part.tokens for part in parts)


def free_beside(parts: Sequence[Part], scene: Scene, counter: TokenCounter) -> int:
    """Return the tokens that are free beside what must be there. Raises PromptError naming the largest of it."""
    budget = usable(scene.context, scene.reply, is_estimate=counter.is_estimate)
    needed = tokens_of(parts)
    if needed <= budget:
        return budget - needed
    largest = max(parts, key=lambda part: part.tokens)
    raise PromptError(
        "too_large",
        f"The fixed parts of the prompt need {needed:,} tokens, but only {max(budget, 0):,} are free beside the "
        f"reply; the largest is the {_TITLES.get(largest.source, largest.source)} with {largest.tokens:,}.",
        largest.source,
        {"needed": needed, "free": budget, "tokens": largest.tokens},
    )


def fitting(blocks: Sequence[Sequence[Part]], budget: int, left_out: list[LeftOut]) -> list[Part]:
    """Return as many blocks of the example dialogue as there is room for, and note the rest."""
    parts: list[Part] = []
    for at, block in enumerate(blocks):
        needed = tokens_of(block)
        if needed > budget:
            left_out.append(LeftOut("examples", NO_ROOM, sum(map(tokens_of, blocks[at:]))))
            break
        budget -= needed
        parts += block
    return parts


def note_turn(turn: Turn, left_out: list[LeftOut]) -> None:
    """Note a message that is not sent, in one line with its neighbours of the same reason."""
    if left_out and left_out[-1].reason == turn.reason and left_out[-1].first == turn.index + 1:
        left_out[-1] = replace(left_out[-1], first=turn.index)
    else:
        left_out.append(LeftOut("history", turn.reason, None, turn.index, turn.index))


_TITLES = {
    "main": "main instruction",
    "persona": "persona",
    "description": "character description",
    "personality": "character personality",
    "scenario": "scenario",
    "history": "message to continue",
    "post_history": "instruction after the history",
}
