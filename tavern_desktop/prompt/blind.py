"""A prompt for a model that sees no pictures."""

from __future__ import annotations

from dataclasses import replace

from tavern_desktop.prompt.messages import LeftOut, Part, Prompt
from tavern_desktop.prompt.tokens import IMAGE


def without_pictures(prompt: Prompt, reason: str) -> Prompt:
    """Return the prompt with the texts alone, and what is left out for `reason`; a mere picture leaves nothing."""
    if not any(part.message.images for part in prompt.parts):
        return prompt
    parts: list[Part] = []
    left_out: list[LeftOut] = []
    for part in prompt.parts:
        count = len(part.message.images)
        if count:
            left_out.append(LeftOut("pictures", reason, IMAGE * count, part.index, part.index))
            part = replace(part, message=replace(part.message, images=()), tokens=part.tokens - IMAGE * count)
        if not count or part.message.text:
            parts.append(part)
    sent = tuple(replace(message, images=()) for message in prompt.sent if message.text or not message.images)
    return replace(prompt, parts=tuple(parts), sent=sent, left_out=(*prompt.left_out, *left_out))
