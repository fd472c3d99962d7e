"""Where rows lie on the surface, and what stays still when anything changes. Free of widgets.

Two coordinates: *content* runs from 0 at the top of everything mounted; *screen* is content minus the scroll value.
Heights are estimates until a row comes into sight, then they are measured. Whatever happens, the *anchor* (a message
and the screen position of its top) is put back where it was in the same call, or, when the reader is at the end, the
end is. `settle` does that, measuring what becomes visible until nothing moves any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tavern_desktop.ui.chat.heights import HeightTree
from tavern_desktop.ui.chat.roles import KeyedRows

GRACE = 4
"""Pixels from the end that still count as being there."""
EXACT_ESTIMATES = 2_000
"""Rows estimated one by one at once; those before them get the average and their own estimate when there is time."""


class Anchor(NamedTuple):
    """A message and where its top is on screen (negative: above the upper edge)."""

    key: int
    pixels: int


class Geometry:
    """Heights, scroll value and anchor of one view."""

    def __init__(self, measure: Callable[[int], int], estimate: Callable[[int], int]) -> None:
        """`measure` lays a row out and returns its height, `estimate` guesses it quickly."""
        self._measure = measure
        self._estimate = estimate
        self._model: KeyedRows | None = None
        self._tree = HeightTree()
        self._measured: set[int] = set()
        self._rough = 0
        """So many of the oldest rows have an average for a height."""
        self.header = 0
        """Height of the decoration above the first row, in pixels."""
        self.footer = 0
        self.screen_height = 0
        self.value = 0
        """The scroll value after the last `settle`."""
        self.anchor: Anchor | None = None
        self.at_end = True
        """The reader is at the end and stays there when something is added."""

    @property
    def row_count(self) -> int:
        return len(self._tree)

    @property
    def maximum(self) -> int:
        """The largest scroll value."""
        return max(0, self.header + self._tree.total + self.footer - self.screen_height)

    @property
    def is_at_maximum(self) -> bool:
        """Whether the end is on screen, whatever brought it there."""
        return self.value >= self.maximum - GRACE

    def screen_top(self, row: int) -> int:
        return self.header + self._tree.top(row) - self.value

    def height(self, row: int) -> int:
        return self._tree.height(row)

    def row_at(self, y: int) -> int | None:
        """Return the row at a screen position, None where there is none."""
        content = y + self.value - self.header
        if not self.row_count or not 0 <= content < self._tree.total:
            return None
        return self._tree.row_at(content)

    def nearest_row(self, y: int) -> int | None:
        """Return the row at a screen position, or the first or last one."""
        return self._tree.row_at(y + self.value - self.header) if self.row_count else None

    def visible_rows(self) -> range:
        """Return the rows of which something is on screen."""
        if not self.row_count or self.screen_height <= 0:
            return range(0)
        first = self._tree.row_at(self.value - self.header)
        last = self._tree.row_at(self.value - self.header + self.screen_height - 1)
        return range(first, last + 1)

    # What happened to the rows

    def reset(self, model: KeyedRows | None) -> None:
        """Take other rows, all of them unseen. The anchor stays if its message is among them."""
        self._model = model
        self._measured.clear()
        count = 0 if model is None else model.rowCount()
        self._rough = max(0, count - EXACT_ESTIMATES)
        exact = [self._estimate(row) for row in range(self._rough, count)]
        average = round(sum(exact) / len(exact)) if exact else 1
        self._tree = HeightTree([average] * self._rough + exact)

    def forget_measures(self) -> None:
        """All heights may be others now: a new width, text size or theme."""
        self.reset(self._model)

    def refine(self, count: int) -> bool:
        """Give up to `count` more rows an estimate of their own; return whether any are left. Settle afterwards."""
        upto = max(0, self._rough - count)
        for row in range(upto, self._rough):
            if self._key(row) not in self._measured:
                self._tree.set(row, self._estimate(row))
        self._rough = upto
        return self._rough > 0

    def rows_inserted(self, first: int, last: int) -> None:
        count = last - first + 1
        if first < self._rough or (first == 0 and count > EXACT_ESTIMATES):
            average = round(self._tree.total / self.row_count) if self.row_count else 100
            self._tree.insert(first, [average] * count)
            self._rough += count
        else:
            self._tree.insert(first, [self._estimate(row) for row in range(first, last + 1)])

    def rows_about_to_be_removed(self, first: int, last: int) -> None:
        """Before the model lets go of them: choose what stays in place instead."""
        for row in range(first, last + 1):
            self._measured.discard(self._key(row))
        held = self._row_of_anchor()
        if held is None or not first <= held <= last:
            return
        if last + 1 < self.row_count:
            # The next row closes the gap, but does not rise above the edge.
            self.anchor = Anchor(self._key(last + 1), max(0, self.screen_top(first)))
        elif first > 0:
            self.anchor = Anchor(self._key(first - 1), self.screen_top(first - 1))
        else:
            self.anchor = None

    def rows_removed(self, first: int, last: int) -> None:
        self._tree.remove(first, last)
        self._rough -= max(0, min(last + 1, self._rough) - first)

    def rows_moved(self) -> None:
        """After a move: each measured row takes its height along by being measured again."""
        self.reset(self._model)

    def row_changed(self, row: int) -> None:
        """Its height may be another; measured when it is next seen."""
        self._measured.discard(self._key(row))

    def rows_changed(self, first: int, last: int) -> None:
        if last - first > EXACT_ESTIMATES:
            self._measured.clear()
            return
        for row in range(first, last + 1):
            self.row_changed(row)

    # Scrolling

    def scroll_to(self, value: int) -> None:
        """The person scrolled: what lies there becomes the anchor. Settle afterwards."""
        self.value = value
        self.at_end = self.is_at_maximum
        rows = self.visible_rows()
        if rows:
            # A row that was already on screen stays where the person has moved it; rows coming in grow around it.
            row = next((row for row in rows if self._key(row) in self._measured), rows[0])
            self.anchor = Anchor(self._key(row), self.screen_top(row))

    def hold(self, anchor: Anchor | None, *, at_end: bool = False) -> None:
        """Keep this anchor from now on, or the end. Settle afterwards."""
        self.anchor, self.at_end = anchor, at_end

    def settle(self) -> int:
        """Measure what is visible with the anchor in its place; return the scroll value that puts it there."""
        if not self.row_count or self._model is None:
            self.value = 0
            return 0
        row, offset = self._start()
        # Each round exposes rows that the round before did not measure; three are the most seen, eight are a promise.
        for _ in range(8):
            self._measure_around(row, offset)
            wanted = self.header + self._tree.top(row) - offset
            self.value = min(max(wanted, 0), self.maximum)
            if self.value == wanted:
                break
            offset += wanted - self.value
        self._anchor_to_top()
        return self.value

    def _start(self) -> tuple[int, int]:
        """Return the row that is held and where its top is to be on screen."""
        row = self._row_of_anchor()
        if self.at_end or row is None or self.anchor is None:
            self.at_end = True
            last = self.row_count - 1
            return last, self.screen_height - self.footer - self._measured_height(last)
        return row, self.anchor.pixels

    def _measure_around(self, row: int, offset: int) -> None:
        """Measure the rows on screen when the top of `row` is at `offset`."""
        below, y = row, offset
        while below < self.row_count and y < self.screen_height:
            y += self._measured_height(below)
            below += 1
        above, y = row, offset
        while above > 0 and y > 0:
            above -= 1
            y -= self._measured_height(above)

    def _anchor_to_top(self) -> None:
        rows = self.visible_rows()
        if rows:
            self.anchor = Anchor(self._key(rows[0]), self.screen_top(rows[0]))

    def _measured_height(self, row: int) -> int:
        key = self._key(row)
        if key not in self._measured:
            self._tree.set(row, self._measure(row))
            self._measured.add(key)
        return self._tree.height(row)

    def _row_of_anchor(self) -> int | None:
        return None if self.anchor is None or self._model is None else self._model.row_of(self.anchor.key)

    def _key(self, row: int) -> int:
        assert self._model is not None
        return self._model.key(row)
