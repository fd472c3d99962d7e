"""A runner whose work, answers and timers happen one at a time, when and in the order the test wants."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from tavern_desktop.session.runner import Handle, Outcome, outcome_of

T = TypeVar("T")


@dataclass(eq=False)
class Task:
    """A piece of work that waits; doing it queues its answer."""

    lane: str | None
    do: Callable[[], Callable[[], object]]


@dataclass(eq=False)
class Timer:
    due: float
    call: Callable[[], object]
    is_off: bool = False

    def cancel(self) -> None:
        self.is_off = True


class Stepped:
    """A Runner as threads would be, without threads: between work and its answer anything may happen."""

    def __init__(self) -> None:
        self.now = 0.0
        self.tasks: list[Task] = []
        self.calls: deque[Callable[[], object]] = deque()
        self.timers: list[Timer] = []

    def submit(self, work: Callable[[], T], done: Callable[[Outcome[T]], None], *, lane: str | None = None) -> None:
        def do() -> Callable[[], object]:
            outcome = outcome_of(work)
            return lambda: done(outcome)

        self.tasks.append(Task(lane, do))

    def post(self, call: Callable[[], object]) -> None:
        self.calls.append(call)

    def call_later(self, seconds: float, call: Callable[[], object]) -> Handle:
        timer = Timer(self.now + seconds, call)
        self.timers.append(timer)
        return timer

    def run_until(self, finished: Callable[[], bool], timeout: float) -> bool:
        """Go on until `finished` or nothing is left to do; out of time at once with `timeout` 0."""
        while not finished():
            if timeout <= 0 or not (self.answer() or self.work()):
                return False
        return True

    def work(self, which: int = 0) -> bool:
        """Do a piece of work: of those that are first in their lane the one with this number."""
        ready = self._ready()
        if not ready:
            return False
        task = ready[which % len(ready)]
        self.tasks.remove(task)
        self.calls.append(task.do())
        return True

    def answer(self) -> bool:
        """Call what was posted first."""
        if self.calls:
            self.calls.popleft()()
            return True
        return False

    def advance(self, seconds: float) -> None:
        """Let time pass, and only the timers that are due happen."""
        self.now += seconds
        due = sorted((timer for timer in self.timers if timer.due <= self.now), key=lambda timer: timer.due)
        self.timers = [timer for timer in self.timers if timer.due > self.now]
        for timer in due:
            if not timer.is_off:
                timer.call()

    def settle(self) -> None:
        """Do all work and call all answers, but no timers."""
        while self.answer() or self.work():
            pass

    def _ready(self) -> list[Task]:
        lanes: set[str] = set()
        ready = []
        for task in self.tasks:
            if task.lane is None or task.lane not in lanes:
                ready.append(task)
            if task.lane is not None:
                lanes.add(task.lane)
        return ready
