"""Which state of a chat a file descends from (the ancestor rule, conversation entry 6.1).

A program that loaded the chat before our latest messages and saves over them has a file that comes from an earlier
state. With that one as the base of the merge our messages are additions, not deletions of theirs.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.content import Digests, common_ends
from tavern_desktop.chat.facts import TEXT_FIELD, Record
from tavern_desktop.chat.identity import stored_id
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.merge_fields import ABSENT
from tavern_desktop.chat.message import ID_FIELD, Message
from tavern_desktop.chat.recognition import keys_among
from tavern_desktop.chat.states import Change, State, States


@dataclass(frozen=True, slots=True)
class Base:
    """The state that a file descends from."""

    state: State
    messages: tuple[Message, ...]
    unseen: frozenset[int]
    """Keys of messages that were added or edited in publishes of ours which the file knows nothing of."""


def choose_base(states: States, records: Sequence[bytes], digests: Digests | None = None) -> Base:
    """Return the state that the records of a file descend from: the newest, unless they show nothing of it.

    A state is stepped back from while the file shows nothing of what it changed, and lacks some of it. What can be
    either way is no evidence: a message that we edited and somebody edited again, or that we deleted and is gone. In
    doubt our messages are restored, with a notice, rather than taken for deleted.
    """
    path: list[Step] = []
    if states.newest.parents:
        found = _recognise(states, records, Digests() if digests is None else digests)
        texts: Texts = {message.key: message.raw for message in states.messages}
        path = _Search(states, found).unseen_path(states.newest, texts)
        while path and path[-1][1].is_theirs:  # what others wrote, and is not there any more, they took back
            path.pop()
    changes = [change for _, change in path]
    unseen = frozenset[int]().union(*(change.added | change.edited.keys() for change in changes))
    return Base(path[-1][0] if path else states.newest, states.go_back(changes), unseen)


Texts = MutableMapping[int, bytes | int]
"""Texts by key, as changes hold them."""

Step = tuple[State, Change]
"""A state, and the change by which a later one differs from it."""


class _Found(NamedTuple):
    """The records of a file that we recognise."""

    texts: dict[int, bytes]
    """By the keys of our messages, in the file's order."""
    doubtful: frozenset[int]
    """Keys whose being there or not tells nothing: removed once and back again, or recognised by likeness only."""


class _Search:
    """The way back from the newest state through what a file shows nothing of."""

    def __init__(self, states: States, found: _Found) -> None:
        self._states = states
        self._found = found
        self._visited: set[int] = set()

    def unseen_path(self, state: State, texts: Texts) -> list[Step]:
        """Return the steps back from a state, the last one through a change that the file lacks.

        `texts` are the messages in that state.
        """
        self._visited.add(state.number)
        for parent, change in state.parents:
            is_seen = self._is_seen(change, texts)
            if is_seen or parent.number in self._visited:
                continue
            rest = self.unseen_path(parent, ChainMap(change.earlier, texts))
            if rest or is_seen is False:
                return [(parent, change), *rest]
        return []

    def _is_seen(self, change: Change, texts: Texts) -> bool | None:
        """Say whether a file shows something of a change, or lacks it; None without evidence."""
        found = self._found.texts
        if not change.added and not change.earlier:
            return False if self._lacks_move(change) else None
        evidence: list[bool | None] = [key in found for key in change.added if key not in self._found.doubtful]
        evidence += [False for key in change.removed if key in found]
        for key, before in change.edited.items():
            if key in found:
                after = self._states.text(texts[key])
                evidence.append(_is_edit_seen(self._states.text(before), after, found[key]))
        return True if True in evidence else False if False in evidence else None

    def _lacks_move(self, change: Change) -> bool:
        """Say whether messages that we moved stand as before. (Our order may be somebody else's by chance.)"""
        moved = frozenset(change.keys_before)
        order = [key for key in self._found.texts if key in moved]
        before, after = (
            [key for key in keys if key in self._found.texts] for keys in (change.keys_before, change.keys_after)
        )
        return order == before != after


def _is_edit_seen(before: bytes, after: bytes, now: bytes) -> bool | None:
    """Say whether a message is as an edit left it, or as it was before; None if it is neither.

    Only what the edit changed is looked at: the text, or if that is not it every field. Other programs add swipe
    fields and respell numbers by themselves. An id that the edit stamped is proof in itself.
    """
    if now in (before, after):
        return now == after
    old, new, present = jsontext.decode(before), jsontext.decode(after), jsontext.decode(now)
    changed = [name for name in old | new if not _alike(old, new, name)]
    if ID_FIELD in changed:
        return _alike(present, new, ID_FIELD)
    if TEXT_FIELD in changed:
        changed = [TEXT_FIELD]
    is_old, is_new = (all(_alike(present, side, name) for name in changed) for side in (old, new))
    return is_new if is_old != is_new else None


def _alike(one: Record, other: Record, name: str) -> bool:
    return jsontext.alike(one.get(name, ABSENT), other.get(name, ABSENT))


def _recognise(states: States, records: Sequence[bytes], digests: Digests) -> _Found:
    """Return the records of a file by the keys of our messages.

    By stored id, else by what the messages say or said in an earlier state, else by alignment with the newest.
    """
    newest = [message.raw for message in states.messages]
    front, back = common_ends(newest, records)
    middle = states.messages[front : len(newest) - back]
    keys: list[int | None] = [message.key for message in states.messages[:front]]
    ending = [message.key for message in states.messages[len(newest) - back :]]
    candidates = [*middle, *states.earlier_messages()]
    keys += keys_among(candidates, records[front : len(records) - back], digests, {*keys, *ending})
    keys += ending
    removed = frozenset[int]().union(*(change.removed for change in states.changes()))
    likely = _align_rest(states, candidates, records, keys, digests) if None in keys else frozenset[int]()
    texts = {key: raw for key, raw in zip(keys, records, strict=True) if key is not None}
    return _Found(texts, removed | likely)


def _align_rest(
    states: States, candidates: Sequence[Message], records: Sequence[bytes], keys: list[int | None], digests: Digests
) -> frozenset[int]:
    """Fill in the keys of records that only an alignment with the newest state tells, and return them.

    Only of messages that changed on the way there, and of none that had an id from the start (we made it): a record
    without that id is another one, however much they are alike. Two programs may have answered the same message.
    """
    earliest = {message.key: message.raw for message in candidates}
    added, edited = (
        frozenset[int]().union(*(getattr(change, name) for change in states.changes())) for name in ("added", "edited")
    )
    wanted = {key for key in added | edited if key in earliest and not (key in added and stored_id(earliest[key]))}
    missing = wanted.difference(keys)
    if not missing:
        return frozenset()
    found: set[int] = set()
    alignment = align([message.raw for message in states.messages], records, digests)
    for message, partner in zip(states.messages, alignment.partners, strict=True):
        if partner != NONE and keys[partner] is None and message.key in missing:
            keys[partner] = message.key
            found.add(message.key)
    return frozenset(found)
