"""Reading a chat file for its session: how far it is, what can be seen meanwhile, what is left of a damaged one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.loading import ChatKind, Loaded, Setup, load_chat, one_then_other, read_again
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.pages import Page, tail_preview
from tavern_desktop.storage.recovery import RecoveryView, recovery

T = TypeVar("T")

PAINTING = 0.05
"""Seconds in which a preview is painted."""

PREVIEWED = 1 << 20
"""Bytes up to which a whole chat is read as quickly as its end."""


class Reading:
    """Reads one file off the owner, as often as it is asked to; only the newest attempt counts."""

    def __init__(self, kind: ChatKind, setup: Setup) -> None:
        self.progress_changed: Signal[int, int] = Signal()
        self.preview_ready: Signal[()] = Signal()
        self.rest_ready: Signal[()] = Signal()
        self.progress = (0, 0)
        self.preview: Page | None = None
        self.rest: RecoveryView | None = None
        self._kind: ChatKind = kind
        self._setup = setup
        self._runner = setup.runner
        self._newest: _Attempt | None = None

    def start(self, path: Path, lane: str, done: Callable[[Outcome[Loaded]], None]) -> None:
        """Read a chat that is not there yet, its newest messages first if it is large."""
        attempt = self._begin()
        read = partial(self._submit, attempt, self._work(attempt, path), lane, done)
        limit = self._setup.preview_limit
        if limit and _is_large(path):
            preview = partial(tail_preview, path, limit, kind=self._kind)
            self._runner.submit(preview, partial(self._previewed, attempt, read))
        else:
            read()

    def again(
        self,
        path: Path,
        lane: str,
        keep: Callable[[], Path | None],
        known: Sequence[Message],
        done: Callable[[Outcome[tuple[Path | None, Loaded]]], None],
    ) -> None:
        """Read a chat that is there, and `known`, after `keep` has put aside what would get lost."""
        attempt = self._begin()
        read = partial(read_again, self._work(attempt, path), known)
        self._submit(attempt, partial(one_then_other, keep, read), lane, done)

    def recover(self, path: Path) -> None:
        """Read what can be read of a damaged file."""
        attempt = self._begin()
        work = partial(recovery, path, kind=self._kind, cancelled=attempt.cancelled.is_set)
        self._runner.submit(work, partial(self._recovered, attempt))

    def work(self, path: Path) -> Callable[[], Loaded]:
        """Return what reads the file and cannot be stopped, for somebody who does more with it."""
        return self._work(_Attempt(), path)

    def cancel(self) -> None:
        """Stop what is being read; the outcome is the error "cancelled"."""
        if self._newest is not None:
            self._newest.cancelled.set()

    def forget(self) -> None:
        """Stop what is being read and let its outcome count for nothing."""
        self.cancel()
        self._newest = None

    def _begin(self) -> _Attempt:
        self.cancel()
        self.progress, self.preview, self.rest = (0, 0), None, None
        self._newest = _Attempt()
        return self._newest

    def _work(self, attempt: _Attempt, path: Path) -> Callable[[], Loaded]:
        def report(done: int, total: int) -> None:
            """Tell the owner of each full percent only."""
            percent = done * 100 // max(total, 1)
            if percent != attempt.percent:
                attempt.percent = percent
                self._runner.post(lambda: self._progressed(attempt, done, total))

        setup, cancelled = self._setup, attempt.cancelled.is_set
        return partial(load_chat, path, self._kind, setup.header_for_headerless, cancelled, report, setup.messages_of)

    def _submit(self, attempt: _Attempt, work: Callable[[], T], lane: str, done: Callable[[Outcome[T]], None]) -> None:
        def read(outcome: Outcome[T]) -> None:
            if attempt is self._newest:
                self._newest = None
                self.preview = None
                done(outcome)

        if attempt is self._newest:
            self._runner.submit(work, read, lane=lane)

    def _progressed(self, attempt: _Attempt, done: int, total: int) -> None:
        if attempt is self._newest:
            self.progress = (done, total)
            self.progress_changed.emit(done, total)

    def _previewed(self, attempt: _Attempt, read: Callable[[], None], outcome: Outcome[Page]) -> None:
        if attempt is not self._newest:
            return
        # The window paints the preview before a thread competes with it for the interpreter.
        self._runner.call_later(PAINTING, read)
        # A preview that fails says nothing: reading the chat will say it better.
        if not isinstance(outcome.error, StorageError):
            self.preview = outcome.result()
            self.preview_ready.emit()

    def _recovered(self, attempt: _Attempt, outcome: Outcome[RecoveryView]) -> None:
        if attempt is self._newest and not isinstance(outcome.error, StorageError):
            self.rest = outcome.result()
            self.rest_ready.emit()


class _Attempt:
    """One attempt to read the file: the token that a late answer is known by."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.percent = 0


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size > PREVIEWED
    except OSError:  # reading it will say what is wrong
        return False
