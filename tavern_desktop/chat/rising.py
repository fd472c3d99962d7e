"""The heaviest part of a sequence that rises: what kept its order between two lists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

_NONE = -1


def heaviest_rise(values: Sequence[int], weights: Sequence[int]) -> Sequence[int]:
    """Return the indices of the rising values that weigh most together; no value stands twice.

    Linear where all of them rise, else n log n.
    """
    if all(one < other for one, other in pairwise(values)):
        return range(len(values))
    tops: list[int] = []
    """Values with which a rise can end, rising …"""
    sums: list[int] = []
    """… what the heaviest of those weighs, rising too: a lighter one with a higher end is of no use …"""
    ends: list[int] = []
    """… and where it ends."""
    previous = [_NONE] * len(values)
    for index, (value, weight) in enumerate(zip(values, weights, strict=True)):
        at = bisect_left(tops, value)
        total = weight
        if at:
            previous[index] = ends[at - 1]
            total += sums[at - 1]
        until = at
        while until < len(tops) and sums[until] <= total:
            until += 1
        tops[at:until], sums[at:until], ends[at:until] = [value], [total], [index]
    rise: list[int] = []
    index = ends[-1]
    while index != _NONE:
        rise.append(index)
        index = previous[index]
    return rise[::-1]
