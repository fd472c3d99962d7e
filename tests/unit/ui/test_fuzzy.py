"""Finding by a few letters: everything that fits, the closest first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.ui.fuzzy import best, score


def test_letters_have_to_be_there_in_order() -> None:
    assert score("avl", "Aria Vale") is not None
    assert score("vla", "Aria Vale") is None
    assert score("", "anything") == 0


def test_whole_words_and_beginnings_come_first() -> None:
    names = ["The vale of night", "Aria Vale", "Valentine", "Vale"]
    assert best("vale", names, str, 10) == ["Vale", "Valentine", "The vale of night", "Aria Vale"]


def test_words_may_come_in_any_order_and_in_any_script() -> None:
    assert score("vale aria", "Aria Vale") is not None
    assert best("月", ["小月", "Sun"], str, 10) == ["小月"]


def test_nothing_typed_keeps_the_order() -> None:
    assert best(" ", ["b", "a"], str, 10) == ["b", "a"]
    assert best("", ["b", "a", "c"], str, 2) == ["b", "a"]


@given(st.text(max_size=12), st.text(max_size=40))
def test_a_text_always_finds_itself(before: str, text: str) -> None:
    assert score(text, before + text) is not None
