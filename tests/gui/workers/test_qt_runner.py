"""The window's runner: work on threads, answers on the window's thread, in order, and nothing after the end."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEventLoop, QObject
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from tavern_desktop.session.runner import Outcome
from tavern_desktop.workers.qt_runner import THREADS, QtRunner


@pytest.fixture
def runner(qtbot: QtBot) -> Iterator[QtRunner]:
    made = QtRunner()
    yield made
    made.close()


class Gate:
    """Work that stands still until the test opens it."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()

    def __call__(self) -> str:
        self.entered.set()
        assert self.open.wait(30)
        return "through"


def test_work_is_done_on_a_thread_and_answered_on_the_owner(qtbot: QtBot, runner: QtRunner) -> None:
    threads: list[threading.Thread] = []

    def done(outcome: Outcome[int]) -> None:
        threads.append(threading.current_thread())
        assert outcome.result() == 5

    def work() -> int:
        threads.append(threading.current_thread())
        return 5

    runner.submit(work, done)
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads[1] is threading.main_thread()
    assert threads[0] is not threading.main_thread()


def test_an_error_is_the_outcome(qtbot: QtBot, runner: QtRunner) -> None:
    outcomes: list[Outcome[float]] = []
    runner.submit(lambda: 1 / 0, outcomes.append)
    qtbot.waitUntil(lambda: bool(outcomes))
    with pytest.raises(ZeroDivisionError):
        outcomes[0].result()


def test_one_lane_is_in_order_and_one_at_a_time_while_others_go_on(qtbot: QtBot, runner: QtRunner) -> None:
    gate = Gate()
    order: list[str] = []

    def noting(name: str) -> Callable[[], None]:
        return lambda: order.append(name)

    def done(_outcome: Outcome[object]) -> None:
        pass

    runner.submit(gate, done, lane="a")
    for number in range(20):
        runner.submit(noting(f"a{number}"), done, lane="a")
    finished: list[object] = []
    runner.submit(noting("b"), finished.append, lane="b")
    runner.submit(noting("free"), finished.append)
    qtbot.waitUntil(lambda: len(finished) == 2)
    assert sorted(order) == ["b", "free"]
    runner.submit(noting("last"), finished.append, lane="a")
    gate.open.set()
    qtbot.waitUntil(lambda: len(finished) == 3)
    assert order[2:] == [*(f"a{number}" for number in range(20)), "last"]


def test_a_lane_that_ran_empty_starts_again(qtbot: QtBot, runner: QtRunner) -> None:
    for _ in range(50):
        finished: list[object] = []
        runner.submit(lambda: None, finished.append, lane="a")
        qtbot.waitUntil(lambda heard=finished: bool(heard))  # type: ignore[misc]


def test_work_that_fails_does_not_stop_its_lane(qtbot: QtBot, runner: QtRunner) -> None:
    outcomes: list[Outcome[float]] = []
    runner.submit(lambda: 1 / 0, outcomes.append, lane="a")
    runner.submit(lambda: 2.0, outcomes.append, lane="a")
    qtbot.waitUntil(lambda: len(outcomes) == 2)
    assert outcomes[1].result() == 2.0


def test_calls_posted_by_many_threads_all_arrive_each_threads_in_its_order(qtbot: QtBot, runner: QtRunner) -> None:
    heard: list[tuple[int, int]] = []

    def post_many(thread: int) -> None:
        for number in range(200):
            runner.post(lambda number=number: heard.append((thread, number)))  # type: ignore[misc]

    threads = [threading.Thread(target=post_many, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    qtbot.waitUntil(lambda: len(heard) == 800)
    for thread in threads:
        thread.join()
    for number in range(4):
        assert [order for source, order in heard if source == number] == list(range(200))


def test_a_call_that_raises_does_not_hold_up_the_others(qtbot: QtBot, runner: QtRunner) -> None:
    heard: list[int] = []
    with capture_exceptions() as raised:
        runner.post(lambda: heard.append(1))
        runner.post(lambda: 1 / 0)
        runner.post(lambda: heard.append(2))
        qtbot.waitUntil(lambda: heard == [1, 2])
    assert [kind for kind, _, _ in raised] == [ZeroDivisionError]


def test_a_dialog_with_its_own_event_loop_does_not_hold_up_the_others(qtbot: QtBot, runner: QtRunner) -> None:
    dialog, order = QEventLoop(), list[str]()

    def show() -> None:
        order.append("shown")
        dialog.exec()
        order.append("closed")

    runner.post(show)
    runner.post(lambda: order.append("meanwhile"))
    runner.post(dialog.quit)
    qtbot.waitUntil(lambda: "closed" in order)
    assert order == ["shown", "meanwhile", "closed"]


def test_a_call_can_wait_though_nobody_keeps_its_handle(qtbot: QtBot, runner: QtRunner) -> None:
    heard: list[str] = []
    runner.call_later(0.01, lambda: heard.append("later"))
    gc.collect()
    qtbot.waitUntil(lambda: heard == ["later"])


def test_a_call_that_was_called_off_does_not_come(qtbot: QtBot, runner: QtRunner) -> None:
    heard: list[str] = []
    off = runner.call_later(0, lambda: heard.append("off"))
    off.cancel()
    off.cancel()
    after = runner.call_later(0.01, lambda: heard.append("after"))
    qtbot.waitUntil(lambda: bool(heard))
    after.cancel()
    assert heard == ["after"]


def test_running_until_needs_no_event_loop_and_runs_no_timers(runner: QtRunner) -> None:
    gate, outcomes, timers = Gate(), list[Outcome[str]](), list[int]()
    runner.call_later(0, lambda: timers.append(1))
    runner.submit(gate, outcomes.append)
    runner.submit(gate.open.set, lambda _outcome: None)
    assert runner.run_until(lambda: bool(outcomes), 30)
    assert (outcomes[0].result(), timers) == ("through", [])


def test_running_until_gives_up_when_time_is_over(qtbot: QtBot, runner: QtRunner) -> None:
    gate, outcomes = Gate(), list[Outcome[str]]()
    runner.submit(gate, outcomes.append)
    assert not runner.run_until(lambda: bool(outcomes), 0.02)
    gate.open.set()
    qtbot.waitUntil(lambda: bool(outcomes))  # the answer comes all the same


def test_closing_waits_for_what_runs_and_forgets_its_answer(qtbot: QtBot) -> None:
    runner, gate, heard = QtRunner(), Gate(), list[object]()
    runner.submit(gate, heard.append)
    runner.call_later(0, lambda: heard.append("timer"))
    assert gate.entered.wait(30)
    opener = threading.Thread(target=gate.open.set)
    opener.start()
    runner.close()
    opener.join()
    runner.submit(lambda: None, heard.append)
    runner.submit(lambda: None, heard.append, lane="a")
    runner.post(lambda: heard.append("posted"))
    runner.close()
    other, later = QtRunner(), list[object]()
    other.call_later(0.01, lambda: later.append(1))
    qtbot.waitUntil(lambda: bool(later))
    other.close()
    assert heard == []


def test_more_work_than_threads_is_all_done(qtbot: QtBot, runner: QtRunner) -> None:
    gates, finished = [Gate() for _ in range(THREADS)], list[object]()
    for gate in gates:
        runner.submit(gate, finished.append)
    runner.submit(lambda: None, finished.append)
    for gate in gates:
        assert gate.entered.wait(30)
    assert finished == []
    for gate in gates:
        gate.open.set()
    qtbot.waitUntil(lambda: len(finished) == THREADS + 1)


def test_it_goes_with_its_parent(qtbot: QtBot) -> None:
    parent = QObject()
    runner = QtRunner(parent)
    finished: list[object] = []
    runner.submit(lambda: None, finished.append)
    qtbot.waitUntil(lambda: bool(finished))
    runner.close()
    with qtbot.waitSignal(runner.destroyed):
        parent.deleteLater()
