"""Tells that something changed in the folders of a data root, whoever did it.

A hint and no more: what is to be done is found out by looking at the files. Where the system does not tell of changes
(its watches are used up, the folder is on a network) the folders are looked through from time to time instead, while
somebody can see the window.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.workers.folder_scan import Scan, differences, scan
from tavern_desktop.workers.remote_folders import is_remote

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver

# `observing`, and with it watchdog, is imported off the window's thread by the first to observe.

LANE = "watcher"
QUIET = 0.5
"""Seconds without another change after which changes are told of."""
LONGEST = 5.0
"""Seconds after which they are told of though more keep coming."""
MOST_EVENTS = 5000
"""Events at once from which any may have been lost: the system's own queue holds no more than some thousands."""
POLL = 5.0
"""Seconds between two looks through the folders, at least …"""
POLL_SHARE = 30
"""… and at least so many times as long as a look takes."""

Paths = frozenset[str] | None
"""Files and folders that changed; None: anything may have."""


class Watcher:
    """Watches one data root. Belongs to its runner's owner, on whom `changed` is called."""

    def __init__(
        self,
        runner: Runner,
        top: Path,
        folders: Sequence[Path],
        changed: Callable[[Paths], object],
        is_seen: Callable[[], bool],
    ) -> None:
        """`folders` lie in `top` and are watched as deep as they go. `is_seen`: whether anybody sees the window."""
        self.is_observing = False
        """The system tells of changes."""
        self._runner = runner
        self._top, self._folders = top, tuple(folders)
        self._tell = changed
        self._is_seen = is_seen
        self._heard = _Heard(lambda: runner.post(self._plan))
        self._observer: BaseObserver | None = None
        self._attempt: object | None = None
        self._timer: Handle | None = None
        self._poll: Handle | None = None
        self._seen: Scan | None = None
        self._is_looking = False
        self._pending = 0

    @property
    def is_at_rest(self) -> bool:
        """Say whether nothing is being started, stopped or looked through."""
        return self._pending == 0

    def start(self) -> None:
        """Begin to watch."""
        self._start(is_again=False)

    def stop(self) -> None:
        """Tell of nothing any more; `is_at_rest` once everything has ended."""
        self._attempt = None
        for timer in (self._timer, self._poll):
            if timer is not None:
                timer.cancel()
        self._timer = self._poll = self._seen = None
        self._end_observer()

    def wake(self) -> None:
        """Look now where the system does not tell: somebody came back to the window."""
        if self._seen is not None and self._poll is None and not self._is_looking:
            self._look_through()

    # -- the system tells -------------------------------------------------------------------------------

    def _start(self, *, is_again: bool) -> None:
        attempt = self._attempt = object()
        work = partial(_observe, self._top, self._folders, self._heard.hear)
        self._submit(work, partial(self._started, attempt, is_again))

    def _started(self, attempt: object, is_again: bool, outcome: Outcome[BaseObserver | None]) -> None:
        observer = None if isinstance(outcome.error, OSError) else outcome.result()
        if attempt is not self._attempt:
            self._end(observer)
            return
        if observer is not None:
            self._observer, self.is_observing = observer, True
        else:
            self._look_through()
        if is_again:
            self._tell(None)

    def _end_observer(self) -> None:
        observer, self._observer, self.is_observing = self._observer, None, False
        self._end(observer)

    def _end(self, observer: BaseObserver | None) -> None:
        if observer is not None:
            self._submit(partial(_end, observer), lambda outcome: outcome.result())

    def _plan(self) -> None:
        """Tell once it is quiet; called for the first thing heard."""
        if self._attempt is not None and self._timer is None:
            self._timer = self._runner.call_later(self._heard.wait(), self._tell_if_quiet)

    def _tell_if_quiet(self) -> None:
        self._timer = None
        if self._heard.wait() > 0:
            self._plan()
            return
        paths = self._heard.take()
        if paths is not None and not paths.isdisjoint(map(str, (self._top, *self._folders))):
            # A folder that is watched came, went or was exchanged, and with it the watch.
            self._end_observer()
            self._start(is_again=True)
        else:
            self._tell(paths)

    # -- looking through --------------------------------------------------------------------------------

    def _look_through(self) -> None:
        self._poll = None
        if self._seen is None or self._is_seen():
            self._is_looking = True
            began = time.monotonic()
            self._submit(partial(scan, self._folders), partial(self._looked_through, self._attempt, began))

    def _looked_through(self, attempt: object, began: float, outcome: Outcome[Scan]) -> None:
        self._is_looking = False
        found = outcome.result()
        if attempt is not self._attempt:
            return
        before, self._seen = self._seen, found
        wait = max(POLL, POLL_SHARE * (time.monotonic() - began))
        self._poll = self._runner.call_later(wait, self._look_through)
        paths = differences(before, found) if before is not None else None
        if paths:
            self._tell(paths)

    def _submit(self, work: Callable[[], object], done: Callable[[Outcome[object]], object]) -> None:
        self._pending += 1

        def finished(outcome: Outcome[object]) -> None:
            self._pending -= 1
            done(outcome)

        self._runner.submit(work, finished, lane=LANE)


class _Heard:
    """Paths heard of on any thread, until the owner takes them."""

    def __init__(self, first: Callable[[], object]) -> None:
        """`first` is called, on the thread that hears, for the first path since the last taking."""
        self._first = first
        self._lock = threading.Lock()
        self._paths: set[str] = set()
        self._events = 0
        self._began = self._last = 0.0

    def hear(self, path: str) -> None:
        now = time.monotonic()
        with self._lock:
            self._paths.add(path)
            self._events += 1
            self._last = now
            is_first = self._events == 1
            if is_first:
                self._began = now
        if is_first:
            self._first()

    def wait(self) -> float:
        """Return for how many seconds to wait for more."""
        with self._lock:
            now = time.monotonic()
            return max(0.0, min(self._last + QUIET, self._began + LONGEST) - now)

    def take(self) -> Paths:
        with self._lock:
            paths = None if self._events > MOST_EVENTS else frozenset(self._paths)
            self._paths.clear()
            self._events = 0
        return paths


def _observe(top: Path, folders: Sequence[Path], hear: Callable[[str], object]) -> BaseObserver | None:
    if is_remote(top):
        return None
    from tavern_desktop.workers.observing import observe

    return observe(top, folders, hear)


def _end(observer: BaseObserver) -> None:
    from tavern_desktop.workers.observing import end

    end(observer)
