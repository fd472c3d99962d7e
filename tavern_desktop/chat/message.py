"""One message of a chat: an immutable value that keeps its own bytes.

What nobody edited is written back exactly as it was read (storage contract J7). Decoding 1.5 KB costs a
few microseconds, so nothing decoded is kept here; a view that shows a message keeps what it shows.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple

from tavern_desktop.chat import jsontext

ID_FIELD = "message_id"
"""The stored id, top level: `msg_` and 32 hex digits (decision D1)."""

_keys = itertools.count(1)


class Message(NamedTuple):
    """A record of a chat file.

    `key` names the message within this process and survives edits, swipes and moves. `raw` is the JSON
    text of the record without its line end: as read, or as serialised by the edit that made it. `origin`
    is the text as read once an edit replaced it, so that editing back brings the original bytes back.
    (A named tuple because a chat has 100,000 of them: it is the immutable value that is quickest to make.)
    """

    key: int
    raw: bytes
    origin: bytes | None = None

    @classmethod
    def new(cls, data: dict[str, Any]) -> Message:
        """Return a message with a new key for a record made by us."""
        return cls(next(_keys), jsontext.encode(data))

    @classmethod
    def read(cls, records: Iterable[bytes]) -> list[Message]:
        """Return messages with new keys for records as they stand in a file."""
        # Without a call of Python's own for each of them: a chat has 100,000.
        return list(map(tuple.__new__, itertools.repeat(cls), zip(_keys, records, itertools.repeat(None))))

    def data(self) -> dict[str, Any]:
        """Return the record, decoded afresh: the caller may change it."""
        return jsontext.decode(self.raw)

    @property
    def seen(self) -> bytes:
        """The JSON text as far as it is in memory: all of it, but for unseen alternatives (`chat.cold_message`)."""
        return self.raw

    def seen_data(self) -> dict[str, Any]:
        """Return the record as far as it is in memory, where an alternative that is not loaded is None."""
        return jsontext.decode(self.seen)

    def with_data(self, data: dict[str, Any]) -> Message:
        """Return this message saying `data`: itself or its original bytes if that is no change."""
        return self if jsontext.same(data, self.data()) else self.saying(data)

    def saying(self, data: dict[str, Any]) -> Message:
        """Return this message saying `data`, which is known to differ from what it says: its original bytes if those
        say so."""
        origin = self.raw if self.origin is None else self.origin
        if self.origin is not None and says_the_same(data, jsontext.decode(origin)):
            return Message(self.key, origin)
        return Message(self.key, jsontext.encode(data), origin)

    def saying_seen(self, data: dict[str, Any]) -> Message:
        """Return this message saying `data`, made from `seen_data`, of what is in memory; the rest stays as it is."""
        return self.saying(data)

    def whole(self) -> Message:
        """Return this message with all of it in memory."""
        return self

    def with_key(self, key: int) -> Message:
        """Return the same record as the message `key`."""
        return Message(key, self.raw, self.origin)


def says_the_same(data: dict[str, Any], original: dict[str, Any]) -> bool:
    """Compare, leaving out an id that only our own edit put there."""
    if ID_FIELD in data and ID_FIELD not in original:
        data = {name: value for name, value in data.items() if name != ID_FIELD}
    return jsontext.same(data, original)
