"""What leads from one state of a chat to the next and back: positional, with the bytes that both ways need.

A chat's history is a line of states with a delta between each and the next. A delta needs no keys, so that it can be
written down and read again in another process. It is applied to nothing but the state it was made for: what does not
fit raises `DeltaMismatch`.

An empty record (`UNKNOWN`) stands for a message whose text nobody has: one that another program changed or took out
while the chat was closed here. It can be put in and taken out like any other; edits leave it as it is. A header that
does not fit is left as it is likewise: other programs change that too, and what it was is then not known.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.hunks import HunkMismatch, Hunks, cut, patched
from tavern_desktop.chat.message import Message

T = TypeVar("T")

UNKNOWN = b""
"""A record whose text is not known."""
MOST_RECORDS = 1000
"""Records in one operation: whoever encodes it holds other threads up."""


class DeltaMismatch(Exception):
    """A delta does not fit the state that it is applied to."""


def digest(raw: bytes) -> int:
    """Return 64 bits by which the text of a record is told from others."""
    return int.from_bytes(hashlib.blake2b(raw, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Edit:
    """The record at `index` says something else. `digest` is that of its text after the edit."""

    index: int
    hunks: Hunks
    digest: int

    @classmethod
    def between(cls, index: int, old: bytes, new: bytes) -> Edit:
        return cls(index, cut(old, new), digest(new))

    def edited(self, raw: bytes, *, back: bool = False) -> bytes:
        """Return the record after the edit, or before it. Raises DeltaMismatch where `raw` is not what it was."""
        return _edited(raw, self.hunks, self.digest, back)


@dataclass(frozen=True, slots=True)
class Insert:
    """Records that come in before what is at `index`."""

    index: int
    records: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Records that go out, the first of them at `index`."""

    index: int
    records: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """The records first … last come to stand before what is at `destination` (an index before the move)."""

    first: int
    last: int
    destination: int

    def reversed(self) -> Move:
        """Return the move that takes this one back."""
        count = self.last - self.first + 1
        if self.destination > self.last:
            return Move(self.destination - count, self.destination - 1, self.first)
        return Move(self.destination, self.destination + count - 1, self.last + 1)


@dataclass(frozen=True, slots=True)
class Head:
    """The header says something else, as in `Edit`; without hunks what it was before is not known."""

    hunks: Hunks
    digest: int

    @classmethod
    def between(cls, old: bytes, new: bytes) -> Head:
        return cls(cut(old, new), digest(new))

    @classmethod
    def unknown(cls, new: bytes) -> Head:
        return cls((), digest(new))

    def edited(self, raw: bytes, *, back: bool = False) -> bytes:
        """Return the header after the edit, or before it; as it is where that cannot be told."""
        with contextlib.suppress(DeltaMismatch):
            return _edited(raw, self.hunks, self.digest, back)
        return raw


Op = Edit | Insert | Remove | Move | Head


@dataclass(frozen=True, slots=True)
class Delta:
    """Operations in the order in which they are applied, to a state of `count` messages."""

    count: int
    ops: tuple[Op, ...] = ()

    @property
    def added(self) -> int:
        """How many messages come in."""
        return sum(len(op.records) for op in self.ops if isinstance(op, Insert))

    @property
    def removed(self) -> int:
        """How many messages go out."""
        return sum(len(op.records) for op in self.ops if isinstance(op, Remove))

    @property
    def edited(self) -> int:
        """How many messages say something else: right for a delta in which each is edited once, as ours are."""
        return sum(isinstance(op, Edit) for op in self.ops)

    @property
    def moved(self) -> int:
        """How many messages stand elsewhere."""
        return sum(op.last - op.first + 1 for op in self.ops if isinstance(op, Move))

    @property
    def count_after(self) -> int:
        """How many messages the state has that it leads to."""
        return self.count + self.added - self.removed


def insertions(index: int, records: Sequence[bytes]) -> Iterator[Insert]:
    """Yield what puts records before `index`, in operations that are not too large to be handled one by one."""
    for start in range(0, len(records), MOST_RECORDS):
        yield Insert(index + start, tuple(records[start : start + MOST_RECORDS]))


def removals(index: int, records: Sequence[bytes]) -> Iterator[Remove]:
    """Yield what takes records out, the first of which is at `index`; the last go first."""
    for start in reversed(range(0, len(records), MOST_RECORDS)):
        yield Remove(index + start, tuple(records[start : start + MOST_RECORDS]))


def apply(delta: Delta, header: bytes, records: list[bytes], *, back: bool = False) -> bytes:
    """Lead a state to the one after the delta, or (`back`) before it: changes `records`, returns the other header.

    Raises DeltaMismatch; `records` is then neither the one nor the other.
    """
    return _applied(delta, header, records, back, lambda raw: raw, lambda _, raw: raw)


def apply_to_messages(delta: Delta, header: Header, messages: list[Message], *, back: bool = False) -> Header:
    """Do the same with messages: those that are edited keep their keys, those that come in get new ones."""
    raw = _applied(delta, header.raw, messages, back, lambda message: message.raw, _message)
    return header if raw == header.raw else Header(raw)


def trace(delta: Delta) -> list[int | None]:
    """Return where each message after the delta stood before it, None for those that came in."""
    places: list[int | None] = list(range(delta.count))
    for op in delta.ops:
        if isinstance(op, Insert):
            places[op.index : op.index] = [None] * len(op.records)
        elif isinstance(op, Remove):
            del places[op.index : op.index + len(op.records)]
        elif isinstance(op, Move):
            move(places, op)
    return places


def move(items: MutableSequence[T], op: Move) -> None:
    """Move a range of a list as the operation says."""
    moving = items[op.first : op.last + 1]
    del items[op.first : op.last + 1]
    at = op.destination if op.destination < op.first else op.destination - len(moving)
    items[at:at] = moving


def _applied(
    delta: Delta,
    header: bytes,
    items: list[T],
    back: bool,
    text: Callable[[T], bytes],
    made: Callable[[T | None, bytes], T],
) -> bytes:
    """`made` is given the item that is edited, or None, and the text that it shall have."""
    if len(items) != (delta.count_after if back else delta.count):
        raise DeltaMismatch("another number of messages")
    for op in reversed(delta.ops) if back else delta.ops:
        match op:
            case Edit():
                if not 0 <= op.index < len(items):
                    raise DeltaMismatch("no such message")
                item = items[op.index]
                items[op.index] = made(item, op.edited(text(item), back=back))
            case Insert() | Remove() if isinstance(op, Remove) is back:
                if not 0 <= op.index <= len(items):
                    raise DeltaMismatch("no such place")
                items[op.index : op.index] = [made(None, raw) for raw in op.records]
            case Insert() | Remove():
                _take_out(items, op, text)
            case Move():
                if not (0 <= op.first <= op.last < len(items) and 0 <= op.destination <= len(items)):
                    raise DeltaMismatch("no such place")
                move(items, op.reversed() if back else op)
            case Head():
                header = op.edited(header, back=back)
    return header


def _take_out(items: list[T], op: Insert | Remove, text: Callable[[T], bytes]) -> None:
    there = items[op.index : op.index + len(op.records)]
    if len(there) != len(op.records):
        raise DeltaMismatch("no such messages")
    for item, raw in zip(there, op.records, strict=True):
        if text(item) != raw and UNKNOWN not in (text(item), raw):
            raise DeltaMismatch("another message")
    del items[op.index : op.index + len(op.records)]


def _edited(raw: bytes, hunks: Hunks, digest_after: int, back: bool) -> bytes:
    if raw == UNKNOWN:
        return raw
    if back and digest(raw) != digest_after:
        raise DeltaMismatch("another text")
    try:
        changed = patched(raw, hunks, back=back)
    except HunkMismatch:
        raise DeltaMismatch("another text") from None
    if not back and digest(changed) != digest_after:
        raise DeltaMismatch("another text")
    return changed


def _message(message: Message | None, raw: bytes) -> Message:
    if message is None:
        return Message.read([raw])[0]
    return message if message.raw == raw else Message(message.key, raw)
