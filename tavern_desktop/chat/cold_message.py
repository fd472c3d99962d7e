"""A message of which only what is shown is in memory; the rest is in a file of ours, and is read when it is needed.

To everything that compares, merges, writes, copies or journals messages it is a whole message: `raw` and `data` are
always complete. Only who shows it, or changes what is shown, asks for what is `seen`, and so reads no file.
"""

from __future__ import annotations

import zlib
from functools import lru_cache
from typing import Any, Protocol, cast

from typing_extensions import override

from tavern_desktop.chat import cold, jsontext
from tavern_desktop.chat.message import Message, says_the_same

_FAST = 1
"""Level of compression: texts in memory are squeezed, because text and shown alternative say the same thing twice."""


UNPACKED = 512
"""Texts that are kept as they were unpacked: some screens full."""


class Records(Protocol):
    """Where whole records are. Both raise what their owner's readers expect where something cannot be read."""

    def record(self, number: int) -> bytes:
        """Return a record that was put there."""

    def completed(self, number: int, live: dict[str, Any]) -> bytes:
        """Return a record that was put there with what is live of it since."""


class ColdMessage(Message):
    """A message whose unseen alternatives are on disk.

    As a tuple it has two more items than a message, the `Records` and the number there, and its second is the text of
    what is seen, compressed; the third is that as it was projected, once an edit replaced it. Two are equal only if
    they have the same of all: comparing reads nothing.
    """

    __slots__ = ()

    @classmethod
    def projected(cls, message: Message, data: dict[str, Any], records: Records, number: int) -> ColdMessage:
        """Return `message`, which says `data` and is eligible, with what is not seen of it left in `records`."""
        return cls._of(message.key, _packed(cold.projected(data)), None, records, number)

    @classmethod
    def _of(cls, key: int, seen: bytes, unedited: bytes | None, records: Records, number: int) -> ColdMessage:
        return tuple.__new__(cls, (key, seen, unedited, records, number))

    @property
    @override
    def raw(self) -> bytes:
        """The whole record. Reads it; of a message that was edited meanwhile what is not loaded is filled in."""
        records, number = self._place
        return records.record(number) if self._unedited is None else records.completed(number, self.seen_data())

    @property
    @override
    def origin(self) -> bytes | None:
        records, number = self._place
        return None if self._unedited is None else records.record(number)

    @property
    @override
    def seen(self) -> bytes:
        return _unpacked(self[1])

    @override
    def saying(self, data: dict[str, Any]) -> Message:
        return self.whole().saying(data)

    @override
    def saying_seen(self, data: dict[str, Any]) -> Message:
        unedited = self[1] if self._unedited is None else self._unedited
        if says_the_same(data, jsontext.decode(_unpacked(unedited))):
            return self._of(self.key, unedited, None, *self._place)
        return self._of(self.key, _packed(data), unedited, *self._place)

    @override
    def with_key(self, key: int) -> ColdMessage:
        return self._of(key, self[1], self._unedited, *self._place)

    @override
    def whole(self) -> Message:
        return Message(self.key, self.raw, self.origin)

    @property
    def _unedited(self) -> bytes | None:
        return self[2]

    @property
    def _place(self) -> tuple[Records, int]:
        records, number = cast("tuple[Any, ...]", self)[3:]
        return records, number


@lru_cache(UNPACKED)
def _unpacked(packed: bytes) -> bytes:
    """Return what was packed: the same object as long as it is looked at, so that a view sees that it is the same."""
    return zlib.decompress(packed)


def _packed(data: dict[str, Any]) -> bytes:
    return zlib.compress(jsontext.encode(data), _FAST)
