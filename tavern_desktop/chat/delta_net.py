"""One delta for many, and the delta between two states: each message is named once, whatever happened in between."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tavern_desktop.chat.content import common_ends
from tavern_desktop.chat.deltas import (
    UNKNOWN,
    Delta,
    DeltaMismatch,
    Edit,
    Head,
    Insert,
    Move,
    Op,
    Remove,
    insertions,
    move,
    removals,
)
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.hunks import HunkMismatch, Hunks, squashed
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.rising import heaviest_rise


def between(old_header: Header, old: Sequence[Message], new_header: Header, new: Sequence[Message]) -> Delta:
    """Return what leads from one state to another; the same keys are the same messages."""
    front, back = common_ends(old, new, operator.is_)
    old_part, new_part = old[front : len(old) - back], new[front : len(new) - back]
    place = {message.key: front + index for index, message in enumerate(old_part)}
    sources = [place.get(message.key) for message in new_part]
    edits: dict[int, _Text | None] = {}
    for index, source in enumerate(sources, front):
        if source is not None and old[source] is not new[index]:
            edits[index] = _Text.of(old[source].raw, new[index].raw)
    head = _Text.of(old_header.raw, new_header.raw)
    state = _State(front, range(front, len(old) - back), sources, edits, head)
    return state.delta(len(old), lambda index: old[index].raw, lambda index: new[index].raw)


def between_records(
    old: Sequence[Hashable],
    new: Sequence[Hashable],
    old_text: Callable[[int], bytes],
    new_text: Callable[[int], bytes],
    header: bytes | None = None,
) -> Delta:
    """Return what leads from one state to another where only equality tells which message is which.

    `old` and `new` are the records or their digests; an index leads to the text, which for an old one may be UNKNOWN.
    Nothing counts as edited or moved: such messages go out and come in. `header`: the new one, where the old is not
    known.
    """
    front, back = common_ends(old, new)
    sources = equal_places(old[front : len(old) - back], new[front : len(new) - back], front)
    state = _State(front, range(front, len(old) - back), sources, {}, None)
    delta = state.delta(len(old), old_text, new_text)
    return delta if header is None else Delta(delta.count, (*delta.ops, Head.unknown(header)))


def equal_places(old: Sequence[Hashable], new: Sequence[Hashable], offset: int = 0) -> list[int | None]:
    """Return for each of `new` where in `old` an equal one stands (plus `offset`), None where none does.

    The places grow: of those that would cross, as few as possible are given up.
    """
    places: dict[Hashable, list[int]] = {}
    for index in range(len(old) - 1, -1, -1):
        places.setdefault(old[index], []).append(index)
    wished = [(index, found.pop()) for index, item in enumerate(new) if (found := places.get(item))]
    sources: list[int | None] = [None] * len(new)
    for number in heaviest_rise([place for _, place in wished], [1] * len(wished)):
        index, place = wished[number]
        sources[index] = place + offset
    return sources


def composed(deltas: Iterable[Delta]) -> Delta:
    """Return one delta for several that follow each other. At least one; needs no state that they are applied to."""
    sequence = list(deltas)
    if len(sequence) == 1:
        return sequence[0]
    count = sequence[0].count
    front, back = _untouched(sequence)
    net = _Net(range(front, count - back))
    for delta in sequence:
        net.take(delta)
    return net.delta(count)


def _untouched(deltas: Iterable[Delta]) -> tuple[int, int]:
    """Return how many messages at the beginning, and of the rest at the end, no delta concerns."""
    front = back = 1 << 62
    for delta in deltas:
        count = delta.count
        front, back = min(front, count), min(back, count)
        for op in delta.ops:
            match op:
                case Head():
                    continue
                case Edit():
                    first, end = op.index, op.index + 1
                case Insert():
                    first, end = op.index, op.index
                    count += len(op.records)
                    end += len(op.records)
                case Remove():
                    first, end = op.index, op.index + len(op.records)
                case Move():
                    first, end = min(op.first, op.destination), max(op.last + 1, op.destination)
            front, back = min(front, first), min(back, count - end)
            if isinstance(op, Remove):
                count -= len(op.records)
        front, back = min(front, count), min(back, count)
    return front, back


@dataclass(slots=True)
class _Text:
    """What happened to one text: the edits of one that is not known, or the text before and after."""

    before: bytes | None = None
    now: bytes | None = None
    edits: list[tuple[Hunks, int]] = field(default_factory=list)
    is_unknown: bool = False

    @classmethod
    def of(cls, before: bytes, now: bytes) -> _Text | None:
        return None if before == now else cls(before, now)

    def edit(self, op: Edit) -> None:
        if self.now is not None:
            self.now = op.edited(self.now)
        else:
            self.edits.append((op.hunks, op.digest))

    def edit_header(self, op: Head) -> None:
        """Take an edit of the header, of which what was before may be not known from here on."""
        self.is_unknown |= not op.hunks
        self.edits.append((op.hunks, op.digest))

    def before_edits_of(self, now: bytes) -> bytes:
        """Return the text before everything, given what it is now."""
        if self.before is not None or now == UNKNOWN:
            return self.before or UNKNOWN
        for hunks, after in reversed(self.edits):
            now = Edit(0, hunks, after).edited(now, back=True)
        return now

    def change(self) -> tuple[Hunks, int] | None:
        """Return the one edit for all, None if nothing is left of them."""
        if self.before is not None and self.now is not None:
            edit = Edit.between(0, self.before, self.now)
            return (edit.hunks, edit.digest) if edit.hunks else None
        if self.is_unknown:
            return (), self.edits[-1][1]
        if len(self.edits) == 1:
            return self.edits[0]
        try:
            hunks = squashed(hunks for hunks, _ in self.edits)
        except HunkMismatch:
            raise DeltaMismatch("another text") from None
        return (hunks, self.edits[-1][1]) if hunks else None


@dataclass(slots=True)
class _Item:
    """A message that something happened to; `source` is None where it came in."""

    source: int | None
    text: _Text


class _Net:
    """A part of a state, of which only that is known which deltas told: the messages that stood at `span`."""

    def __init__(self, span: range) -> None:
        self._span = span
        self._items: list[int | _Item] = list(span)
        self._gone: dict[int, bytes] = {}
        """Texts before everything of messages that are out now, by where they stood."""
        self._last_texts: dict[bytes, list[int]] = {}
        """Where they stood, by the text with which they went out."""
        self._head = _Text()

    def take(self, delta: Delta) -> None:
        """Go on with a delta that follows."""
        items, front = self._items, self._span.start
        for op in delta.ops:
            match op:
                case Edit():
                    item = items[op.index - front]
                    if isinstance(item, int):
                        item = items[op.index - front] = _Item(item, _Text())
                    item.text.edit(op)
                case Insert():
                    at = op.index - front
                    items[at:at] = [self._put_in(raw) for raw in op.records]
                case Remove():
                    first, end = op.index - front, op.index - front + len(op.records)
                    for item, raw in zip(items[first:end], op.records, strict=True):
                        self._take_out(item, raw)
                    del items[first:end]
                case Move():
                    move(items, Move(op.first - front, op.last - front, op.destination - front))
                case Head():
                    self._head.edit_header(op)

    def delta(self, count: int) -> Delta:
        """Return what all of it comes to, for a state of `count` messages."""
        touched = [(at, item) for at, item in enumerate(self._items, self._span.start) if isinstance(item, _Item)]
        edits = {index: item.text for index, item in touched if item.source is not None}
        sources = [item if isinstance(item, int) else item.source for item in self._items]
        head = self._head if self._head.edits else None
        state = _State(self._span.start, self._span, sources, edits, head)
        return state.delta(count, self._gone.__getitem__, self._text_of)

    def _put_in(self, raw: bytes) -> int | _Item:
        """Let a message come in; one that went out with this very text is that one again."""
        places = self._last_texts.get(raw)
        if not places or raw == UNKNOWN:
            return _Item(None, _Text(now=raw))
        source = places.pop()
        before = self._gone.pop(source)
        return source if before == raw else _Item(source, _Text(before, raw))

    def _take_out(self, item: int | _Item, raw: bytes) -> None:
        source = item.source if isinstance(item, _Item) else item
        if source is not None:
            self._gone[source] = item.text.before_edits_of(raw) if isinstance(item, _Item) else raw
            self._last_texts.setdefault(raw, []).append(source)

    def _text_of(self, index: int) -> bytes:
        item = self._items[index - self._span.start]
        if isinstance(item, int) or item.text.now is None:
            raise AssertionError("only messages that came in are asked for their text")
        return item.text.now


@dataclass(slots=True)
class _State:
    """A state described by the one before it: the messages that stood at `span` are now those of `sources`."""

    offset: int
    """Index of the first of `sources`; what stands around them is as it was."""
    span: range
    sources: list[int | None]
    edits: Mapping[int, _Text | None]
    """By index in this state."""
    head: _Text | None

    def delta(self, count: int, old_text: Callable[[int], bytes], new_text: Callable[[int], bytes]) -> Delta:
        """Return what leads here; the functions give texts by the index in the state before and in this one."""
        ops: list[Op] = []
        stays = {source for source in self.sources if source is not None}
        gone = [index for index in self.span if index not in stays]
        for first, last in reversed(_runs(gone)):
            ops += removals(first, [old_text(index) for index in range(first, last + 1)])
        ops += _moves(self.offset, sorted(stays), [source for source in self.sources if source is not None])
        came = [index for index, source in enumerate(self.sources, self.offset) if source is None]
        for first, last in _runs(came):
            ops += insertions(first, [new_text(index) for index in range(first, last + 1)])
        for index, text in self.edits.items():
            change = text.change() if text is not None else None
            if change is not None:
                ops.append(Edit(index, *change))
        change = self.head.change() if self.head is not None else None
        if change is not None:
            ops.append(Head(*change))
        return Delta(count, tuple(ops))


def _moves(offset: int, before: list[int], after: list[int]) -> list[Move]:
    """Return the moves that bring the same items into another order; the first of them stands at `offset`."""
    moves: list[Move] = []
    front, back = common_ends(before, after)
    for index in range(front, len(after) - back):
        if before[index] == after[index]:
            continue
        first = last = before.index(after[index], index)
        while last + 1 < len(before) and before[last + 1] == after[index + last + 1 - first]:
            last += 1
        move(before, Move(first, last, index))
        moves.append(Move(offset + first, offset + last, offset + index))
    return moves


def _runs(indices: Iterable[int]) -> list[tuple[int, int]]:
    """Return growing indices as inclusive ranges of neighbours."""
    runs: list[tuple[int, int]] = []
    for index in indices:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs
