"""What two versions of a chat do not have in common, message by message, for people to look at.

Messages are the same where their keys are the same: who compares versions of which one comes from a file has them
recognised first (`chat.recognition`). Messages that nobody touched are the very same objects in both versions, so
that nothing of them is looked at, and 100,000 with few changes take a few milliseconds.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import groupby, repeat
from typing import NamedTuple

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.content import common_ends
from tavern_desktop.chat.deltas import UNKNOWN
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.rising import heaviest_rise

_key = operator.itemgetter(0)
"""The key of a message, without a call of Python's own for each of 100,000."""

_NOWHERE = -2
"""In place of a partner: no index comes before or behind it."""


class Kind(Enum):
    """What became of a message. One that was both moved and edited is both."""

    ADDED = "added"
    REMOVED = "removed"
    EDITED = "edited"
    MOVED = "moved"


class Row(NamedTuple):
    """A message in both versions, or a run of messages that are alike in both (no kinds, `length` of them).

    `before` and `after` are its indices, NONE (-1) where a version has it not; of a run the first ones, and it is
    without a break in the later version.
    """

    before: int
    after: int
    kinds: frozenset[Kind] = frozenset()
    length: int = 1


@dataclass(frozen=True)
class Difference:
    """Two versions and their rows, in the order of a person's reading: what went stands before what came instead."""

    before: Sequence[Message]
    after: Sequence[Message]
    rows: Sequence[Row] = field(repr=False)

    @cached_property
    def counts(self) -> dict[Kind, int]:
        """How many messages of each kind there are."""
        kinds = [kind for row in self.rows for kind in row.kinds]
        return {kind: kinds.count(kind) for kind in Kind}

    def filtered(self, shown: Iterable[Kind]) -> list[Row]:
        """Return the rows of some kinds, without what is alike."""
        wanted = frozenset(shown)
        return [row for row in self.rows if not wanted.isdisjoint(row.kinds)]

    def sides(self, row: Row) -> tuple[Message | None, Message | None]:
        """Return the message of a row as it was and as it is."""
        return (
            None if row.before == NONE else self.before[row.before],
            None if row.after == NONE else self.after[row.after],
        )


def is_known(message: Message) -> bool:
    """Say whether somebody has the text of a message. Asked without reading one that is in part on disk."""
    return message[1] != UNKNOWN


def compare(before: Sequence[Message], after: Sequence[Message]) -> Difference:
    """Return what became of the messages of one version in another."""
    front, back = common_ends(before, after, operator.is_)
    rows = _Rows()
    rows.add_alike(0, 0, front)
    _compare_middle(rows, before, after, front, back)
    rows.add_alike(len(before) - back, len(after) - back, back)
    return Difference(before, after, tuple(rows.rows))


class _Rows:
    """Collects rows; what is alike becomes one run where it follows itself."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def add(self, before: int, after: int, *kinds: Kind) -> None:
        self.rows.append(Row(before, after, frozenset(kinds)))

    def add_alike(self, before: int, after: int, count: int) -> None:
        if not count:
            return
        last = self.rows[-1] if self.rows else None
        if last is not None and not last.kinds:
            self.rows[-1] = last._replace(length=last.length + count)
        else:
            self.rows.append(Row(before, after, length=count))


class _Run(NamedTuple):
    """Messages of the later version that follow each other in both; `before` is NONE for one that is new."""

    before: int
    after: int
    length: int


def _compare_middle(rows: _Rows, before: Sequence[Message], after: Sequence[Message], front: int, back: int) -> None:
    """Add the rows of what lies between the ends that are alike."""
    old, new = before[front : len(before) - back], after[front : len(after) - back]
    runs = _runs(old, new)
    known = [run for run in runs if run.before != NONE]
    # Of those that are in another order now, as few as possible count as moved.
    rise = heaviest_rise([run.before for run in known], [run.length for run in known])
    staying = [known[number] for number in rise]
    moved = _Moved(known, staying)
    arrivals = iter(runs)
    old_at = 0
    for stays in (*staying, _Run(len(old), len(new), 0)):
        for index in range(old_at, stays.before):
            if index not in moved.indices:
                rows.add(front + index, NONE, Kind.REMOVED)
        for run in arrivals:
            if run is stays:
                break
            _add_arrivals(rows, front, run, old, new)
        _add_pairs(rows, front, stays, old, new)
        old_at = stays.before + stays.length


class _Moved:
    """The indices of the earlier version that are in another place now."""

    def __init__(self, known: Iterable[_Run], staying: Iterable[_Run]) -> None:
        elsewhere = set(known).difference(staying)
        self.indices = {index for run in elsewhere for index in range(run.before, run.before + run.length)}


def _runs(old: Sequence[Message], new: Sequence[Message]) -> list[_Run]:
    """Return the later version as runs of messages that follow each other in the earlier one too."""
    places = dict(zip(map(_key, old), range(len(old)), strict=True))
    partners = list(map(places.get, map(_key, new), repeat(_NOWHERE)))
    runs: list[_Run] = []
    at = 0
    for _, group in groupby(map(operator.sub, partners, range(len(new)))):
        length = sum(1 for _ in group)
        runs.append(_Run(max(partners[at], NONE), at, length))
        at += length
    return runs


def _add_arrivals(rows: _Rows, front: int, run: _Run, old: Sequence[Message], new: Sequence[Message]) -> None:
    """Add messages that are new in this place."""
    for step in range(run.length):
        if run.before == NONE:
            rows.add(NONE, front + run.after, Kind.ADDED)
        else:
            one, other = run.before + step, run.after + step
            edited = () if _say_the_same(old[one], new[other]) else (Kind.EDITED,)
            rows.add(front + one, front + other, Kind.MOVED, *edited)


def _add_pairs(rows: _Rows, front: int, run: _Run, old: Sequence[Message], new: Sequence[Message]) -> None:
    """Add messages that stay in their place."""
    mine = old[run.before : run.before + run.length]
    theirs = new[run.after : run.after + run.length]
    at = 0
    for step in [step for step, differs in enumerate(map(operator.is_not, mine, theirs)) if differs]:
        if not _say_the_same(mine[step], theirs[step]):
            rows.add_alike(front + run.before + at, front + run.after + at, step - at)
            rows.add(front + run.before + step, front + run.after + step, Kind.EDITED)
            at = step + 1
    rows.add_alike(front + run.before + at, front + run.after + at, run.length - at)


def _say_the_same(one: Message, other: Message) -> bool:
    """Compare by content: another program may have respelled what it did not change. A text that nobody has is
    another one."""
    if one is other or one.raw == other.raw:
        return True
    return is_known(one) and is_known(other) and jsontext.same(one.data(), other.data())
