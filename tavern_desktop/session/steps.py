"""The reversible steps a command consists of: plain values that say what was and what is.

A step is applied forward and back, first time and again. Messages are found by key and must still be exactly what
the step left; places are named by their neighbours. `Moved` means that something else changed it since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message


class Changed(Exception):
    """What the step concerns is not there any more as the step left it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A gap between two messages, by their keys; None at the ends of the chat."""

    after: int | None
    before: int | None

    @classmethod
    def around(cls, chat: Chat, first: int, last: int) -> Place:
        """Return where the messages first … last stand; with last == first - 1 the gap before `first`."""
        messages = chat.messages
        after = messages[first - 1].key if first > 0 else None
        return cls(after, messages[last + 1].key if last + 1 < len(messages) else None)

    def index(self, chat: Chat) -> int:
        """Return the index of what would stand here: behind its predecessor, else before its successor."""
        if self.after is None:
            return 0
        index = chat.find(self.after)
        if index is not None:
            return index + 1
        index = None if self.before is None else chat.find(self.before)
        if index is None:
            raise Changed
        return index


class Step(Protocol):
    """One change of a chat. Both checks raise Changed and change nothing; the doing follows a check."""

    def check(self, chat: Chat, *, back: bool) -> None:
        """Raise Changed unless the step can be applied forward, or back."""

    def apply(self, chat: Chat, *, back: bool) -> None:
        """Change the chat."""


@dataclass(frozen=True, slots=True)
class Replace:
    """Messages that say something else: pairs of values of the same key, in the order of the chat."""

    before: tuple[Message, ...]
    after: tuple[Message, ...]

    def check(self, chat: Chat, *, back: bool) -> None:
        _indices(chat, self.after if back else self.before)

    def apply(self, chat: Chat, *, back: bool) -> None:
        old, new = (self.after, self.before) if back else (self.before, self.after)
        by_key = {message.key: message for message in new}
        for first, last in runs_of(_indices(chat, old)):
            chat.replace(first, [by_key[message.key] for message in chat.messages[first : last + 1]])


@dataclass(frozen=True, slots=True)
class Presence:
    """Messages that come in (`comes`) or go out: runs of neighbours, each with its place."""

    comes: bool
    runs: tuple[tuple[Place, tuple[Message, ...]], ...]

    def check(self, chat: Chat, *, back: bool) -> None:
        if self.comes is not back:
            for place, messages in self.runs:
                place.index(chat)
                if any(chat.find(message.key) is not None for message in messages):
                    raise Changed
        else:
            _indices(chat, self._messages())

    def apply(self, chat: Chat, *, back: bool) -> None:
        # From the end to the start, so that the indices found beforehand stay true.
        if self.comes is not back:
            places = [(place.index(chat), number) for number, (place, _) in enumerate(self.runs)]
            for index, number in sorted(places, reverse=True):
                chat.insert(index, self.runs[number][1])
        else:
            for first, last in reversed(runs_of(_indices(chat, self._messages()))):
                chat.remove(first, last)

    def _messages(self) -> list[Message]:
        return [message for _, messages in self.runs for message in messages]


@dataclass(frozen=True, slots=True)
class Relocate:
    """A message that stands elsewhere."""

    key: int
    old: Place
    new: Place

    def check(self, chat: Chat, *, back: bool) -> None:
        if chat.find(self.key) is None:
            raise Changed
        (self.old if back else self.new).index(chat)

    def apply(self, chat: Chat, *, back: bool) -> None:
        here = chat.find(self.key)
        there = (self.old if back else self.new).index(chat)
        if here is not None and there not in (here, here + 1):
            chat.move(here, here, there)


@dataclass(frozen=True, slots=True)
class Taint:
    """A mark in the header that goes with a change of messages: that the chat is no longer only its greeting (chat
    files §7), or what a reply leaves behind."""

    before: Header
    after: Header

    def check(self, chat: Chat, *, back: bool) -> None:
        """Agree: a header that was changed since keeps its mark, which is no reason to refuse an undo."""

    def apply(self, chat: Chat, *, back: bool) -> None:
        old, new = (self.after, self.before) if back else (self.before, self.after)
        if chat.header == old:
            chat.set_header(new)


def _indices(chat: Chat, messages: Iterable[Message]) -> list[int]:
    """Return where these very values stand. Raises Changed if one is not there."""
    found = []
    for message in messages:
        index = chat.find(message.key)
        if index is None or not _is_same(chat.messages[index], message):
            raise Changed
        found.append(index)
    return found


def _is_same(one: Message, other: Message) -> bool:
    """Compare what two messages say; nothing of the same one is read from disk for that."""
    return one is other or one.raw == other.raw


def runs_of(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return indices as sorted inclusive ranges of neighbours."""
    runs: list[tuple[int, int]] = []
    for index in sorted(indices):
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs
