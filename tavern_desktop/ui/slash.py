"""What a text that begins with `/` means: the few commands we know, done here; others are explained, never sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SlashName = Literal["hide", "unhide", "sys", "comment", "sendas", "continue", "persona"]
KNOWN: tuple[SlashName, ...] = ("hide", "unhide", "sys", "comment", "sendas", "continue", "persona")

_COMMAND = re.compile(r"/(?P<name>[^\s/]*)(?:\s+(?P<rest>.*))?", re.DOTALL)
_RANGE = re.compile(r"(\d+)(?:\s*-\s*(\d+))?")
_NAME = re.compile(r'name=(?:"(?P<quoted>[^"\n]+)"|(?P<bare>[^"\s]+))\s*(?P<text>.*)', re.DOTALL)


@dataclass(frozen=True)
class SlashCommand:
    """A command that can be carried out. `text` is what is said, or for persona the name.

    `messages` is the inclusive range of 0-based numbers for hide and unhide, None for the newest message.
    """

    name: SlashName
    text: str = ""
    speaker: str = ""
    messages: tuple[int, int] | None = None


class SlashError(ValueError):
    """The text is no command we can carry out; the sentence says what would be one."""


def is_slash(text: str) -> bool:
    """Say whether `text` is meant as a command rather than as a message."""
    return text.lstrip().startswith("/")


def parse_slash(text: str) -> SlashCommand:
    """Read a command. Raises SlashError, whose text is for the person."""
    found = _COMMAND.fullmatch(text.strip())
    name = found["name"].lower() if found else ""
    rest = (found["rest"] or "").strip() if found else ""
    if name in ("hide", "unhide"):
        return SlashCommand("hide" if name == "hide" else "unhide", messages=_parse_range(name, rest))
    if name in ("sys", "comment"):
        if not rest:
            raise SlashError(f"Write the text after /{name}.")
        return SlashCommand("sys" if name == "sys" else "comment", rest)
    if name == "sendas":
        who = _NAME.fullmatch(rest)
        if who is None or not who["text"].strip():
            raise SlashError('Write it as /sendas name="Name" text.')
        return SlashCommand("sendas", who["text"].strip(), who["quoted"] or who["bare"])
    if name == "continue":
        if rest:
            raise SlashError("Write /continue alone: the newest message goes on from where it ends.")
        return SlashCommand("continue")
    if name == "persona":
        if not rest:
            raise SlashError("Write it as /persona Name, with the name of one of your personas.")
        return SlashCommand("persona", rest)
    known = ", ".join(f"/{one}" for one in KNOWN)
    if not name:
        raise SlashError(f"A text that begins with / is taken for a command. Known here: {known}.")
    raise SlashError(f"/{name} is not known here, so nothing was sent. Known: {known}.")


def _parse_range(name: str, rest: str) -> tuple[int, int] | None:
    if not rest:
        return None
    numbers = _RANGE.fullmatch(rest)
    if numbers is None:
        raise SlashError(f"Write /{name} with a message number or a range: /{name} 12 or /{name} 12-15.")
    first = int(numbers[1])
    last = int(numbers[2] or numbers[1])
    return min(first, last), max(first, last)
