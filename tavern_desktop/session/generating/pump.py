"""Carries what a stream brings from its thread to the owner, at most once a frame however fast it comes (P11)."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from tavern_desktop.session.runner import Runner

T = TypeVar("T")

FRAME = 1 / 60
"""Seconds between two deliveries to a window."""


class Pump(Generic[T]):
    """Takes items on any thread and hands them over on the owner, in order, as many as have come."""

    def __init__(self, runner: Runner, take: Callable[[list[T]], object], frame: float = FRAME) -> None:
        """`frame`: seconds between two deliveries; 0 delivers at once, as a command line wants it."""
        self._runner = runner
        self._take = take
        self._frame = frame
        self._items: deque[T] = deque()
        self._guard = threading.Lock()
        self._is_due = False

    def put(self, item: T) -> None:
        """Add an item. From any thread."""
        with self._guard:
            self._items.append(item)
            if self._is_due:
                return
            self._is_due = True
        self._runner.post(self._deliver)

    def flush(self) -> None:
        """Hand over what is there now: the stream ended. On the owner."""
        items = self._all()
        if items:
            self._take(items)

    def _deliver(self) -> None:
        if self._frame:
            self._runner.call_later(self._frame, self._rest)
            self.flush()
        else:
            with self._guard:
                self._is_due = False
            self.flush()

    def _rest(self) -> None:
        """After a frame: hand over what came meanwhile and wait another one, or begin anew with the next item."""
        with self._guard:
            if not self._items:
                self._is_due = False
                return
        self._deliver()

    def _all(self) -> list[T]:
        with self._guard:
            items = list(self._items)
            self._items.clear()
        return items
