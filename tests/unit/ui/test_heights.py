"""The height tree answers like a plain list of heights, whatever is done to it."""

from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.ui.chat.heights import SPARE, HeightTree

heights = st.lists(st.integers(1, 5000), max_size=60)


def check(tree: HeightTree, expected: list[int]) -> None:
    tops = [0, *accumulate(expected)]
    assert len(tree) == len(expected)
    assert tree.total == tops[-1]
    assert tree.heights() == expected
    assert [tree.top(row) for row in range(len(expected) + 1)] == tops
    for row, height in enumerate(expected):
        assert tree.height(row) == height
        for y in {tops[row], tops[row] + height // 2, tops[row + 1] - 1}:
            assert tree.row_at(y) == row


@given(heights)
def test_a_new_tree_says_what_the_list_says(expected: list[int]) -> None:
    check(HeightTree(expected), expected)


@given(heights, st.lists(st.tuples(st.sampled_from(["insert", "remove", "set", "append", "prepend"]), st.data())))
def test_any_series_of_changes(expected: list[int], steps: list[tuple[str, st.DataObject]]) -> None:
    tree = HeightTree(expected)
    expected = list(expected)
    for what, data in steps:
        if what == "insert":
            row, new = data.draw(st.integers(0, len(expected))), data.draw(heights)
            tree.insert(row, new)
            expected[row:row] = new
        elif what == "append":
            new = data.draw(heights)
            tree.insert(len(expected), new)
            expected += new
        elif what == "prepend":
            new = data.draw(heights)
            tree.insert(0, new)
            expected = new + expected
        elif expected and what == "set":
            row, height = data.draw(st.integers(0, len(expected) - 1)), data.draw(st.integers(1, 5000))
            tree.set(row, height)
            expected[row] = height
        elif expected and what == "remove":
            first = data.draw(st.integers(0, len(expected) - 1))
            last = data.draw(st.integers(first, len(expected) - 1))
            tree.remove(first, last)
            del expected[first : last + 1]
        check(tree, expected)


def test_more_new_messages_than_spare_places() -> None:
    tree = HeightTree([10, 20])
    for height in range(1, 3 * SPARE):
        tree.insert(len(tree), [height])
    check(tree, [10, 20, *range(1, 3 * SPARE)])


def test_positions_outside_belong_to_the_outermost_rows() -> None:
    tree = HeightTree([10, 20, 30])
    assert tree.row_at(-5) == 0
    assert tree.row_at(1000) == 2


def test_nothing_lies_in_an_empty_tree() -> None:
    with pytest.raises(IndexError):
        HeightTree().row_at(0)
