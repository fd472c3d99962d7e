"""Which record of one list is which of another, for messages that carry no id.

Steps as in conversation entry 5.3: equal ends, equal ids, equal content, equal keys, similar texts in the same
place. All but the last are hash lookups, and records that are equal byte for byte are never parsed. A mistake is
harmless: a pair that is not seen becomes a deletion and an insertion of the same texts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from tavern_desktop.chat import identity
from tavern_desktop.chat.content import Digests, common_ends, in_batches
from tavern_desktop.chat.likeness import LikenessSearch, date_key, text_key
from tavern_desktop.chat.matching import NONE, Labels, Matching, loose


@dataclass(frozen=True, slots=True)
class Alignment:
    """What became of the records of a base in another list.

    `partners[i]` is the index in the other list of base record i, `owners[j]` the other way round; NONE (-1) where
    there is none.
    """

    partners: Sequence[int]
    owners: Sequence[int]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """(base index, other index), by base index."""
        return [(index, partner) for index, partner in enumerate(self.partners) if partner != NONE]

    @property
    def deleted(self) -> list[int]:
        """Indices of base records that are not in the other list."""
        return loose(self.partners)

    @property
    def inserted(self) -> list[int]:
        """Indices of other records that are not in the base."""
        return loose(self.owners)


def align(base: Sequence[bytes], other: Sequence[bytes], digests: Digests | None = None) -> Alignment:
    """Pair the records of two lists. `digests` may come from an earlier step; those made here are added to it."""
    matching = Matching(base, other)
    digests = Digests() if digests is None else digests
    _pair_ends(matching, digests)
    if matching.is_open():
        _pair_ids(matching)
        _pair_content(matching, digests)
    if matching.is_open():
        _pair_keys(matching, date_key)
        _pair_keys(matching, text_key)
        LikenessSearch(matching).pair()
    return Alignment(matching.partners, matching.owners)


def _pair_ends(matching: Matching, digests: Digests) -> None:
    """Step 0: equal content at the same position from the front, then from the back."""
    base, other = matching.base, matching.other
    front, back = common_ends(base, other, digests.are_equal)
    matching.pair_run(0, 0, front)
    matching.pair_run(len(base) - back, len(other) - back, back)


def _pair_ids(matching: Matching) -> None:
    """Step 1: equal stored ids, duplicates taken out. Those that remain with an id are never each other's."""
    mine = identity.places(matching.base)
    theirs = identity.places(matching.other) if mine else {}
    for name, index in mine.items():
        partner = theirs.get(name, NONE)
        if partner != NONE and matching.partners[index] == matching.owners[partner] == NONE:
            matching.pair(index, partner)
    matching.set_named(
        (index for index in mine.values() if matching.partners[index] == NONE),
        (index for index in theirs.values() if matching.owners[index] == NONE),
    )


def _pair_content(matching: Matching, digests: Digests) -> None:
    """Steps 2 and 3: equal content, first where it is unique, then by its place among its likes."""
    base, other = _content_labels(matching, digests)
    matching.pair_unique(base, other)
    for gap in matching.gaps():
        mine, theirs = deque(gap.base), deque(gap.other)
        while mine and theirs and base[mine[0]] == other[theirs[0]]:
            matching.pair(mine.popleft(), theirs.popleft())
        while mine and theirs and base[mine[-1]] == other[theirs[-1]]:
            matching.pair(mine.pop(), theirs.pop())
        matching.pair_in_turn(mine, base, theirs, other)
    matching.pair_in_turn(matching.loose_base(), base, matching.loose_other(), other)
    _pair_digests(matching, digests)


def _pair_digests(matching: Matching, digests: Digests) -> None:
    """Pair what is left by content alone: a text that was in both lists may have an equal in another spelling."""
    mine, theirs = matching.loose_base(), matching.loose_other()
    if mine and theirs:
        base = {index: digests[matching.base[index]] for index in mine}
        other = {index: digests[matching.other[index]] for index in theirs}
        matching.pair_in_turn(mine, base, theirs, other)


def _content_labels(matching: Matching, digests: Digests) -> tuple[Labels, Labels]:
    """Return what stands for the content of the records that are left, by index.

    A number for a text that is left in both lists, else the digest of the content: this is what spares equal
    texts the parsing, and most of the hashing.
    """
    mine, theirs = matching.loose_base(), matching.loose_other()
    first: dict[bytes, int] = {}
    base = in_batches(first.setdefault, [matching.base[index] for index in mine], mine)
    other = in_batches(first.get, [matching.other[index] for index in theirs])
    in_both = set(other)
    return (
        {i: label if label in in_both else digests[matching.base[i]] for i, label in zip(mine, base, strict=True)},
        {i: digests[matching.other[i]] if label is None else label for i, label in zip(theirs, other, strict=True)},
    )


def _pair_keys(matching: Matching, key: Callable[[bytes], Hashable | None]) -> None:
    """Step 4: a key that an edit leaves alone, where it is unique."""
    mine = {index: key(matching.base[index]) for index in matching.loose_base()}
    theirs = {index: key(matching.other[index]) for index in matching.loose_other()}
    matching.pair_unique(_known(mine), _known(theirs))


def _known(keys: dict[int, Hashable | None]) -> dict[int, Hashable]:
    return {index: key for index, key in keys.items() if key is not None}
