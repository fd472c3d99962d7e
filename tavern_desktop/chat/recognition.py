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
        unseen = [(message.key, message.raw) for message in others if message.key not in known_keys]
        keys = keys_among(unseen, [records[index] for index in new], digests)
        fresh = Message.read(records[index] for index in new)
        for index, message, key in zip(new, fresh, keys, strict=True):
            messages[index] = message if key is None else Message(key, message.raw)
    return Recognised(messages, len(records) - len(new))


def keys_among(
    candidates: Sequence[tuple[int, bytes]],
    records: Sequence[bytes],
    digests: Digests,
    taken: Iterable[int | None] = (),
) -> list[int | None]:
    """Return which of some messages each record is: by stored id, else by content; None where it is none of them.

    `candidates` are (key, text), several texts of one message too; earlier ones come first, and of equal ones the
    k-th is the k-th record. Keys in `taken` are not given away.
    """
    keys: list[int | None] = [None] * len(records)
    given: set[int | None] = set(taken)
    # Equal bytes hold equal ids, and spare nearly every record the search for one.
    labels: tuple[Callable[[bytes], Hashable], ...] = (bytes, identity.stored_id, digests.__getitem__)
    for label in labels:
        open_records = [index for index, key in enumerate(keys) if key is None]
        if not open_records:
            break
        places: defaultdict[Hashable, list[int]] = defaultdict(list)
        for key, raw in reversed(candidates):
            if key not in given:
                places[label(raw)].append(key)
        places.pop(None, None)
        for index in open_records:
            keys[index] = _last_not_in(given, places.get(label(records[index]), []))
            given.add(keys[index])
    return keys


def _last_not_in(given: Collection[int | None], keys: list[int]) -> int | None:
    """Take the last of `keys`, and those that are given away already."""
    while keys:
        key = keys.pop()
        if key not in given:
            return key
    return None
