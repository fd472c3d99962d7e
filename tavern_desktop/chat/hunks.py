"""Where two texts of one record differ: a few cut-out places instead of two whole texts.

A message says its text twice (`mes` and the shown alternative in `swipes`), so that one word that is changed makes two
places far apart. Everything here works on bytes and knows nothing of JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

SMALLEST_BLOCK = 32
"""Bytes that two texts must share in a row for them to count as equal there."""

MOST_BLOCKS = 256
"""Blocks of the old text that are looked for in the new one: bounds the work for long texts."""


class Hunk(NamedTuple):
    """A place: at `start` (bytes, in the text before the change) `before` is replaced by `after`."""

    start: int
    before: bytes
    after: bytes


Hunks = tuple[Hunk, ...]
"""The places of one change, in order, not overlapping."""


class HunkMismatch(Exception):
    """A text is not the one that the places were cut from."""


def cut(old: bytes, new: bytes) -> Hunks:
    """Return the places where `new` differs from `old`, none where they are equal."""
    if old == new:
        return ()
    front = _common_front(old, new, min(len(old), len(new)))
    back = _common_back(old, new, min(len(old), len(new)) - front)
    return tuple(_places(old[front : len(old) - back], new[front : len(new) - back], front))


def patched(text: bytes, hunks: Iterable[Hunk], *, back: bool = False) -> bytes:
    """Return the text after the change, or (`back`) before it. Raises HunkMismatch where a place is not as it was."""
    parts = []
    done = 0
    shift = 0
    for start, before, after in hunks:
        if back:
            before, after = after, before
            start += shift
            shift += len(before) - len(after)
        end = start + len(before)
        if text[start:end] != before:
            raise HunkMismatch
        parts += [text[done:start], after]
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def squashed(changes: Iterable[Hunks]) -> Hunks:
    """Return one change for several that were made one after another to the same text. Raises HunkMismatch if not."""
    return _Patchwork(changes).hunks()


def _places(old: bytes, new: bytes, offset: int) -> Iterator[Hunk]:
    """Yield the places in two texts whose ends differ, by looking for blocks of the old text in the new one."""
    step = max(SMALLEST_BLOCK, len(old) // MOST_BLOCKS)
    old_done = new_done = 0
    at = 0
    while at + SMALLEST_BLOCK <= len(old):
        found = new.find(old[at : at + SMALLEST_BLOCK], new_done)
        if found < 0:
            at += step
            continue
        before = _common_back(old[old_done:at], new[new_done:found], min(at - old_done, found - new_done))
        yield Hunk(offset + old_done, old[old_done : at - before], new[new_done : found - before])
        length = SMALLEST_BLOCK + _common_front(old[at + SMALLEST_BLOCK :], new[found + SMALLEST_BLOCK :], len(old))
        at = old_done = at + length
        new_done = found + length
    if old_done < len(old) or new_done < len(new):
        yield Hunk(offset + old_done, old[old_done:], new[new_done:])


def _common_front(one: bytes, other: bytes, most: int) -> int:
    """Return how many bytes two texts have in common from the front, at most `most`."""
    low, high = 0, min(most, len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_back(one: bytes, other: bytes, most: int) -> int:
    """Return how many bytes two texts have in common from the back, at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


_Piece = bytes | range
"""Some text that was put in, or a range of bytes of the text before all changes; the last one never ends."""

_ENDLESS = 1 << 62


class _Patchwork:
    """A text that is known only where it was changed: what of it is still there, and what stands in between."""

    def __init__(self, changes: Iterable[Hunks]) -> None:
        self._pieces: list[_Piece] = [range(_ENDLESS)]
        self._known: dict[int, bytes] = {}
        """Bytes of the text before all changes that were taken out, by where they stood."""
        for hunks in changes:
            shift = 0
            for hunk in hunks:
                self._replace(hunk.start + shift, hunk.before, hunk.after)
                shift += len(hunk.after) - len(hunk.before)

    def hunks(self) -> Hunks:
        """Return what changed in all."""
        found: list[Hunk] = []
        here, put_in = 0, b""
        for piece in self._pieces:
            if isinstance(piece, bytes):
                put_in += piece
                continue
            if piece.start > here or put_in:
                found += self._trimmed(here, self._text(here, piece.start), put_in)
            here, put_in = piece.stop, b""
        return tuple(found)

    def _replace(self, start: int, before: bytes, after: bytes) -> None:
        first, last = self._split(start), self._split(start + len(before))
        seen = 0
        for piece in self._pieces[first:last]:
            if isinstance(piece, range):
                self._known[piece.start] = before[seen : seen + len(piece)]
            seen += len(piece)
        self._pieces[first:last] = [after] if after else []

    def _split(self, at: int) -> int:
        """Cut the piece that lies across this place; return the index of the piece that begins there."""
        begin = 0
        for index, piece in enumerate(self._pieces):
            if begin == at:
                return index
            if at < begin + len(piece):
                self._pieces[index : index + 1] = [piece[: at - begin], piece[at - begin :]]
                return index + 1
            begin += len(piece)
        return len(self._pieces)

    def _text(self, start: int, stop: int) -> bytes:
        parts = []
        while start < stop:
            part = self._known.get(start)
            if not part:
                raise HunkMismatch
            parts.append(part)
            start += len(part)
        return b"".join(parts)

    @staticmethod
    def _trimmed(start: int, before: bytes, after: bytes) -> Sequence[Hunk]:
        return [Hunk(start + hunk.start, hunk.before, hunk.after) for hunk in cut(before, after)]
