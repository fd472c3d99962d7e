"""Signals: order, weak observers, and changes to the list of observers while it is being gone through."""

from __future__ import annotations

import gc

import pytest

from tavern_desktop.chat.signal import Signal


class Observer:
    def __init__(self) -> None:
        self.seen: list[int] = []

    def see(self, value: int) -> None:
        self.seen.append(value)


@pytest.fixture
def signal() -> Signal[int]:
    return Signal()


def test_slots_are_called_in_the_order_they_were_connected(signal: Signal[int]) -> None:
    seen: list[str] = []
    signal.connect(lambda value: seen.append(f"first {value}"))
    signal.connect(lambda value: seen.append(f"second {value}"))
    signal.emit(1)
    assert seen == ["first 1", "second 1"]


def test_an_observer_is_held_weakly(signal: Signal[int]) -> None:
    observer = Observer()
    seen = observer.seen
    signal.connect(observer.see)
    signal.emit(1)
    del observer
    gc.collect()
    signal.emit(2)
    assert seen == [1]


def test_a_method_of_a_built_in_type_can_observe(signal: Signal[int]) -> None:
    seen: list[int] = []
    signal.connect(seen.append)
    signal.emit(1)
    signal.disconnect(seen.append)
    signal.emit(2)
    assert seen == [1]


def test_disconnecting_ends_it_and_may_be_done_twice(signal: Signal[int]) -> None:
    one, other = Observer(), Observer()
    signal.connect(one.see)
    signal.connect(other.see)
    signal.disconnect(one.see)
    signal.disconnect(one.see)
    signal.emit(1)
    assert (one.seen, other.seen) == ([], [1])


def test_one_that_is_disconnected_during_an_emit_is_not_called_any_more(signal: Signal[int]) -> None:
    later = Observer()
    signal.connect(lambda _value: signal.disconnect(later.see))
    signal.connect(later.see)
    signal.emit(1)
    assert later.seen == []


def test_one_that_is_connected_during_an_emit_hears_the_next(signal: Signal[int]) -> None:
    late = Observer()
    signal.connect(lambda value: signal.connect(late.see) if value == 1 else None)
    signal.emit(1)
    assert late.seen == []
    signal.emit(2)
    assert late.seen == [2]


def test_observers_may_die_and_leave_while_they_are_being_told(signal: Signal[int]) -> None:
    kept, dying = Observer(), [Observer()]

    def leave(value: int) -> None:
        dying.clear()
        gc.collect()
        if value == 1:
            signal.emit(2)  # goes over the same dead observer
        signal.disconnect(leave)

    signal.connect(leave)
    signal.connect(dying[0].see)
    signal.connect(kept.see)
    signal.emit(1)
    assert kept.seen == [2, 1]
