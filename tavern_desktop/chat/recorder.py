"""What happens to an open chat, written down as it happens, whatever made it happen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.delta_net import between, composed
from tavern_desktop.chat.deltas import Delta, Edit, Head, Move, insertions, removals
from tavern_desktop.chat.deltas import move as move_in
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message


@dataclass(frozen=True, slots=True)
class _Replaced:
    first: int
    before: Sequence[Message]
    after: Sequence[Message]


@dataclass(frozen=True, slots=True)
class _Present:
    """Messages that came in, or (`is_out`) went out."""

    first: int
    messages: Sequence[Message]
    is_out: bool


@dataclass(frozen=True, slots=True)
class _HeaderSet:
    before: Header
    after: Header


@dataclass(frozen=True, slots=True)
class _Reset:
    before: Sequence[Message]
    after: Sequence[Message]


_Event = _Replaced | _Present | Move | _HeaderSet | _Reset


@dataclass(frozen=True, slots=True)
class Pending:
    """What happened to a chat, as references to its messages. Making a delta of it is work for another thread."""

    count: int
    """Messages before it."""
    events: tuple[_Event, ...]

    def delta(self) -> Delta:
        """Return what it comes to; without operations where everything is as it was."""
        parts = []
        count = self.count
        for event in self.events:
            part = _delta(count, event)
            count = part.count_after
            parts.append(part)
        return composed(parts)


class Recorder:
    """Observes a chat on its owner's thread. Costs references: to the messages as they were, and to those that come."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self._header = chat.header
        self._messages = list(chat.messages)
        self._count = len(self._messages)
        self._events: list[_Event] = []
        chat.inserted.connect(self._inserted)
        chat.removed.connect(self._removed)
        chat.changed.connect(self._changed)
        chat.moved.connect(self._moved)
        chat.was_reset.connect(self._was_reset)
        chat.header_changed.connect(self._header_changed)

    def take(self) -> Pending | None:
        """Return what happened since the last call, None where nothing did."""
        if not self._events:
            return None
        pending = Pending(self._count, tuple(self._events))
        self._events.clear()
        self._count = len(self._messages)
        return pending

    def _inserted(self, first: int, last: int) -> None:
        came = self._chat.messages[first : last + 1]
        self._messages[first:first] = came
        self._events.append(_Present(first, came, is_out=False))

    def _removed(self, first: int, last: int) -> None:
        gone = self._messages[first : last + 1]
        del self._messages[first : last + 1]
        self._events.append(_Present(first, gone, is_out=True))

    def _changed(self, first: int, last: int) -> None:
        before = self._messages[first : last + 1]
        after = self._chat.messages[first : last + 1]
        self._messages[first : last + 1] = after
        self._events.append(_Replaced(first, before, after))

    def _moved(self, first: int, last: int, destination: int) -> None:
        event = Move(first, last, destination)
        move_in(self._messages, event)
        self._events.append(event)

    def _was_reset(self) -> None:
        before, self._messages = self._messages, list(self._chat.messages)
        self._events.append(_Reset(before, tuple(self._messages)))
        self._header_changed()

    def _header_changed(self) -> None:
        if self._chat.header != self._header:
            self._events.append(_HeaderSet(self._header, self._chat.header))
            self._header = self._chat.header


def _delta(count: int, event: _Event) -> Delta:
    match event:
        case _Replaced():
            changed = enumerate(zip(event.before, event.after, strict=True), event.first)
            pairs = ((index, old.raw, new.raw) for index, (old, new) in changed if old is not new)
            edits = (Edit.between(index, old, new) for index, old, new in pairs if old != new)
            return Delta(count, tuple(edits))
        case _Present():
            records = [message.raw for message in event.messages]
            ops = removals(event.first, records) if event.is_out else insertions(event.first, records)
            return Delta(count, tuple(ops))
        case Move():
            return Delta(count, (event,))
        case _HeaderSet():
            return Delta(count, (Head.between(event.before.raw, event.after.raw),))
        case _Reset():
            return between(Header(b""), event.before, Header(b""), event.after)
