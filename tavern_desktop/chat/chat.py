"""An open chat: the one mutable object, with the canonical list of its messages.

One owner (the GUI thread, or the command line) changes it, and only through commands; everybody else reads
or takes a snapshot. Index = absolute message index, 0-based, the same everywhere.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal

NEARBY = 200
"""How far from where it was read a message is looked for before a table of all keys is made."""

_key = operator.attrgetter("key")


class Chat:
    """Header and messages, with a signal before and after each change of a range.

    `messages` keeps its identity for as long as the chat is open; read it, never change it. Ranges in
    signals are (first, last), inclusive. `changed` has no "before": its rows stay where they are.
    """

    def __init__(self, header: Header, messages: Iterable[Message] = ()) -> None:
        self.about_to_insert: Signal[int, int] = Signal()
        self.inserted: Signal[int, int] = Signal()
        self.about_to_remove: Signal[int, int] = Signal()
        self.removed: Signal[int, int] = Signal()
        self.about_to_move: Signal[int, int, int] = Signal()
        """(first, last, destination): destination is an index before the move, as in Qt's beginMoveRows."""
        self.moved: Signal[int, int, int] = Signal()
        self.changed: Signal[int, int] = Signal()
        self.about_to_reset: Signal[()] = Signal()
        self.was_reset: Signal[()] = Signal()
        self.header_changed: Signal[()] = Signal()
        self.header = header
        self.messages: list[Message] = list(messages)
        self._index_by_key: dict[int, int] | None = None

    def __len__(self) -> int:
        return len(self.messages)

    def snapshot(self) -> tuple[Header, tuple[Message, ...]]:
        """Return the chat as it is now, as immutable values: under a millisecond for any size."""
        return self.header, tuple(self.messages)

    def find(self, key: int) -> int | None:
        """Return the index of the message with this key, None if it is not here (any more)."""
        if self._index_by_key is None:
            index = self._find_nearby(key)
            if index is not None:
                return index
            self._index_by_key = {message.key: index for index, message in enumerate(self.messages)}
        return self._index_by_key.get(key)

    def insert(self, index: int, messages: Sequence[Message]) -> None:
        """Put `messages` before `index`; index == len(self) appends."""
        if not messages:
            return
        last = index + len(messages) - 1
        self.about_to_insert.emit(index, last)
        at_end = index == len(self.messages)
        self.messages[index:index] = messages
        if at_end and self._index_by_key is not None:
            self._index_by_key.update((message.key, index + n) for n, message in enumerate(messages))
        else:
            self._index_by_key = None
        self.inserted.emit(index, last)

    def remove(self, first: int, last: int) -> None:
        """Take out the messages first … last."""
        self.about_to_remove.emit(first, last)
        gone = self.messages[first : last + 1]
        at_end = last == len(self.messages) - 1
        del self.messages[first : last + 1]
        if at_end and self._index_by_key is not None:
            for message in gone:
                del self._index_by_key[message.key]
        else:
            self._index_by_key = None
        self.removed.emit(first, last)

    def replace(self, index: int, messages: Sequence[Message]) -> None:
        """Put other values of the same messages (same keys) at index …."""
        if not messages:
            return
        self.messages[index : index + len(messages)] = messages
        self.changed.emit(index, index + len(messages) - 1)

    def move(self, first: int, last: int, destination: int) -> None:
        """Move first … last so that they stand before what is now at `destination` (outside the range)."""
        self.about_to_move.emit(first, last, destination)
        moving = self.messages[first : last + 1]
        del self.messages[first : last + 1]
        at = destination if destination < first else destination - len(moving)
        self.messages[at:at] = moving
        self._index_by_key = None
        self.moved.emit(first, last, destination)

    def reset(self, header: Header, messages: Iterable[Message]) -> None:
        """Replace everything, as after a reload; the list object stays the same."""
        self.about_to_reset.emit()
        self.header = header
        self.messages[:] = messages
        self._index_by_key = None
        self.was_reset.emit()

    def set_header(self, header: Header) -> None:
        """Put another header, as after a change of metadata."""
        self.header = header
        self.header_changed.emit()

    def _find_nearby(self, key: int) -> int | None:
        """Look where a message stands unless many came, went or moved: a table of 100,000 keys takes 20 ms to make."""
        messages = self.messages
        if not messages:
            return None
        guess = min(bisect_left(messages, key, key=_key), len(messages) - 1)  # they were read in the order of keys
        for index in range(guess, max(guess - NEARBY, -1), -1):
            if messages[index].key == key:
                return index
        for index in range(guess + 1, min(guess + NEARBY, len(messages))):
            if messages[index].key == key:
                return index
        return None
