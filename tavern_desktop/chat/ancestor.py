"""Which state of a chat a file descends from (the ancestor rule, conversation entry 6.1).

A program that loaded the chat before our latest messages and saves over them has a file that comes from an earlier
state. With that one as the base of the merge our messages are additions, not deletions of theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.content import Digests, common_ends
from tavern_desktop.chat.facts import TEXT_FIELD
from tavern_desktop.chat.merge_fields import ABSENT
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import keys_among
from tavern_desktop.chat.states import Change, State, States

Texts = Mapping[int, bytes | int]
"""Texts by key, as changes hold them."""


@dataclass(frozen=True, slots=True)
class Base:
    """The state that a file descends from."""

    state: State
    messages: tuple[Message, ...]
    unseen: frozenset[int]
    """Keys of messages that were added or edited in publishes of ours which the file knows nothing of."""


def choose_base(states: States, records: Sequence[bytes], digests: Digests | None = None) -> Base:
    """Return the state that the records of a file descend from: the newest, unless they show nothing of it.

    A state is stepped back from while the file shows nothing of what it changed: what it added is absent, what it
    edited stands as it was before, what it removed is still there.
    """
    state = states.newest
    path: list[Change] = []
    if state.parents:
        found = _recognise(states, records, Digests() if digests is None else digests)
        texts: dict[int, bytes | int] = {message.key: message.raw for message in states.messages}
        while step := _unseen_step(states, state, found, texts):
            state, change = step
            path.append(change)
            texts |= change.earlier
    unseen = frozenset[int]().union(*(change.added | change.edited.keys() for change in path))
    return Base(state, states.go_back(path), unseen)


def _unseen_step(states: States, state: State, found: Mapping[int, bytes], texts: Texts) -> tuple[State, Change] | None:
    """Return the first state before this one, and the change since, of which the file shows nothing."""
    for parent, change in state.parents:
        if _is_unseen(states, change, found, texts):
            return parent, change
    return None


def _is_unseen(states: States, change: Change, found: Mapping[int, bytes], texts: Texts) -> bool:
    """Say whether a file shows nothing of a change. `texts` are the messages as the change left them."""
    earlier = change.earlier
    if not change.added and not earlier:
        return _in_order(change.keys_before, found)
    if not found.keys().isdisjoint(change.added) or not earlier.keys() <= found.keys():
        return False
    return all(
        _is_undone(states.text(before), states.text(texts[key]), found[key]) for key, before in change.edited.items()
    )


def _in_order(keys: Collection[int], found: Mapping[int, bytes]) -> bool:
    """Say whether a file has these messages in this order, so that it knows nothing of a move."""
    wanted = frozenset(keys)
    return [key for key in found if key in wanted] == [key for key in keys if key in found]


def _is_undone(before: bytes, after: bytes, now: bytes) -> bool:
    """Say whether what an edit changed stands as before: the text, or if that is not it every field of the edit.

    Other programs add swipe fields and respell numbers by themselves; this must not make an edit look seen.
    """
    if now in (before, after):
        return now == before
    old, new, present = jsontext.decode(before), jsontext.decode(after), jsontext.decode(now)
    changed = [name for name in old | new if not jsontext.same(old.get(name, ABSENT), new.get(name, ABSENT))]
    if TEXT_FIELD in changed:
        changed = [TEXT_FIELD]
    return all(jsontext.alike(present.get(name, ABSENT), old.get(name, ABSENT)) for name in changed)


def _recognise(states: States, records: Sequence[bytes], digests: Digests) -> dict[int, bytes]:
    """Return the records of a file by the keys of our messages, in the file's order.

    By stored id, else by what the messages say or said in an earlier state, else by alignment with the newest.
    """
    newest = [message.raw for message in states.messages]
    front, back = common_ends(newest, records)
    middle = states.messages[front : len(newest) - back]
    keys: list[int | None] = [message.key for message in states.messages[:front]]
    ending = [message.key for message in states.messages[len(newest) - back :]]
    candidates = [(message.key, message.raw) for message in middle]
    for change in states.changes():
        candidates += [(key, states.text(text)) for key, text in change.earlier.items()]
    given = {*keys, *ending}
    keys += keys_among(candidates, records[front : len(records) - back], digests, given)
    keys += ending
    if None in keys and _lacks_what_we_changed(states, keys):
        _align_rest(states, newest, records, keys, digests)
    return {key: raw for key, raw in zip(keys, records, strict=True) if key is not None}


def _lacks_what_we_changed(states: States, keys: Sequence[int | None]) -> bool:
    """Say whether a message that is in the newest state and was changed on the way there is not among the keys."""
    lacking = {message.key for message in states.messages}.difference(keys)
    return any(not lacking.isdisjoint((*change.added, *change.edited)) for change in states.changes())


def _align_rest(
    states: States, newest: Sequence[bytes], records: Sequence[bytes], keys: list[int | None], digests: Digests
) -> None:
    """Fill in the keys of records that only an alignment with the newest state tells."""
    given = frozenset(keys)
    for index, partner in align(newest, records, digests).pairs:
        if keys[partner] is None and states.messages[index].key not in given:
            keys[partner] = states.messages[index].key
