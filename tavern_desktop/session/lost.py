"""Messages of ours that another program saved an older copy over while the chat was closed (decisions D3, D18).

The journal does not hold the whole chat: of a message that was there before the journal began, or that another program
wrote while we were closed, only the digest is known, unless the file or a backup has it. Such messages are the file's:
what became of them there is followed. Those whose text is known are ours as in any merge, with every state that the
journal leads through as one that the file may come from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tavern_desktop.chat.deltas import UNKNOWN, Delta, DeltaMismatch, Edit, digest
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import MergeLossError, MergeResult, is_collapse
from tavern_desktop.chat.merge_save import OutsideVersion, outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tavern_desktop.session.journal_steps import go
from tavern_desktop.session.loading import Loaded
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_state import digests_at, kept_state

MOST_STATES = 400
"""States that are told apart; of more, neighbours count as one."""

MOST_TRIES = 20_000
"""Attempts to find which record of the file an edit was made to."""

FOLLOWED = ("outside", "reload")
"""Kinds of changes that another program made and the chat only followed."""

_NO_HEADER = Header(b"")

TextsElsewhere = Callable[[Collection[int]], dict[int, bytes]]
"""Returns those of the texts with these digests that it has."""


@dataclass(frozen=True, slots=True)
class Reunion:
    """What the chat should be, given the file."""

    ours: list[Message]
    """The newest state of the journal; messages whose text is not known are UNKNOWN."""
    messages: list[Message] | None
    """With the very messages of the file where they are these; None where it cannot be told."""
    restored: int = 0
    """How many messages of ours another program had saved over."""
    shrank_from: int = 0
    """How many messages the chat had, where so much is gone that somebody has to be asked (decision D5)."""


def reunite(journal: Journal, saved: int, loaded: Loaded, elsewhere: TextsElsewhere) -> Reunion:
    """Return what becomes of ours and the file. `saved` is the last state that was published.

    `elsewhere` is asked for texts that the file has not. Raises DeltaMismatch, StorageError io/read.
    """
    records = [message.raw for message in loaded.messages]
    changes = list(journal.deltas_back())[::-1]
    if not changes:
        raise DeltaMismatch("a journal without a change")
    deltas = [(meta.number, delta) for meta, delta in changes]
    theirs = {meta.number for meta, _ in changes if meta.kind in FOLLOWED}
    start = _start(deltas, _Texts(journal, records, elsewhere))
    states, counts, published, ours = _story(start, deltas, saved, theirs)
    memory = _known(ours)
    outside = outside_version(states, records, memory)
    before = counts[outside.base.state.number]
    if _has_shrunk(before, len(records), outside):
        whole = None if len(memory) < len(ours) else _as_loaded(memory, outside, loaded)
        return Reunion(ours, whole, shrank_from=len(published))
    kept = {message.key for message in memory}
    deleted = states.deleted | {message.key for message in published if message.key not in kept}
    try:
        result: MergeResult = outside.merge(memory, deleted)
    except MergeLossError:  # a fault of ours: the file is as it is
        return Reunion(ours, None)
    return Reunion(ours, _as_loaded(result.messages, outside, loaded), len(result.restored))


def _start(deltas: Sequence[tuple[int, Delta]], texts: _Texts) -> list[Message]:
    """Return the oldest state, with every text that is known from later changes, from the file or from elsewhere."""
    messages = Message.read([UNKNOWN] * deltas[0][1].count)
    for number, delta in deltas:
        texts.fill(messages, number - 1)
        for op in delta.ops:
            if isinstance(op, Edit) and messages[op.index].raw == UNKNOWN:
                messages[op.index] = Message(messages[op.index].key, texts.before(op))
            go(Delta(len(messages), (op,)), _NO_HEADER, messages)
    texts.fill(messages, deltas[-1][0])
    for _, delta in reversed(deltas):
        go(delta, _NO_HEADER, messages, back=True)
    return messages


class _Texts:
    """Texts by which messages are known again whose own the journal does not have."""

    def __init__(self, journal: Journal, records: Sequence[bytes], elsewhere: TextsElsewhere) -> None:
        self._by_digest = {digest(raw): raw for raw in records}
        newest = digests_at(journal, journal.number)
        self._digests = {} if newest is None else {journal.number: newest}
        kept = kept_state(journal.folder)
        if kept is not None:
            self._digests[kept[0]] = kept[1]
        known = set(newest or ())
        self._others = [raw for number, raw in self._by_digest.items() if number not in known]
        self._tries = MOST_TRIES
        missing = set().union(*self._digests.values()) - self._by_digest.keys()
        if missing:
            self._by_digest |= elsewhere(missing)

    def fill(self, messages: list[Message], number: int) -> None:
        """Fill in what the file has of a state."""
        digests = self._digests.get(number)
        if digests is None or len(digests) != len(messages):
            return
        for index, message in enumerate(messages):
            raw = self._by_digest.get(digests[index]) if message.raw == UNKNOWN else None
            if raw is not None:
                messages[index] = Message(message.key, raw)

    def before(self, edit: Edit) -> bytes:
        """Return the text that this edit was made to, if the file still has it."""
        for raw in self._others:
            self._tries -= 1
            if self._tries < 0:
                break
            with contextlib.suppress(DeltaMismatch):
                edit.edited(raw)
                return raw
        return UNKNOWN


def _story(
    start: list[Message], deltas: Sequence[tuple[int, Delta]], saved: int, theirs: Collection[int]
) -> tuple[States, dict[int, int], list[Message], list[Message]]:
    """Return the states up to the published one, how many messages each had, the published one, and the newest.

    `theirs` are the numbers of changes that other programs made.
    """
    messages = list(start)
    states = States(_known(messages), most=MOST_STATES + 1)
    counts = {states.newest.number: len(messages)}
    published = list(messages)
    together = -(-len(deltas) // MOST_STATES)
    is_theirs = True
    for place, (number, delta) in enumerate(deltas, 1):
        go(delta, _NO_HEADER, messages)
        if number > saved:
            continue
        is_theirs = is_theirs and number in theirs
        if number == saved or place % together == 0:
            _record(states, _known(messages), is_theirs=is_theirs)
            is_theirs = True
            counts[states.newest.number] = len(messages)
        if number == saved:
            published = list(messages)
    return states, counts, published, messages


def _record(states: States, messages: Sequence[Message], *, is_theirs: bool) -> None:
    """Remember a state; what is not in it any more was deleted."""
    before = states.newest
    states.record(messages, is_theirs=is_theirs)
    if states.newest is not before:
        states.newest.deleted |= states.newest.parents[0][1].removed.keys()


def _known(messages: Sequence[Message]) -> list[Message]:
    return [message for message in messages if message.raw != UNKNOWN]


def _has_shrunk(before: int, now: int, outside: OutsideVersion) -> bool:
    """Say whether most of what the file comes from, `before` messages, is gone from it.

    Of messages whose text is not known it cannot be told which are gone, only how many.
    """
    known = len(outside.base.messages)
    is_another = known > 0 and outside.survivors == 0 and 2 * known >= before
    return is_collapse(before, min(before, now)) or is_another


def _as_loaded(messages: Sequence[Message], outside: OutsideVersion, loaded: Loaded) -> list[Message]:
    """Return messages under the keys of the file's."""
    there = {known.key: message for known, message in zip(outside.version.messages, loaded.messages, strict=True)}
    renamed = []
    for message in messages:
        found = there.get(message.key)
        if found is None:
            renamed.append(message)
        else:
            renamed.append(found if found.raw == message.raw else Message(found.key, message.raw))
    return renamed
