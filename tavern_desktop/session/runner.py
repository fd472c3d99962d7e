"""Where work runs: the one contract between sessions and threads.

A session lives on one thread, its *owner*. It hands work away and gets an `Outcome` back on the owner, so
that nothing in `session` needs a lock. The window's runner is in `workers` (Qt), the command line's is
`PlainRunner`.
"""

from __future__ import annotations

import heapq
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What became of some work: a value, or the error that stopped it."""

    value: T | None = None
    error: BaseException | None = None

    def result(self) -> T:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return cast(T, self.value)


def outcome_of(work: Callable[[], T]) -> Outcome[T]:
    """Do `work` and return its outcome, whatever it raises."""
    try:
        return Outcome(value=work())
    except BaseException as error:  # a thread boundary: the owner decides, by asking for the result
        return Outcome(error=error)


class Handle(Protocol):
    """Something that will happen later and can be called off."""

    def cancel(self) -> None:
        """Call it off; too late or twice does nothing."""


class Runner(Protocol):
    """Runs work off the owner and calls back on it. Everything but `post` is called by the owner only."""

    def submit(self, work: Callable[[], T], done: Callable[[Outcome[T]], None], *, lane: str | None = None) -> None:
        """Do `work` off the owner, then call `done` on the owner.

        Work in one lane is done one after another, in the order submitted; without a lane at once.
        """

    def post(self, call: Callable[[], object]) -> None:
        """Call `call` on the owner soon, in the order posted. From any thread."""

    def call_later(self, seconds: float, call: Callable[[], object]) -> Handle:
        """Call `call` on the owner after some time."""

    def run_until(self, finished: Callable[[], bool], timeout: float) -> bool:
        """Let only work and posted calls go on, no input and no timers, until `finished` or out of time.

        For the end of a program. Returns whether it finished.
        """


class _Timer:
    """A call that waits in a heap."""

    def __init__(self, due: float, call: Callable[[], object]) -> None:
        self.due = due
        self.call: Callable[[], object] | None = call

    def cancel(self) -> None:
        self.call = None


class PlainRunner:
    """A runner without threads: work waits in a queue until the owner runs it. For the command line."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: deque[Callable[[], object]] = deque()
        self._arrived = threading.Condition()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._order = itertools.count()

    def submit(self, work: Callable[[], T], done: Callable[[Outcome[T]], None], *, lane: str | None = None) -> None:
        """Queue `work`; one queue keeps the order of every lane."""
        self.post(lambda: done(outcome_of(work)))

    def post(self, call: Callable[[], object]) -> None:
        """Queue `call`, and wake a waiting owner."""
        with self._arrived:
            self._calls.append(call)
            self._arrived.notify()

    def call_later(self, seconds: float, call: Callable[[], object]) -> Handle:
        """Queue `call` for `run_timers`."""
        timer = _Timer(self._clock() + seconds, call)
        heapq.heappush(self._timers, (timer.due, next(self._order), timer))
        return timer

    def run_until_idle(self) -> None:
        """Run everything queued, and what that queues; timers stay where they are."""
        while self._calls:
            self._calls.popleft()()

    def run_timers(self) -> None:
        """Run every timer that is due, and then what it queued."""
        while self._timers and self._timers[0][0] <= self._clock():
            call = heapq.heappop(self._timers)[2].call
            if call is not None:
                call()
        self.run_until_idle()

    def run_until(self, finished: Callable[[], bool], timeout: float) -> bool:
        """Run what is queued, waiting for calls posted from other threads."""
        deadline = self._clock() + timeout
        while True:
            self.run_until_idle()
            if finished():
                return True
            with self._arrived:
                left = deadline - self._clock()
                if left <= 0:
                    return False
                if not self._calls:
                    self._arrived.wait(left)
