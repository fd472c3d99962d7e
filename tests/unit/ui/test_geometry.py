"""What is being read does not move by a pixel, whatever happens around it (known failure B-49)."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.ui.chat.geometry import EXACT_ESTIMATES, Anchor, Geometry
from tavern_desktop.ui.chat.record import RowRecord

SCREEN = 800


class Heights(dict[int, int]):
    """The real height of each message: anything from one line to several screens."""

    def __missing__(self, key: int) -> int:
        self[key] = random.Random(key).randint(40, 2_500)
        return self[key]


@dataclass
class Rows:
    """A stand-in for a list model: keys, and the height each really has."""

    keys: list[int]
    heights: Heights = field(default_factory=Heights)
    editable = True

    def rowCount(self) -> int:
        return len(self.keys)

    def record(self, row: int) -> RowRecord:
        raise NotImplementedError

    def raw(self, row: int) -> bytes:
        return b""

    def is_live(self, row: int) -> bool:
        return False

    def raw_before(self, row: int) -> bytes | None:
        return None

    def key(self, row: int) -> int:
        return self.keys[row]

    def row_of(self, key: int) -> int | None:
        return self.keys.index(key) if key in self.keys else None


class Surface:
    """A geometry over rows whose heights are guessed wrong."""

    def __init__(self, count: int, seed: int = 1) -> None:
        self.random = random.Random(seed)
        self.rows = Rows(list(range(count)))
        self.measured: list[int] = []
        self.it = Geometry(self._measure, lambda row: 300)
        self.it.screen_height = SCREEN
        self.it.footer = 14
        self.it.reset(self.rows)
        self.it.settle()

    def _measure(self, row: int) -> int:
        self.measured.append(row)
        return self.rows.heights[self.rows.keys[row]]

    def scroll(self, value: int) -> None:
        self.it.scroll_to(min(max(value, 0), self.it.maximum))
        self.it.settle()

    def seen(self) -> dict[int, int]:
        """Return {key: screen position of its top} of what is on screen."""
        return {self.rows.keys[row]: self.it.screen_top(row) for row in self.it.visible_rows()}

    def check(self) -> None:
        """Every visible row is measured and they follow one another without gaps."""
        visible = self.it.visible_rows()
        for row in visible:
            assert self.it.height(row) == self.rows.heights[self.rows.keys[row]]
        for row in list(visible)[1:]:
            assert self.it.screen_top(row) == self.it.screen_top(row - 1) + self.it.height(row - 1)
        assert 0 <= self.it.value <= self.it.maximum


def test_it_opens_at_the_end() -> None:
    surface = Surface(500)
    assert surface.it.at_end
    assert surface.it.value == surface.it.maximum
    surface.check()


def test_few_messages_stand_at_the_top() -> None:
    surface = Surface(1)
    surface.rows.heights[0] = 75
    surface.it.row_changed(0)
    surface.it.settle()
    assert surface.it.screen_top(0) == 0
    assert surface.it.maximum == 0


def test_only_what_is_seen_is_measured() -> None:
    surface = Surface(5_000)
    assert len(surface.measured) < 25


@pytest.mark.parametrize("step", [-72, -700, 72])
def test_scrolling_moves_everything_by_exactly_that(step: int) -> None:
    surface = Surface(300)
    surface.scroll(surface.it.maximum // 2)
    for _ in range(60):
        before = surface.seen()
        surface.scroll(surface.it.value + step)
        surface.check()
        for key, top in surface.seen().items():
            if key in before:
                assert top == before[key] - step


def test_a_jump_is_exact() -> None:
    surface = Surface(2_000)
    for key in surface.random.sample(range(2_000), 100):
        surface.it.hold(Anchor(key, 0))
        surface.it.settle()
        surface.check()
        if surface.it.value < surface.it.maximum:
            assert surface.seen()[key] == 0


def test_the_ends_can_be_reached() -> None:
    surface = Surface(400)
    surface.scroll(0)
    assert surface.it.screen_top(0) == 0
    surface.scroll(surface.it.maximum)
    assert surface.it.screen_top(399) + surface.it.height(399) + surface.it.footer == SCREEN


def test_more_messages_above_do_not_move_what_is_read() -> None:
    surface = Surface(300)
    surface.scroll(0)
    before = surface.seen()
    surface.rows.keys[:0] = range(1_000, 1_100)
    surface.it.rows_inserted(0, 99)
    surface.it.settle()
    surface.check()
    assert before.items() <= surface.seen().items()


def test_a_new_message_shows_at_the_end_and_not_further_up() -> None:
    surface = Surface(300)
    surface.rows.keys.append(1_000)
    surface.it.rows_inserted(300, 300)
    surface.it.settle()
    assert 1_000 in surface.seen()
    surface.scroll(surface.it.value - 2_000)
    before = surface.seen()
    surface.rows.keys.append(1_001)
    surface.it.rows_inserted(301, 301)
    surface.it.settle()
    assert surface.seen() == before


def test_removing_around_the_reader_closes_gaps_only() -> None:
    surface = Surface(300)
    surface.scroll(surface.it.maximum // 2)
    first = surface.it.visible_rows()[0]
    before = surface.seen()
    _remove(surface, first - 20, first - 1)
    assert surface.seen() == before
    _remove(surface, first - 10, first - 1)
    assert surface.seen() == before


def test_removing_the_uppermost_lets_the_next_take_its_place() -> None:
    surface = Surface(300)
    surface.scroll(surface.it.maximum // 2)
    first = surface.it.visible_rows()[0]
    following = surface.rows.keys[first + 1]
    _remove(surface, first, first)
    surface.check()
    assert surface.seen()[following] == 0


def test_all_gone() -> None:
    surface = Surface(3)
    _remove(surface, 0, 2)
    assert surface.it.settle() == 0
    assert surface.it.row_at(10) is None
    assert not surface.it.visible_rows()


def test_rough_estimates_become_exact_without_moving_anything() -> None:
    surface = Surface(EXACT_ESTIMATES + 3_000)
    surface.scroll(surface.it.maximum // 3)
    before = surface.seen()
    while surface.it.refine(500):
        surface.it.settle()
        assert surface.seen() == before
    surface.it.settle()
    assert surface.seen() == before


HAPPENINGS = st.sampled_from(["up", "down", "jump", "more", "add", "cut", "change"])


@given(st.lists(st.tuples(HAPPENINGS, st.integers(0, 10_000)), max_size=25))
def test_nothing_ever_overlaps(steps: list[tuple[str, int]]) -> None:
    surface = Surface(60)
    fresh = iter(range(1_000, 100_000))
    for what, number in steps:
        count = len(surface.rows.keys)
        if what == "up":
            surface.scroll(surface.it.value - number)
        elif what == "down":
            surface.scroll(surface.it.value + number)
        elif what == "jump" and count:
            surface.it.hold(Anchor(surface.rows.keys[number % count], 0))
            surface.it.settle()
        elif what == "more":
            surface.rows.keys[:0] = [next(fresh) for _ in range(5)]
            surface.it.rows_inserted(0, 4)
            surface.it.settle()
        elif what == "add":
            surface.rows.keys.append(next(fresh))
            surface.it.rows_inserted(count, count)
            surface.it.settle()
        elif what == "cut" and count:
            _remove(surface, number % count, min(number % count + 2, count - 1))
        elif what == "change" and count:
            row = number % count
            surface.rows.heights[surface.rows.keys[row]] = 40 + number
            surface.it.row_changed(row)
            surface.it.settle()
        surface.check()


def _remove(surface: Surface, first: int, last: int) -> None:
    surface.it.rows_about_to_be_removed(first, last)
    del surface.rows.keys[first : last + 1]
    surface.it.rows_removed(first, last)
    surface.it.settle()
