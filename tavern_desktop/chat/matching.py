"""The pairs found so far between two lists of records, and where the rest of them stands."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

NONE = -1
"""In place of an index: no partner."""

Labels = Mapping[int, Hashable]
"""What is compared of a record, by its index."""


class Gap(NamedTuple):
    """Indices of records without a partner that stand in the same place of both lists, each side one run."""

    base: Sequence[int]
    other: Sequence[int]


class Matching:
    """Partners of the records of two lists: `partners` by base index, `owners` the other way round."""

    def __init__(self, base: Sequence[bytes], other: Sequence[bytes]) -> None:
        self.base = base
        self.other = other
        self.partners = [NONE] * len(base)
        self.owners = [NONE] * len(other)
        self._taken = bytearray(len(other))
        self._named: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())

    def set_named(self, base: Iterable[int], other: Iterable[int]) -> None:
        """Tell which of the loose records have ids of their own, and so are no other record that has one."""
        self._named = (frozenset(base), frozenset(other))

    def may_pair(self, index: int, partner: int) -> bool:
        """Say whether two records with different content may be the same message."""
        return index not in self._named[0] or partner not in self._named[1]

    def is_open(self) -> bool:
        """Say whether both lists have records without a partner."""
        return NONE in self.partners and NONE in self.owners

    def loose_base(self) -> list[int]:
        return loose(self.partners)

    def loose_other(self) -> list[int]:
        return loose(self.owners)

    def pair(self, index: int, partner: int) -> None:
        self.partners[index] = partner
        self.owners[partner] = index
        self._taken[partner] = 1

    def pair_run(self, index: int, partner: int, length: int) -> None:
        """Pair the base records from `index` on with the others from `partner` on, in order."""
        self.partners[index : index + length] = range(partner, partner + length)
        self.owners[partner : partner + length] = range(index, index + length)
        self._taken[partner : partner + length] = b"\1" * length

    def pair_unique(self, base: Labels, other: Labels) -> None:
        """Pair the records whose label stands exactly once on both sides."""
        base_counts, other_counts = Counter(base.values()), Counter(other.values())
        place = {label: index for index, label in other.items()}
        for index, label in base.items():
            if base_counts[label] == 1 and other_counts[label] == 1 and self.may_pair(index, place[label]):
                self.pair(index, place[label])

    def pair_in_turn(self, mine: Iterable[int], base: Labels, theirs: Iterable[int], other: Labels) -> None:
        """Pair the k-th occurrence of a label among `mine` with the k-th among `theirs`."""
        places: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for index in theirs:
            places[other[index]].append(index)
        for index in mine:
            if places.get(base[index]):
                self.pair(index, places[base[index]].popleft())

    def gaps(self) -> list[Gap]:
        """Return the runs of base records without a partner, each with the run of others in its place, if any."""
        indices = self.loose_base()
        gaps: list[Gap] = []
        start = 0
        for end in range(1, len(indices) + 1):
            if end == len(indices) or indices[end] != indices[end - 1] + 1:
                gaps.append(Gap(indices[start:end], self._run_between(indices[start] - 1, indices[end - 1] + 1)))
                start = end
        return gaps

    def _run_between(self, left: int, right: int) -> Sequence[int]:
        """Return the others between the partners of two base records, none if messages were moved there."""
        first = self.partners[left] + 1 if left >= 0 else 0
        end = self.partners[right] if right < len(self.base) else len(self.other)
        if end <= first or self._taken.find(1, first, end) >= 0:
            return ()
        return range(first, end)


def loose(partners: Sequence[int]) -> list[int]:
    """Return the indices that have no partner."""
    return [index for index, partner in enumerate(partners) if partner == NONE]
