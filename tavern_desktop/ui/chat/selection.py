"""Selected text across messages: two ends, each a message and a character. Free of Qt.

Ends hold message keys, so that messages inserted or removed around them shift nothing. Characters count in the text as
it is shown. Where a message stands is asked of the model at the moment it matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RowOf = Callable[[int], int | None]
"""From a message key to its row, None if it is not mounted (any more)."""


@dataclass(frozen=True, slots=True)
class End:
    """A place between two characters of a message's shown text."""

    key: int
    character: int


@dataclass(frozen=True, slots=True)
class TextSelection:
    """From where the person began (`anchor`) to where the pointer is (`focus`), in either order."""

    anchor: End
    focus: End

    def is_empty(self) -> bool:
        return self.anchor == self.focus

    def ordered(self, row_of: RowOf) -> tuple[tuple[int, End], tuple[int, End]] | None:
        """Return ((row, first end), (row, last end)), None when an end is no longer there."""
        anchor_row, focus_row = row_of(self.anchor.key), row_of(self.focus.key)
        if anchor_row is None or focus_row is None:
            return None
        one, other = (anchor_row, self.anchor), (focus_row, self.focus)
        if (anchor_row, self.anchor.character) <= (focus_row, self.focus.character):
            return one, other
        return other, one

    def range_in(self, row: int, length: int, row_of: RowOf) -> tuple[int, int] | None:
        """Return what is selected of the `length` characters of a row, None where nothing is."""
        ends = self.ordered(row_of)
        if ends is None:
            return None
        (first_row, first), (last_row, last) = ends
        if not first_row <= row <= last_row:
            return None
        start = min(first.character, length) if row == first_row else 0
        end = min(last.character, length) if row == last_row else length
        return (start, end) if start < end else None


def word_at(text: str, character: int) -> tuple[int, int]:
    """Return the range of the word around a character: letters and digits, else a run of what is not."""
    if not text:
        return 0, 0
    character = min(character, len(text) - 1)
    kind = _kind(text[character])
    if kind == "one":
        return character, character + 1
    start, end = character, character + 1
    while start > 0 and _kind(text[start - 1]) == kind:
        start -= 1
    while end < len(text) and _kind(text[end]) == kind:
        end += 1
    return start, end


def _kind(character: str) -> str:
    if character.isalnum() or character in "_'’":
        return "word"
    return "blank" if character in " \t\u00a0" else "one"
