"""The versions of a chat that a file may come from: as loaded, as published, and as others had it when we merged.

The newest is kept in full, sharing its messages with the chat; every earlier one is what the later changed against
it, so that twenty versions of a chat of 100,000 messages cost what was edited in them (conversation entry 6.1).
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from tavern_desktop.chat.content import common_ends
from tavern_desktop.chat.message import Message

MOST_PUBLISHES = 20
"""Publishes that are remembered; the deletions recorded in them are forgotten with them."""

MOST_BYTES = 64 * 1024 * 1024
"""Texts of earlier versions that are kept in memory. What is more goes to the spool."""


class Spool(Protocol):
    """Where texts go that are too many for memory: a file outside the data folder."""

    def put(self, raw: bytes) -> int:
        """Keep a text, and return the number by which it is found again."""

    def get(self, number: int) -> bytes:
        """Return a text that was put here."""


@dataclass(slots=True)
class Change:
    """What a state changed against one before it, and what it takes to go back to that."""

    added: frozenset[int]
    edited: dict[int, bytes | int]
    """Text before the edit, by key; a number is its place in the spool."""
    removed: dict[int, bytes | int]
    """Text of what is no longer there, likewise."""
    at: int
    """Index from which on the keys differ."""
    keys_before: array[int]
    """What stood there before …"""
    keys_after: array[int]
    """… and what stands there now."""
    is_theirs: bool = False
    """Another program made it, and we only followed."""

    @property
    def earlier(self) -> dict[int, bytes | int]:
        """Texts before the change, by key."""
        return self.edited | self.removed

    def size(self) -> int:
        """Return the bytes of text that are held in memory."""
        return sum(len(text) for text in self.earlier.values() if isinstance(text, bytes))

    def move_texts(self, spool: Spool) -> None:
        """Move the texts to the spool."""
        for texts in (self.edited, self.removed):
            texts |= {key: spool.put(text) for key, text in texts.items() if isinstance(text, bytes)}


@dataclass(slots=True, eq=False)
class State:
    """A version of the chat. Numbers grow; `parents` are the versions it goes back to, our own first."""

    number: int
    parents: list[tuple[State, Change]] = field(default_factory=list)
    deleted: frozenset[int] = frozenset()
    """Recorded deletions that this publish was the first to contain."""


class Version(NamedTuple):
    """A version of the file that somebody else made."""

    messages: Sequence[Message]
    """With the keys of ours, where they are the same messages."""
    base: State
    """What it was made from."""
    base_messages: Sequence[Message]


class States:
    """The last load of a chat and our publishes since.

    Without a spool the oldest states are forgotten when the texts get too many for memory.
    """

    def __init__(self, loaded: Sequence[Message], spool: Spool | None = None, most: int = MOST_PUBLISHES) -> None:
        """`most` is how many publishes are remembered."""
        self._most = most
        self._messages = tuple(loaded)
        self._publishes = [State(0)]
        self._last_number = 0
        self._spool = spool

    @property
    def newest(self) -> State:
        return self._publishes[-1]

    @property
    def messages(self) -> tuple[Message, ...]:
        """The chat in the newest state."""
        return self._messages

    @property
    def deleted(self) -> frozenset[int]:
        """The recorded deletions since the oldest state that is remembered: earlier ones no base can hold."""
        return frozenset[int]().union(*(state.deleted for state in self._publishes[1:]))

    def record(
        self,
        published: Sequence[Message],
        deleted: Iterable[int] = (),
        merged: Version | None = None,
        *,
        is_theirs: bool = False,
    ) -> None:
        """Remember a publish, with the keys that commands deleted since the one before.

        `is_theirs`: it is a version of another program that we followed. `merged` is the version of the file that was
        merged into it. It is remembered too: a program that goes on from it has not seen what is ours in the merge, but
        has seen what is its own. A publish that changed nothing makes no state.
        """
        after = tuple(published)
        change = difference(self._messages, after)
        if change is None:
            return
        change.is_theirs = is_theirs
        state = State(self._last_number + 1, [(self.newest, change)], frozenset(deleted))
        if merged is not None:
            # What a merge removed, here or from the file, was deleted by somebody: remembered as long as this version.
            state.deleted |= change.removed.keys()
            self._add_foreign_parent(state, merged, after)
        self._messages = after
        self._last_number = state.number
        self._publishes.append(state)
        if len(self._publishes) > self._most + 1:
            self._forget(1)
        self._shrink()

    def _add_foreign_parent(self, state: State, version: Version, after: Sequence[Message]) -> None:
        theirs = difference(version.base_messages, version.messages)
        ours = difference(version.messages, after)
        if theirs is not None and ours is not None:
            foreign = State(state.number, [(version.base, theirs)])
            state.number += 1
            state.deleted |= ours.removed.keys()
            state.parents.append((foreign, ours))

    def go_back(self, path: Iterable[Change]) -> tuple[Message, ...]:
        """Return the messages before some changes, the latest of which made the newest state."""
        path = list(path)
        if not path:
            return self._messages
        keys = [message.key for message in self._messages]
        messages = {message.key: message for message in self._messages}
        for change in path:
            keys[change.at : change.at + len(change.keys_after)] = change.keys_before
            messages |= {key: Message(key, self.text(text)) for key, text in change.earlier.items()}
        return tuple(messages[key] for key in keys)

    def changes(self) -> Iterator[Change]:
        """Return every change that is remembered, the latest first."""
        return (change for state in self._remembered() for _, change in state.parents)

    def earlier_messages(self) -> Iterator[Message]:
        """Return what messages said before they were edited or removed, the latest first."""
        for change in self.changes():
            for key, text in change.earlier.items():
                yield Message(key, self.text(text))

    def text(self, text: bytes | int) -> bytes:
        """Return a text as it stands in a change, from the spool where it is there."""
        if isinstance(text, bytes):
            return text
        if self._spool is None:
            raise LookupError("a text is said to be in a spool, and there is none")
        return self._spool.get(text)

    def _remembered(self) -> list[State]:
        """Return every state that the newest goes back to, the latest first."""
        found = {self.newest.number: self.newest}
        waiting = [self.newest]
        while waiting:
            parents = {parent.number: parent for parent, _ in waiting.pop().parents if parent.number not in found}
            found |= parents
            waiting += parents.values()
        return [found[number] for number in sorted(found, reverse=True)]

    def _forget(self, count: int) -> None:
        """Cut off the oldest publishes, with what other programs made of them."""
        del self._publishes[:count]
        oldest = self._publishes[0].number
        for state in self._remembered():
            state.parents = [(parent, change) for parent, change in state.parents if parent.number >= oldest]

    def _shrink(self) -> None:
        """Spool texts of the oldest changes, or forget these, until the rest may stay in memory."""
        changes = list(self.changes())
        held = sum(change.size() for change in changes)
        if self._spool is None and held > MOST_BYTES and len(self._publishes) > 1:
            self._forget(1)
            self._shrink()
        elif self._spool is not None:
            while changes and held > MOST_BYTES:
                oldest = changes.pop()
                held -= oldest.size()
                oldest.move_texts(self._spool)


def difference(before: Sequence[Message], after: Sequence[Message]) -> Change | None:
    """Return what `after` changed against `before`, None for nothing. Only texts and places count.

    Most messages are the same objects, and these are not looked at.
    """
    front, back = common_ends(before, after, operator.is_)
    old, new = before[front : len(before) - back], after[front : len(after) - back]
    old_texts, new_texts = _texts_apart_from(old, new), _texts_apart_from(new, old)
    old_keys, new_keys = [message.key for message in old], [message.key for message in new]
    key_front, key_back = common_ends(old_keys, new_keys)
    change = Change(
        added=frozenset(new_texts.keys() - old_texts.keys()),
        edited={key: raw for key, raw in old_texts.items() if new_texts.get(key, raw) != raw},
        removed={key: raw for key, raw in old_texts.items() if key not in new_texts},
        at=front + key_front,
        keys_before=array("q", old_keys[key_front : len(old_keys) - key_back]),
        keys_after=array("q", new_keys[key_front : len(new_keys) - key_back]),
    )
    return change if change.added or change.earlier or change.keys_before else None


def _texts_apart_from(messages: Sequence[Message], others: Sequence[Message]) -> dict[int, bytes | int]:
    same = set(map(id, others))
    return {message.key: message.raw for message in messages if id(message) not in same}
