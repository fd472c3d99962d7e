"""Which words of a text are others in a later version of it; in scripts without spaces, which characters.

The cost is bounded for texts of any length: what is alike at both ends is found by comparing slices, few changes by a
greedy search, many by the words that stand once in both texts; what is left after that is marked as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from tavern_desktop.chat.rising import heaviest_rise

LONGEST = 20_000
"""Characters between the ends that are alike, beyond which words are not compared."""
LONGEST_WORD = 50
"""Characters after which a word may be cut after all."""
MOST_CHANGES = 120
"""Words that may differ for the greedy search: its cost grows with their square."""

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, kana, Chinese characters: a character is as much as can be told apart."""
_TOKEN = re.compile(rf"[{_UNSPACED}]|\s+|[^\W{_UNSPACED}]+|.", re.DOTALL)

Span = tuple[int, int]
"""Start and end of a piece of text, in characters."""


class Marks(NamedTuple):
    """The pieces that differ, in order: of the text as it was, and as it is.

    There are as many of both, for each stands in the place of the other; one of them may be empty.
    """

    before: tuple[Span, ...] = ()
    after: tuple[Span, ...] = ()


class _Block(NamedTuple):
    """A run of equal tokens: where it begins in both lists, and how long it is."""

    before: int
    after: int
    length: int


def word_differences(before: str, after: str) -> Marks:
    """Return which words went and which came."""
    front = _common_start(before, after)
    shorter = min(len(before), len(after)) - front
    back = min(_common_start(before[::-1], after[::-1]), shorter)
    front, back = _at_words(before, after, front, back)
    old, new = before[front : len(before) - back], after[front : len(after) - back]
    if not old and not new:
        return Marks()
    if not old or not new or max(len(old), len(new)) > LONGEST:
        return Marks(((front, front + len(old)),), ((front, front + len(new)),))
    old_tokens, new_tokens = _TOKEN.findall(old), _TOKEN.findall(new)
    blocks = _readable(_equal_blocks(old_tokens, new_tokens), old_tokens, new_tokens)
    return _between(front, old_tokens, new_tokens, blocks)


def _common_start(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their start, by comparing ever smaller slices."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _at_words(before: str, after: str, front: int, back: int) -> tuple[int, int]:
    """Take back so much of what is alike at both ends that no word is cut."""
    for step in range(LONGEST_WORD):
        if step < front and any(_joins(text, front - step) for text in (before, after)):
            continue
        front -= min(step, front)
        break
    for step in range(LONGEST_WORD):
        if step < back and any(_joins(text, len(text) - back + step) for text in (before, after)):
            continue
        back -= min(step, back)
        break
    return front, back


def _joins(text: str, at: int) -> bool:
    """Say whether a word goes on across this place."""
    if not 0 < at < len(text):
        return False
    pair = text[at - 1 : at + 1]
    token = _TOKEN.match(pair)
    return token is not None and len(token[0]) == len(pair)


def _between(start: int, old: Sequence[str], new: Sequence[str], blocks: Sequence[_Block]) -> Marks:
    """Return what lies between runs of equal tokens, as pieces of both texts, which begin at `start`."""
    old_places, new_places = (list(accumulate(map(len, side), initial=start)) for side in (old, new))
    before: list[Span] = []
    after: list[Span] = []
    ends = [_Block(0, 0, 0), *blocks, _Block(len(old), len(new), 0)]
    for last, block in pairwise(ends):
        old_at, new_at = last.before + last.length, last.after + last.length
        if block.before > old_at or block.after > new_at:
            before.append((old_places[old_at], old_places[block.before]))
            after.append((new_places[new_at], new_places[block.after]))
    return Marks(tuple(before), tuple(after))


def _equal_blocks(old: Sequence[str], new: Sequence[str]) -> list[_Block]:
    """Return runs of tokens that both lists have in the same order."""
    found = _greedy(old, new)
    if found is not None:
        return found
    blocks: list[_Block] = []
    old_at = new_at = 0
    for old_end, new_end in (*_anchors(old, new), (len(old), len(new))):
        between = _greedy(old[old_at:old_end], new[new_at:new_end]) or ()
        blocks += [_Block(old_at + one, new_at + other, length) for one, other, length in between]
        if old_end < len(old):
            blocks.append(_Block(old_end, new_end, 1))
        old_at, new_at = old_end + 1, new_end + 1
    return blocks


def _greedy(old: Sequence[str], new: Sequence[str]) -> list[_Block] | None:
    """Return the equal tokens of the shortest edit (Myers' greedy algorithm), None if it takes more than
    MOST_CHANGES."""
    furthest = {1: 0}
    trail: list[dict[int, int]] = []
    for changes in range(min(len(old) + len(new), MOST_CHANGES) + 1):
        trail.append(dict(furthest))
        for diagonal in range(-changes, changes + 1, 2):
            below = furthest.get(diagonal - 1, -1) + 1
            right = furthest.get(diagonal + 1, -1)
            at = right if diagonal == -changes or (diagonal != changes and below <= right) else below
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            furthest[diagonal] = at
            if at >= len(old) and at - diagonal >= len(new):
                return _blocks_of(trail, len(old), len(new))
    return None


def _blocks_of(trail: Sequence[dict[int, int]], at: int, other: int) -> list[_Block]:
    """Go back along the way that was found, and return the runs of equal tokens on it."""
    blocks: list[_Block] = []
    for changes in range(len(trail) - 1, -1, -1):
        furthest, diagonal = trail[changes], at - other
        below = furthest.get(diagonal - 1, -1) + 1
        right = furthest.get(diagonal + 1, -1)
        is_insertion = diagonal == -changes or (diagonal != changes and below <= right)
        start = (right if is_insertion else below) if changes else 0
        if at > start:
            blocks.append(_Block(start, start - diagonal, at - start))
        at, other = (start, start - diagonal - 1) if is_insertion else (start - 1, start - diagonal)
    return blocks[::-1]


def _anchors(old: Sequence[str], new: Sequence[str]) -> Sequence[tuple[int, int]]:
    """Return the places of words that stand once in either list, as far as they are in the same order in both."""
    old_counts, new_counts = Counter(old), Counter(new)
    places = {token: index for index, token in enumerate(new)}
    pairs = [
        (index, places[token])
        for index, token in enumerate(old)
        if old_counts[token] == 1 and new_counts.get(token) == 1 and not token.isspace()
    ]
    return [pairs[number] for number in heaviest_rise([place for _, place in pairs], [1] * len(pairs))]


def _readable(blocks: Sequence[_Block], old: Sequence[str], new: Sequence[str]) -> Sequence[_Block]:
    """Leave out what is alike by chance between two changes: single words in a sentence that is another one."""
    while True:
        kept = _without_chance(blocks, old, new)
        if len(kept) == len(blocks):
            return kept
        blocks = kept


def _without_chance(blocks: Sequence[_Block], old: Sequence[str], new: Sequence[str]) -> list[_Block]:
    kept: list[_Block] = []
    end = _Block(len(old), len(new), 0)
    for block, following in pairwise([*blocks, end]):
        last = kept[-1] if kept else _Block(0, 0, 0)
        alike = sum(map(len, old[block.before : block.before + block.length]))
        if 2 * alike > min(_changed(last, block, old, new), _changed(block, following, old, new)):
            kept.append(block)
    return kept


def _changed(last: _Block, block: _Block, old: Sequence[str], new: Sequence[str]) -> int:
    """Return how much differs between two runs: the longer side, in characters."""
    went = old[last.before + last.length : block.before]
    came = new[last.after + last.length : block.after]
    return max(sum(map(len, went)), sum(map(len, came)))
