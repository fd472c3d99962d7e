"""The records of a file, recognised as messages that we know already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import NamedTuple

from tavern_desktop.chat import identity
from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.content import Digests
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.message import Message


class Recognised(NamedTuple):
    """The records of a file as messages, in its order: with the keys we know them by, or new ones."""

    messages: list[Message]
    survivors: int
    """How many messages of the base are among them, for the collapse guard."""


def recognise(
    base: Sequence[Message],
    records: Sequence[bytes],
    others: Sequence[Message] = (),
    digests: Digests | None = None,
) -> Recognised:
    """Return the records of a file with the keys of `base` and, for what base lacks, of `others`.

    By stored id or alignment with base; records new to base are those of the others that have the same stored id or
    the same content (a message both sides added, one that is back). A record that says byte for byte what base says
    is the very message of base. For a reload `base` is what was shown before.
    """
    digests = Digests() if digests is None else digests
    alignment = align([message.raw for message in base], records, digests)
    messages: list[Message] = []
    for record, owner in zip(records, alignment.owners, strict=True):
        if owner == NONE:
            messages.append(Message(NONE, record))
        else:
            known = base[owner]
            messages.append(known if known.raw == record else Message(known.key, record))
    new = alignment.inserted
    if new:
        known_keys = {message.key for message in messages}
        keys = keys_among(others, [records[index] for index in new], digests, known_keys)
        fresh = Message.read(records[index] for index in new)
        for index, message, key in zip(new, fresh, keys, strict=True):
            messages[index] = message if key is None else Message(key, message.raw)
    return Recognised(messages, len(records) - len(new))


def keys_among(
    candidates: Sequence[Message], records: Sequence[bytes], digests: Digests, taken: Iterable[int | None] = ()
) -> list[int | None]:
    """Return which of some messages each record is: by text, stored id or content; None where it is none of them.

    A message may be among the candidates with several texts, the likelier first; of equal ones the k-th is the k-th
    record. Keys in `taken` are not given away.
    """
    keys: list[int | None] = [None] * len(records)
    given: set[int | None] = set(taken)
    labels: tuple[Callable[[bytes], Hashable], ...] = (bytes, identity.stored_id, digests.__getitem__)
    first = {message.raw: message.key for message in reversed(candidates)}  # nearly all, and at once
    for index, key in enumerate(map(first.get, records)):
        if key is not None and key not in given:
            keys[index] = key
            given.add(key)
    for label in labels:
        candidates = [message for message in candidates if message.key not in given]
        wanted = [index for index, key in enumerate(keys) if key is None]
        if not wanted or not candidates:
            break
        places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for message in reversed(candidates):
            places[label(message.raw)].append(message.key)
        places.pop(None, None)
        for index in wanted:
            keys[index] = _last_not_in(given, places.get(label(records[index]), []))
            given.add(keys[index])
    return keys


def _last_not_in(given: Collection[int | None], keys: list[int]) -> int | None:
    while keys:
        key = keys.pop()
        if key not in given:
            return key
    return None
