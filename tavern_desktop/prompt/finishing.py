"""From the parts of a prompt to the messages that are sent: joined, with roles as servers want them (§3.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tavern_desktop.prompt.messages import Part, PromptMessage

PLACEHOLDER = "(The conversation begins.)"
"""Said by the user where a server demands that they speak first and they did not."""


def sent_messages(
    parts: Sequence[Part], *, squashes: bool = False, post_processing: str = "", char: str = "", user: str = ""
) -> tuple[PromptMessage, ...]:
    """Return the messages for the parts.

    `squashes`: neighbouring system messages become one. `post_processing`: "merge", "semi", "strict", "single" or "".
    """
    found = _joined(parts)
    if squashes:
        found = _squashed(found)
    messages = [message for message, _ in found]
    process = _PROCESSES.get(post_processing)
    return tuple(process([_named(message, char, user) for message in messages], char, user) if process else messages)


Standing = tuple[PromptMessage, bool]
"""A message, and whether it stands alone."""


def _joined(parts: Sequence[Part]) -> list[Standing]:
    """Join the texts that are one message."""
    found: list[Standing] = []
    last = ""
    for part in parts:
        if part.joins and part.joins == last:
            message, alone = found[-1]
            found[-1] = replace(message, text=f"{message.text}\n{part.message.text}"), alone
        else:
            found.append((part.message, part.stands_alone))
        last = part.joins
    return found


def _squashed(messages: Sequence[Standing]) -> list[Standing]:
    """Make one of neighbouring system messages without a name; headings and nudges stay as they are."""
    found: list[Standing] = []
    for message, alone in messages:
        if message.role == "system" and not message.text:
            continue
        if found and _may_squash(message, alone) and _may_squash(*found[-1]):
            before = found[-1][0]
            found[-1] = replace(before, text=f"{before.text}\n{message.text}"), False
        else:
            found.append((message, alone))
    return found


def _may_squash(message: PromptMessage, alone: bool) -> bool:
    return message.role == "system" and not message.name and not message.images and not alone


# -- what servers want ----------------------------------------------------------------------------------------


def _named(message: PromptMessage, char: str, user: str) -> PromptMessage:
    """Write the speaker into the text: these forms have no field for names."""
    speaker = {"example_user": user, "example_assistant": char}.get(message.name, message.name)
    if not speaker or message.role == "tool":
        return message
    told = message.text.startswith(f"{speaker}:")
    return replace(message, name="", text=message.text if told else f"{speaker}: {message.text}")


def _merged(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    """Join neighbours of one role with a blank line; calls of tools and their results stay as they are."""
    found: list[PromptMessage] = []
    for message in messages:
        before = found[-1] if found else None
        if before is not None and before.role == message.role and _is_plain(before) and _is_plain(message):
            text = "\n\n".join(filter(None, (before.text, message.text)))
            found[-1] = replace(message, text=text, images=before.images + message.images, thought=None)
        else:
            found.append(message)
    return found


def _is_plain(message: PromptMessage) -> bool:
    return message.role != "tool" and not message.tool_calls


def _merge(messages: Sequence[PromptMessage], char: str, user: str) -> list[PromptMessage]:
    return _merged(messages)


def _semi(messages: Sequence[PromptMessage], char: str, user: str) -> list[PromptMessage]:
    """Keep the first system message alone: later ones are the user's."""
    merged = _merged(messages)
    return _merged(
        [
            replace(message, role="user") if at and message.role == "system" else message
            for at, message in enumerate(merged)
        ]
    )


def _strict(messages: Sequence[PromptMessage], char: str, user: str) -> list[PromptMessage]:
    """Have the user speak first behind the system message."""
    found = _semi(messages, char, user)
    first = 1 if found and found[0].role == "system" else 0
    if len(found) <= first or found[first].role != "user":
        found.insert(first, PromptMessage("user", PLACEHOLDER))
    return found


def _single(messages: Sequence[PromptMessage], char: str, user: str) -> list[PromptMessage]:
    """Make one message of the user's of everything, with the speakers' names."""
    names = {"assistant": char, "user": user}
    found = []
    for message in messages:
        speaker = names.get(message.role, "")
        told = not speaker or message.text.startswith(f"{speaker}:")
        text = message.text if told else f"{speaker}: {message.text}"
        found.append(replace(message, role="user", text=text) if _is_plain(message) else message)
    return _merged(found)


_PROCESSES: dict[str, Callable[[Sequence[PromptMessage], str, str], list[PromptMessage]]] = {
    "merge": _merge,
    "semi": _semi,
    "strict": _strict,
    "single": _single,
}
