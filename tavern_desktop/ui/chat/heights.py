"""The heights of all mounted rows: where a row lies, and which row lies at a height, in logarithmic time.

A Fenwick tree counted from the newest row, so that *Show more* appends to it and a new message takes one of the spare
places kept before the newest. Only a change in the middle rebuilds it (a few milliseconds for 100,000 rows). Rows are
numbered from the oldest, as everywhere; places within the tree run the other way. Free of Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

SPARE = 64
"""Empty places kept before the newest row when the tree is built."""


class HeightTree:
    """Heights in pixels, each above 0."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._spare = 0
        self._values: list[int] = []
        self._sums: list[int] = [0]
        """The Fenwick tree: _sums[i] is the sum of the i & -i values that end at place i - 1."""
        self._total = 0
        self._build([0] * SPARE + list(heights)[::-1], SPARE)

    def __len__(self) -> int:
        return len(self._values) - self._spare

    @property
    def total(self) -> int:
        return self._total

    def height(self, row: int) -> int:
        return self._values[self._place(row)]

    def heights(self) -> list[int]:
        """Return all of them, oldest first."""
        return self._values[self._spare :][::-1]

    def top(self, row: int) -> int:
        """Return the sum of the heights of the rows before `row`; len(self) gives the total."""
        return self._total - self._sum_before(self._place(row) + 1)

    def row_at(self, y: int) -> int:
        """Return the row that covers `y` (0 … total - 1); what lies outside belongs to the first or last row.

        Raises IndexError when there are no rows.
        """
        if not len(self):
            raise IndexError("there are no rows")
        from_end = min(max(self._total - 1 - y, 0), self._total - 1)
        place = 0
        step = 1 << (len(self._values).bit_length() - 1)
        while step:
            further = place + step
            if further <= len(self._values) and self._sums[further] <= from_end:
                place = further
                from_end -= self._sums[further]
            step >>= 1
        return len(self._values) - 1 - place

    def set(self, row: int, height: int) -> None:
        place = self._place(row)
        self._add(place, height - self._values[place])
        self._values[place] = height

    def insert(self, row: int, heights: Sequence[int]) -> None:
        """Put rows before `row`; len(self) puts them after the newest."""
        if row == 0 and len(self):
            for height in reversed(heights):
                self._append(height)
        elif row == len(self) and len(heights) <= self._spare:
            for height in heights:
                self._spare -= 1
                self._values[self._spare] = height
                self._add(self._spare, height)
        else:
            rows = self.heights()
            rows[row:row] = heights
            self._build([0] * SPARE + rows[::-1], SPARE)

    def remove(self, first: int, last: int) -> None:
        """Take out the rows first … last."""
        if last == len(self) - 1 and last - first < SPARE:
            for _ in range(first, last + 1):
                self._add(self._spare, -self._values[self._spare])
                self._values[self._spare] = 0
                self._spare += 1
        else:
            rows = self.heights()
            del rows[first : last + 1]
            self._build([0] * SPARE + rows[::-1], SPARE)

    def _place(self, row: int) -> int:
        return len(self._values) - 1 - row

    def _build(self, values: list[int], spare: int) -> None:
        self._values, self._spare = values, spare
        before = [0, *accumulate(values)]
        self._sums = [0] + [before[i] - before[i & (i - 1)] for i in range(1, len(before))]
        self._total = before[-1]

    def _append(self, height: int) -> None:
        """Put one row before the oldest: a new last place."""
        place = len(self._values) + 1
        covered = self._sum_before(place - 1) - self._sum_before(place & (place - 1))
        self._values.append(height)
        self._sums.append(height + covered)
        self._total += height

    def _add(self, place: int, difference: int) -> None:
        self._total += difference
        at = place + 1
        while at < len(self._sums):
            self._sums[at] += difference
            at += at & -at

    def _sum_before(self, place: int) -> int:
        total = 0
        while place > 0:
            total += self._sums[place]
            place &= place - 1
        return total
