"""Which messages are kept out of prompts, told of a hundred thousand without decoding them.

SillyTavern writes `is_system` among the first fields of a record; where it stands elsewhere the record is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable

from tavern_desktop.chat import facts
from tavern_desktop.chat.message import Message

KEY = b'"is_system":'
FAR = 400
"""Bytes of a record among which the field is looked for."""


def count_shown(messages: Iterable[Message]) -> int:
    """Return how many messages are not hidden."""
    return sum(not is_hidden(message) for message in messages)


def is_hidden(message: Message) -> bool:
    """Say whether a message is kept out of prompts, as `facts.is_hidden` does; of a field that stands there twice the
    first may count."""
    raw = message.seen
    at = raw.find(KEY, 0, FAR)
    # A brace before it may begin an object whose field it is. Inside a text its quotes would stand behind backslashes.
    if at > 0 and raw.find(b"{", 1, at) < 0:
        value = raw[at + len(KEY) : at + len(KEY) + 6].lstrip()
        if value.startswith((b"false", b"true")):
            return value.startswith(b"true")
    return facts.is_hidden(message.seen_data())
