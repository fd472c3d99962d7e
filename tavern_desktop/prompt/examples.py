"""The example dialogue of a card: blocks of turns that show how a character speaks."""

from __future__ import annotations

import re

from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.messages import PromptMessage
from tavern_desktop.prompt.scene import Scene

_START = re.compile(r"<START>", re.IGNORECASE)


def example_texts(text: str) -> list[str]:
    """Return the blocks of an example dialogue; a text that does not begin with the mark begins a block too."""
    return [block.strip() for block in _START.split(text) if block.strip()]


def example_turns(block: str, scene: Scene, macros: Macros, *, keeps_names: bool) -> list[PromptMessage]:
    """Return a block's turns: a line that begins with a speaker's name begins a turn, and what stands before the first
    of them goes with it. A block in which nobody speaks is one turn of nobody.

    `keeps_names`: in the texts too, as in groups, where several may speak.
    """
    filled = macros.fill(block)
    names = {f"{scene.user}:": "example_user", f"{scene.character.name}:": "example_assistant"}
    turns: list[tuple[str, list[str]]] = []
    for line in filled.split("\n"):
        speaker = next((prefix for prefix in names if line.startswith(prefix)), None)
        if speaker is not None:
            kept = line if keeps_names else line[len(speaker) :]
            before = turns.pop()[1] if turns and not turns[0][0] else []
            turns.append((names[speaker], [*before, kept]))
        elif turns:
            turns[-1][1].append(line)
        else:
            turns.append(("", [line]))
    messages = [(name, "\n".join(lines).strip()) for name, lines in turns]
    return [PromptMessage("system", text, name) for name, text in messages if text]
