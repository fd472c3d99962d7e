"""Selected text across messages: two ends that outlive what happens around them."""

from __future__ import annotations

import pytest

from tavern_desktop.ui.chat.selection import End, TextSelection, word_at

KEYS = [7, 3, 9]


def row_of(key: int) -> int | None:
    return KEYS.index(key) if key in KEYS else None


@pytest.mark.parametrize("is_backwards", [False, True])
def test_it_runs_across_messages(is_backwards: bool) -> None:
    ends = [End(7, 4), End(9, 2)]
    selection = TextSelection(*(reversed(ends) if is_backwards else ends))
    assert selection.range_in(0, 10, row_of) == (4, 10)
    assert selection.range_in(1, 6, row_of) == (0, 6)
    assert selection.range_in(2, 8, row_of) == (0, 2)
    assert selection.range_in(3, 8, row_of) is None


def test_within_one_message() -> None:
    assert TextSelection(End(3, 8), End(3, 2)).range_in(1, 20, row_of) == (2, 8)


def test_a_text_that_became_shorter() -> None:
    assert TextSelection(End(3, 2), End(3, 50)).range_in(1, 5, row_of) == (2, 5)
    assert TextSelection(End(3, 20), End(3, 50)).range_in(1, 5, row_of) is None


def test_an_end_that_went_away() -> None:
    assert TextSelection(End(1, 0), End(3, 5)).ordered(row_of) is None
    assert TextSelection(End(1, 0), End(3, 5)).range_in(1, 9, row_of) is None


def test_nothing_selected() -> None:
    assert TextSelection(End(3, 5), End(3, 5)).is_empty()


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("one two", 1, "one"),
        ("one two", 3, " "),
        ("don't stop", 2, "don't"),
        ("a_b c", 1, "a_b"),
        ("x, y", 1, ","),
        ("end", 3, "end"),
        ("", 0, ""),
    ],
)
def test_words(text: str, at: int, word: str) -> None:
    start, end = word_at(text, at)
    assert text[start:end] == word
