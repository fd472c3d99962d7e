"""Saving one chat: after a short wait, one save at a time, repeated until it succeeds.

The queue knows when to save; what is written, and where, its session tells it when a save starts, so that a
save always holds the newest state (storage contract Q2).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.session.writing import Written
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError

WAIT = 1.0
"""Seconds between the first unsaved change and its save."""

RETRY_WAITS = (2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
"""Seconds before the next attempt after the first, second, … failure; the last one repeats."""

RETRIED = frozenset({"io", "not_found"})
"""Kinds of failures that may pass by themselves: a full disk, a locked file, a folder that comes back."""

Kind = Literal["saved", "unsaved", "saving", "failed", "changed_on_disk", "needs_header_consent", "gone"]


@dataclass(frozen=True, slots=True)
class SaveState:
    """How the memory and the file of a chat stand to each other.

    saved: nothing to save; unsaved: a save is due; saving: it runs; failed: it did not work, `error` says why, it is
    tried again unless that cannot help; changed_on_disk: another program wrote the file, and what cannot be merged
    with it waits for the person's answer (see `ChatSession.trouble`); needs_header_consent: see
    `ChatSession.allow_header`; gone: there is no file any more, whether or not there is something to save.
    `at` is when we last wrote the file (seconds since 1970), None if not yet.
    """

    kind: Kind
    error: StorageError | None = None
    at: float | None = None


@dataclass(frozen=True, slots=True)
class Save:
    """One save: `write` runs off the owner, `adopt` on the owner once the file is published.

    `refused` is called where `write` found a version of another program's that must not be replaced.
    """

    write: Callable[[], Written]
    adopt: Callable[[Written], None]
    refused: Callable[[ChangedOnDisk | StorageError], None]


class SaveQueue:
    """When the chat of one session is saved."""

    def __init__(self, runner: Runner, lane: str, is_dirty: Callable[[], bool], begin: Callable[[], Save]) -> None:
        self.changed: Signal[()] = Signal()
        self.lane = lane
        self.state = SaveState("saved")
        self._runner = runner
        self._is_dirty = is_dirty
        self._begin = begin
        self._timer: Handle | None = None
        self._written_at: float | None = None
        self._failures = 0
        self._saving = False
        self._at_once = False
        self._paused = False
        self._waits_as: Kind | None = None

    @property
    def is_busy(self) -> bool:
        """Say whether a save is running."""
        return self._saving

    def note_change(self) -> None:
        """Take notice that the chat changed: it may now differ from the file, or no longer."""
        if not self._saving and self.state.kind != "changed_on_disk":
            self._settle()

    def save_now(self) -> None:
        """Save at once if there is something to save; during a save or a pause, directly after it."""
        self._cancel_timer()
        if self._saving or self._paused:
            self._at_once = True
        elif self.state.kind != "changed_on_disk":
            if self._is_dirty() and self._waits_as is None:
                self._start()
            else:
                self.note_change()

    def wait_as(self, kind: Kind | None) -> None:
        """Write nothing until this is called with None: what would be saved waits, and `state` says as what."""
        if kind != self._waits_as:
            self._waits_as = kind
            if not self._saving:
                self._settle(is_new=True)

    def pause(self) -> None:
        """Start no save until `resume`; for reloading and for moving to another file."""
        self._cancel_timer()
        self._paused = True

    def resume(self) -> None:
        """Go on after `pause` with the state as it was."""
        self._paused = False
        self.note_change()

    def restart(self, lane: str, *, is_saved: bool = False) -> None:
        """Go on with another version on disk, just read or (`is_saved`) just written; what differs from it is due."""
        self.lane = lane
        self._failures = 0
        self._paused = False
        if is_saved:
            self._written_at = time.time()
        self._settle(is_new=True)

    def close(self) -> None:
        """Start nothing any more."""
        self.pause()

    def _settle(self, *, is_new: bool = False) -> None:
        """Say how memory and file stand to each other, and see to it that what is not saved will be.

        `is_new`: with another version on disk than before, for which an earlier failure means nothing.
        """
        if not self._is_dirty() and self._waits_as != "gone":
            self._cancel_timer()
            self._failures = 0
            self._at_once = False
            self._set("saved")
        elif self._waits_as is not None:
            self._cancel_timer()
            self._set(self._waits_as)
        elif self._at_once and not self._paused:
            self._start()
        elif self.state.kind != "failed" or is_new:
            self._plan(WAIT)
            self._set("unsaved")
        elif self._failures:
            self._plan(RETRY_WAITS[min(self._failures, len(RETRY_WAITS)) - 1])

    def _plan(self, wait: float) -> None:
        if self._timer is None and not self._paused:
            self._timer = self._runner.call_later(wait, self.save_now)

    def _start(self) -> None:
        save = self._begin()
        self._saving, self._at_once = True, False
        self._set("saving")
        self._runner.submit(save.write, lambda outcome: self._finished(save, outcome), lane=self.lane)

    def _finished(self, save: Save, outcome: Outcome[Written]) -> None:
        self._saving = False
        try:
            written = outcome.result()
        except ChangedOnDisk as change:
            self._fail("changed_on_disk")
            save.refused(change)
        except StorageError as error:
            if error.side != "existing" or error.kind == "io":
                self._fail("failed", error)
                return
            # A file that is damaged now: also something that only another program can have done.
            self._fail("changed_on_disk", error)
            save.refused(error)
        except BaseException:  # a fault of ours: the changes are still only in memory, and it is for all to see
            self._set("unsaved")
            raise
        else:
            save.adopt(written)
            self._failures = 0
            self._written_at = time.time()
            self._settle()

    def _fail(self, kind: Kind, error: StorageError | None = None) -> None:
        self._at_once = False
        self._cancel_timer()
        if kind == "failed" and error is not None and error.kind in RETRIED:
            self._failures += 1
            self._plan(RETRY_WAITS[min(self._failures, len(RETRY_WAITS)) - 1])
        else:
            self._failures = 0
        self._set(kind, error)

    def _set(self, kind: Kind, error: StorageError | None = None) -> None:
        state = SaveState(kind, error, self._written_at)
        if state != self.state:
            self.state = state
            self.changed.emit()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
