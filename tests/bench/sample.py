"""What one measurement returns."""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A cost, and what it is measured against.

    `value` and `against` are in the same unit (seconds, bytes, share of a core); `against` is None for a cost that is
    held to a fixed limit. `tail` is the 99th percentile where a budget speaks of one and `value` is something else.
    """

    value: float
    against: float | None = None
    tail: float | None = None


def percentile(values: list[float], share: float) -> float:
    """Return the value that `share` (0 … 1) of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]
