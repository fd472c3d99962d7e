"""How much of a text a difference shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.word_differences import Span
from tavern_desktop.ui.inspector.history_excerpt import AROUND, BEGINNING, LARGEST, MOST, excerpt

WORDS = " ".join(f"word{number}" for number in range(1000))


def marked(text: str, marks: tuple[Span, ...]) -> list[str]:
    return [text[start:end] for start, end in marks]


def test_a_short_text_is_shown_whole() -> None:
    assert excerpt("one two three", [(4, 7)]) == ("one two three", ((4, 7),), False)
    assert excerpt("one two three", []) == ("one two three", (), False)


def test_of_a_long_text_the_beginning_is_shown() -> None:
    shown = excerpt(WORDS, [])
    assert shown.is_cut
    assert WORDS.startswith(shown.text.removesuffix(" … "))
    assert BEGINNING <= len(shown.text) < BEGINNING + 30


def test_changes_are_shown_with_what_stands_around_them() -> None:
    first, second = WORDS.index("word100"), WORDS.index("word900")
    shown = excerpt(WORDS, [(first, first + 7), (second, second + 7)])
    assert marked(shown.text, shown.marks) == ["word100", "word900"]
    assert shown.text.startswith("… word")
    assert shown.text.count("…") == 3
    assert len(shown.text) < 6 * AROUND
    assert shown.is_cut


def test_a_place_where_nothing_stands_is_shown_without_a_mark() -> None:
    place = WORDS.index("word500")
    shown = excerpt(WORDS, [(place, place)])
    assert (shown.marks, "word500" in shown.text) == ((), True)


def test_it_is_never_more_than_can_be_painted() -> None:
    assert len(excerpt(WORDS, [(0, len(WORDS))]).text) < MOST + 60
    shown = excerpt("x" * (LARGEST + 9), [], whole=True)
    assert (len(shown.text), shown.is_cut) == (LARGEST + 3, True)
    assert excerpt(WORDS, [], whole=True) == (WORDS, (), False)


@given(st.text("ab 月\n", max_size=900), st.lists(st.integers(0, 900), max_size=8), st.booleans())
def test_marks_stay_on_their_texts(text: str, places: list[int], whole: bool) -> None:
    ends = sorted({min(place, len(text)) for place in places})
    marks = list(zip(ends[::2], ends[1::2], strict=False))
    shown = excerpt(text, marks, whole=whole)
    assert marked(shown.text, shown.marks) == [text[start:end] for start, end in marks]
