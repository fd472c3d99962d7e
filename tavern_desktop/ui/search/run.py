"""One search after another, off the window's thread: results come in small batches, late ones are dropped."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.search import search_chats
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.search import Hit, Query

MOST_OF_A_CHAT = 100
MOST = 2_000
"""Places after which a search ends by itself: who gets more has asked for too little."""
PAUSE = 0.05
"""Seconds between two batches; the first place is told at once."""


class SearchRun(QObject):
    """Searches all chats of a data root. Lives on the window's thread."""

    found = Signal(list)
    """Hits and FileFailures, in order."""
    advanced = Signal(object, object)
    """Bytes read, bytes in all."""
    ended = Signal(bool, str)
    """(whether MOST were found and there may be more, a sentence if the folder could not be read); not after a stop."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._token = 0
        self.is_running = False

    def start(self, root: DataRoot, query: Query) -> None:
        """Search; a search that is under way is given up."""
        self.stop()
        self.is_running = True
        token = self._token
        work = _Work(lambda: token != self._token, partial(self._tell, token))
        # Posted like the batches, so that the end comes after them whatever the runner.
        end = partial(self._finished, token)
        self._runner.submit(lambda: work.run(root, query), lambda outcome: self._runner.post(partial(end, outcome)))

    def stop(self) -> None:
        """Give up the search, and drop what it may still tell."""
        self._token += 1
        self.is_running = False

    def _tell(self, token: int, batch: list[Hit | FileFailure], done: int, total: int) -> None:
        """Runs on the searching thread."""
        self._runner.post(partial(self._take, token, batch, done, total))

    def _take(self, token: int, batch: list[Hit | FileFailure], done: int, total: int) -> None:
        if token == self._token:
            if batch:
                self.found.emit(batch)
            self.advanced.emit(done, total)

    def _finished(self, token: int, outcome: Outcome[bool]) -> None:
        if token != self._token:
            return
        self.is_running = False
        try:
            self.ended.emit(outcome.result(), "")
        except StorageError as error:
            self.ended.emit(False, sentence(error))


class _Work:
    """The part that runs on another thread: collects what is found and tells it now and then."""

    def __init__(
        self, cancelled: Callable[[], bool], tell: Callable[[list[Hit | FileFailure], int, int], object]
    ) -> None:
        self._cancelled = cancelled
        self._tell = tell
        self._batch: list[Hit | FileFailure] = []
        self._progress = (0, 0)
        self._told = 0.0

    def run(self, root: DataRoot, query: Query) -> bool:
        """Search and return whether it ended because MOST were found."""
        hits = 0
        stream = search_chats(root, query, most=MOST_OF_A_CHAT, cancelled=self._cancelled, progress=self._advance)
        for item in stream:
            self._batch.append(item)
            hits += isinstance(item, Hit)
            if hits >= MOST or self._cancelled():
                break
            self._tell_now_and_then()
        self._flush()
        return hits >= MOST

    def _advance(self, done: int, total: int) -> None:
        self._progress = (done, total)
        self._tell_now_and_then()

    def _tell_now_and_then(self) -> None:
        if time.monotonic() - self._told >= PAUSE:
            self._flush()

    def _flush(self) -> None:
        self._told = time.monotonic()
        batch, self._batch = self._batch, []
        self._tell(batch, *self._progress)
