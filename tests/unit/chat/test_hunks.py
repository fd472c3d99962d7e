"""What differs between two texts, cut out and put back."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.hunks import Hunk, HunkMismatch, cut, patched, squashed

PARTS = st.sampled_from([b"a", b"b", b"the same words again and again, ", b"other words that are long enough: ", b"{}"])
TEXTS = st.lists(PARTS, max_size=12).map(b"".join)


@given(TEXTS, TEXTS)
def test_there_and_back(old: bytes, new: bytes) -> None:
    hunks = cut(old, new)
    assert patched(old, hunks) == new
    assert patched(new, hunks, back=True) == old
    assert bool(hunks) == (old != new)


@given(st.lists(TEXTS, min_size=2, max_size=5))
def test_one_change_for_many(texts: list[bytes]) -> None:
    hunks = squashed(cut(old, new) for old, new in itertools.pairwise(texts))
    assert patched(texts[0], hunks) == texts[-1]
    assert patched(texts[-1], hunks, back=True) == texts[0]


def test_a_word_that_stands_twice_makes_two_small_places() -> None:
    text = b"It rained all night, and in the morning the road to the mill was gone. " * 20
    old = b'{"mes":"' + text + b'a lamp","swipes":["' + text + b'a lamp"]}'
    new = old.replace(b"lamp", b"torch")
    assert [(hunk.before, hunk.after) for hunk in cut(old, new)] == [(b"lamp", b"torch")] * 2


def test_another_text_is_refused() -> None:
    with pytest.raises(HunkMismatch):
        patched(b"a word", [Hunk(2, b"term", b"word")])
