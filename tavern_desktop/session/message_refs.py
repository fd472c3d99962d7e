"""Finding a message again after a restart, when keys mean nothing any more."""

from __future__ import annotations

from collections.abc import Iterator

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.content import Digests
from tavern_desktop.chat.identity import stored_id
from tavern_desktop.storage.drafts import MessageRef

REACH = 500
"""Messages on each side of where it was among which it is looked for: about ten milliseconds."""


def ref_of(chat: Chat, key: int) -> MessageRef | None:
    """Return what leads to a message of an open chat, None if it is not in it."""
    index = chat.find(key)
    if index is None:
        return None
    raw = chat.messages[index].raw
    return MessageRef(index, stored_id(raw) or "", Digests()[raw].hex())


def find_message(chat: Chat, ref: MessageRef) -> int | None:
    """Return the key of the message that `ref` means, None where there is none that surely is it.

    The stored id decides where there is one, else what the message says.
    """
    digests = Digests()
    for index in _from_near_to_far(ref.index, len(chat)):
        message = chat.messages[index]
        if ref.message_id and stored_id(message.raw) == ref.message_id:
            return message.key
        if not ref.message_id and digests[message.raw].hex() == ref.digest:
            return message.key
    return None


def _from_near_to_far(start: int, count: int) -> Iterator[int]:
    for distance in range(REACH + 1):
        for index in {start - distance, start + distance}:
            if 0 <= index < count:
                yield index
