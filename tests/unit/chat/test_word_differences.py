"""Which words of a text changed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.word_differences import LONGEST, Span, word_differences


def cut(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[start:end] for start, end in spans if start < end]


def told(before: str, after: str) -> tuple[list[str], list[str]]:
    marks = word_differences(before, after)
    return cut(before, marks.before), cut(after, marks.after)


@pytest.mark.parametrize(
    ("before", "after", "went", "came"),
    [
        ("The ferry left.", "The ferry left.", [], []),
        ("The ferry left an hour ago.", "The ferry left a day ago.", ["an hour"], ["a day"]),
        ("The ferry left.", "The old ferry left.", [], ["old "]),
        ("work", "working", ["work"], ["working"]),
        ("hello", "hello world", [], [" world"]),
        ("", "all", [], ["all"]),
        ("月光落在湖面上。", "月光落在河面上。", ["湖"], ["河"]),
        ("彼女はドアを開けた", "彼女は窓を開けた", ["ドア"], ["窓"]),
        ("Привет, мир", "Привет, город", ["мир"], ["город"]),
        ("she 🦊 ran", "she 🐈 ran", ["🦊"], ["🐈"]),
        ("She looks up and sighs.", "Nobody came to the harbour.", ["She looks up and sighs"],
         ["Nobody came to the harbour"]),
    ],
)  # fmt: skip
def test_words_that_went_and_came(before: str, after: str, went: list[str], came: list[str]) -> None:
    assert told(before, after) == (went, came)


def test_many_changes_are_found_by_what_stands_once() -> None:
    words = [f"word{number}" for number in range(2000)]
    later = [word if number % 5 else f"other{number}" for number, word in enumerate(words)]
    went, came = told(" ".join(words), " ".join(later))
    assert went == words[::5]
    assert came == [f"other{number}" for number in range(0, 2000, 5)]


def test_what_is_too_long_to_compare_is_marked_as_a_whole() -> None:
    old, new = "a b " * LONGEST, "c d " * LONGEST
    assert told(f"same {old}same", f"same {new}same") == ([old.strip()], [new.strip()])
    long_word = "x" * 300_000
    assert told(long_word + "y" + long_word, long_word + long_word) == (["y"], [])


TEXTS = st.text(st.sampled_from("ab 月x.\n"), max_size=40)


@given(TEXTS, TEXTS)
def test_what_is_not_marked_is_the_same_in_both(before: str, after: str) -> None:
    marks = word_differences(before, after)
    assert len(marks.before) == len(marks.after)
    assert all(one[0] < one[1] or other[0] < other[1] for one, other in zip(*marks, strict=True))
    rest = []
    for text, spans in ((before, marks.before), (after, marks.after)):
        assert all(start <= end for start, end in spans)
        assert [*spans] == sorted(spans)
        assert all(one[1] < other[0] for one, other in pairwise(spans))
        left = list(text)
        for start, end in reversed(spans):
            del left[start:end]
        rest.append("".join(left))
    assert rest[0] == rest[1]
