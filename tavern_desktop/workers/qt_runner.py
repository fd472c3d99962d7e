"""The window's runner: work on threads, answers on the thread of the window.

The only place where threads and Qt meet. Calls wait in a queue of our own, and one queued signal wakes the
window for however many there are; so the end of the program can let saving finish without an event loop.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from tavern_desktop.session.runner import Handle, Outcome, outcome_of

T = TypeVar("T")

THREADS = 4


class _Timer:
    """A call on a QTimer that lives, whoever holds the handle, until it fires or is called off."""

    def __init__(self, seconds: float, call: Callable[[], object], alive: set[_Timer], parent: QObject) -> None:
        self._call = call
        self._alive = alive
        self._timer = QTimer(parent)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._fire)
        self._timer.start(round(seconds * 1000))
        alive.add(self)

    def cancel(self) -> None:
        if self in self._alive:
            self._alive.remove(self)
            self._timer.stop()
            self._timer.deleteLater()

    def _fire(self) -> None:
        self.cancel()
        self._call()


class QtRunner(QObject):
    """A Runner (see `session.runner`) whose owner is the thread this object lives on."""

    _woken = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._calls: deque[Callable[[], object]] = deque()
        self._arrived = threading.Condition()
        self._wake_sent = False
        self._closed = False
        self._lanes: dict[str, deque[Callable[[], None]]] = {}
        self._timers: set[_Timer] = set()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="worker")
        self._woken.connect(self._run_calls, Qt.ConnectionType.QueuedConnection)
        self.destroyed.connect(self._threads_end(self._threads))

    def submit(self, work: Callable[[], T], done: Callable[[Outcome[T]], None], *, lane: str | None = None) -> None:
        """Do `work` on a thread, then call `done` here; in one lane one after another."""

        def task() -> None:
            outcome = outcome_of(work)
            self.post(lambda: done(outcome))

        if self._closed:
            return
        if lane is None:
            self._threads.submit(task)
            return
        with self._arrived:
            waiting = self._lanes.get(lane)
            if waiting is not None:
                waiting.append(task)
                return
            self._lanes[lane] = deque([task])
        self._threads.submit(self._run_lane, lane)

    def post(self, call: Callable[[], object]) -> None:
        """Call `call` here soon, from any thread."""
        with self._arrived:
            if self._closed:
                return
            self._calls.append(call)
            self._arrived.notify()
            wake, self._wake_sent = not self._wake_sent, True
        if wake:
            self._woken.emit()

    def call_later(self, seconds: float, call: Callable[[], object]) -> Handle:
        """Call `call` here after some time."""
        return _Timer(seconds, call, self._timers, self)

    def run_until(self, finished: Callable[[], bool], timeout: float) -> bool:
        """Run posted calls only, without an event loop, until `finished` or out of time."""
        deadline = time.monotonic() + timeout
        while True:
            self._run_calls()
            if finished():
                return True
            with self._arrived:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                if not self._calls:
                    self._arrived.wait(left)

    def close(self) -> None:
        """Take no more work, wait for what runs, and forget its answers and what was to happen later."""
        with self._arrived:
            self._closed = True
            self._calls.clear()
        for timer in tuple(self._timers):
            timer.cancel()
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _run_calls(self) -> None:
        """Run what was posted up to now. What comes meanwhile has a wake of its own, and so has what is left over
        should a call raise, or open a dialog with an event loop of its own."""
        with self._arrived:
            count = len(self._calls)
            wake = self._wake_sent = count > 1
        if wake:
            self._woken.emit()
        for _ in range(count):
            with self._arrived:
                if not self._calls:
                    return
                call = self._calls.popleft()
            call()

    def _run_lane(self, lane: str) -> None:
        while True:
            with self._arrived:
                waiting = self._lanes[lane]
                if not waiting:
                    del self._lanes[lane]
                    return
                task = waiting.popleft()
            task()

    @staticmethod
    def _threads_end(threads: ThreadPoolExecutor) -> Callable[[], None]:
        return lambda: threads.shutdown(wait=False, cancel_futures=True)
