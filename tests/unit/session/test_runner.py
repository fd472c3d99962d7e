"""The runner of the command line: everything in one thread, in order."""

from __future__ import annotations

import threading

import pytest

from tavern_desktop.session.runner import Outcome, PlainRunner, outcome_of
from tests.unit.session.chats import ByHand


def test_an_outcome_is_a_value_or_an_error() -> None:
    assert outcome_of(lambda: 5).result() == 5
    outcome = outcome_of(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        outcome.result()


def test_work_and_posted_calls_run_in_order() -> None:
    runner, order = PlainRunner(), list[object]()

    def done(outcome: Outcome[str]) -> None:
        order.append(outcome.result())
        runner.post(lambda: order.append("after"))

    runner.submit(lambda: "work", done, lane="a")
    runner.post(lambda: order.append("posted"))
    assert order == []
    runner.run_until_idle()
    assert order == ["work", "posted", "after"]


def test_timers_run_when_due_and_not_when_called_off() -> None:
    runner, order = ByHand(), list[int]()
    runner.call_later(2, lambda: order.append(2))
    runner.call_later(1, lambda: order.append(1))
    runner.call_later(1.5, lambda: order.append(0)).cancel()
    runner.advance(0.9)
    assert order == []
    runner.advance(5)
    assert order == [1, 2]


def test_running_until_waits_for_other_threads() -> None:
    runner, heard = PlainRunner(), list[int]()
    thread = threading.Thread(target=lambda: runner.post(lambda: heard.append(1)))
    runner.post(thread.start)
    assert runner.run_until(lambda: bool(heard), 10)
    thread.join()


def test_running_until_gives_up() -> None:
    runner = ByHand()
    runner.now = 1.0
    runner.call_later(0, lambda: None)
    assert not runner.run_until(lambda: False, 0)
