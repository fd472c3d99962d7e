"""When a chat that is saved again and again is backed up: at once, then at most once a window (contract B3)."""

from __future__ import annotations


class Throttle:
    """For one chat file. Times are seconds of whatever clock the caller has; nothing here waits."""

    def __init__(self, window: float) -> None:
        self.window = window
        """Seconds; a change of it holds from the next copy on."""
        self._ends: float | None = None
        self._pending = False

    @property
    def due(self) -> float | None:
        """When `end` is to be called for a copy that waits; None if none does."""
        return self._ends if self._pending else None

    def publish(self, now: float) -> bool:
        """Take notice of a publish; return whether to copy at once."""
        if self._ends is not None and now < self._ends:
            self._pending = True
            return False
        self._open(now)
        return True

    def end(self, now: float) -> bool:
        """Take notice that the time `due` has come; return whether a copy is due."""
        if not self._pending:
            return False
        self._open(now)
        return True

    def _open(self, now: float) -> None:
        self._ends = now + self.window
        self._pending = False
