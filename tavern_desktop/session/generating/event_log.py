"""The events of one generation task, kept for the views that come and go (conversation entry §4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.generating.events import TERMINAL, Event, EventType, Openness, Partial

MOST_EVENTS = 10_000
"""Events that a log keeps; of what is older it keeps the sum."""


class EventLog:
    """Dense, numbered events of one task. Belongs to the owner, so reading and following it are one step."""

    def __init__(self, task_id: str, most_events: int = MOST_EVENTS) -> None:
        self.task_id = task_id
        self.added: Signal[Sequence[Event]] = Signal()
        """Events that were just appended, in order."""
        self.openness = Openness()
        self._most = most_events
        self._events: deque[Event] = deque()
        self._trimmed = Partial()
        self._is_ended = False

    @property
    def event_count(self) -> int:
        """The index one past the last event."""
        return self.first_event + len(self._events)

    @property
    def first_event(self) -> int:
        """The oldest index still held; 0 unless the log was trimmed."""
        return self._trimmed.upto

    @property
    def is_ended(self) -> bool:
        """Say whether the last event is there; nothing follows it."""
        return self._is_ended

    @property
    def partial(self) -> Partial | None:
        """The reply at the oldest event still held; None unless the log was trimmed."""
        return self._trimmed.copy() if self._trimmed.upto else None

    def so_far(self) -> Partial:
        """Return the reply as far as it has come."""
        partial = self._trimmed.copy()
        partial.add(self._events)
        return partial

    def append(self, items: Iterable[tuple[EventType, str, dict[str, Any] | None]]) -> None:
        """Append events (type, text, data) and tell those who follow. Nothing comes after the last event of a task."""
        added = []
        for kind, text, data in items:
            if self._is_ended:
                break
            event = Event(self.task_id, self.event_count, kind, text, data)
            self._events.append(event)
            self.openness.note(event)
            self._is_ended = kind in TERMINAL
            added.append(event)
        self._trim()
        if added:
            self.added.emit(added)

    def since(self, idx: int) -> list[Event] | None:
        """Return the events from `idx` on, None if they are no longer all held: then start from `partial`."""
        if idx < self.first_event:
            return None
        return list(islice(self._events, idx - self.first_event, None))

    def _trim(self) -> None:
        excess = len(self._events) - self._most
        if excess > 0:
            self._trimmed.add([self._events.popleft() for _ in range(excess)])


@dataclass(frozen=True, slots=True)
class Replay:
    """How far a view has followed a task."""

    task_id: str
    next_idx: int = 0

    def apply(self, events: Iterable[Event]) -> tuple[list[Event], Replay, bool]:
        """Return which of these events are new, in order, where that leaves the view, and whether there was a gap.

        Known events and those of other tasks are ignored. After a gap nothing is applied: the view asks again from
        its `next_idx`. Applying anything twice is the same as once.
        """
        applied: list[Event] = []
        expected = self.next_idx
        for event in events:
            if event.task_id != self.task_id or event.idx < expected:
                continue
            if event.idx > expected:
                return applied, replace(self, next_idx=expected), True
            applied.append(event)
            expected += 1
        return applied, replace(self, next_idx=expected), False
