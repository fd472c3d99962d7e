"""As much of a text as a difference shows of it: what changed with some words around it, else its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tavern_desktop.chat.word_differences import Span

AROUND = 100
"""Characters shown on either side of a change."""
BEGINNING = 360
"""Characters shown of a text of which no words are marked."""
MOST = 1_400
"""Characters shown of one text unless it is unfolded."""
LARGEST = 60_000
"""Characters shown of one that is: more cannot be painted smoothly."""
_NEAR_WORD = 16


class Excerpt(NamedTuple):
    """A text to show, its marks, and whether something was left out."""

    text: str
    marks: tuple[Span, ...]
    is_cut: bool


def excerpt(text: str, marks: Sequence[Span], *, whole: bool = False, beginning: int = BEGINNING) -> Excerpt:
    """Return what is shown of `text`, the pieces at `marks` standing out; an empty one only says where to look.

    `beginning`: characters shown where there are none. Never longer than LARGEST.
    """
    pieces = [(0, min(len(text), LARGEST))] if whole else _pieces(text, marks, beginning)
    shown, moved = "", []
    for start, end in pieces:
        if start and not shown:
            shown = "… "
        offset = len(shown) - start
        moved += [(max(a, start) + offset, min(b, end) + offset) for a, b in marks if a < b and a < end and b > start]
        shown += text[start:end] + (" … " if end < len(text) else "")
    return Excerpt(shown, tuple(moved), pieces != [(0, len(text))])


def _pieces(text: str, marks: Sequence[Span], beginning: int) -> list[Span]:
    """Return the pieces to show, in order and apart from each other."""
    if not marks:
        return [(0, _end(text, beginning))]
    pieces: list[Span] = []
    left = MOST
    for start, end in marks:
        first, last = _start(text, start - AROUND), _end(text, end + AROUND)
        if pieces and first - pieces[-1][1] <= AROUND // 2:
            first = pieces.pop()[0]
            left += last - first
        last = min(last, first + max(left, AROUND))
        pieces.append((first, last))
        left -= last - first
        if left <= 0:
            break
    return pieces


def _start(text: str, at: int) -> int:
    """Return a place near `at` where a word begins."""
    if at <= _NEAR_WORD:
        return 0
    space = text.rfind(" ", at - _NEAR_WORD, at)
    return at if space < 0 else space + 1


def _end(text: str, at: int) -> int:
    """Return a place near `at` where a word ends."""
    if at + _NEAR_WORD >= len(text):
        return len(text)
    space = text.find(" ", at, at + _NEAR_WORD)
    return at if space < 0 else space
