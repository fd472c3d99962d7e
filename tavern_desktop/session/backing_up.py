"""When the chats that are open are backed up: after a save is reported, on its lane, and not too often (D27).

A backup that fails is a warning, never a failed save. Only chats inside a data root have backups (D26).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot, root_of
from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.storage.backups import BackupFolder
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.throttle import Throttle

WINDOW = 10.0
"""Seconds in which a chat is backed up at most once."""
LARGE, LARGE_WINDOW = 50_000_000, 600.0
"""Bytes from which a chat is backed up at most once in so many seconds."""

FOLDER = "backups"

Warn = Callable[[str], object]


def backups_of(chat: Path) -> BackupFolder | None:
    """Return the folder with the backups of a chat, None for a chat outside every data root."""
    root = root_of(chat)
    return None if root is None else backups_in(root)


def backups_in(root: DataRoot) -> BackupFolder:
    """Return the folder with the backups of a data root."""
    return BackupFolder(root.user_folder / FOLDER)


def back_up_first(chat: Path, own_folder: Path | None = None) -> Path | None:
    """Copy a chat out of turn, before something replaces or removes it (B7); return the copy. Runs off the owner.

    A chat outside every data root is copied into ours, `own_folder` (D26); None where there is none. Raises
    StorageError; whoever asks decides whether to go on without.
    """
    folder = backups_of(chat)
    if folder is None and own_folder is not None:
        make_folder(own_folder)
        folder = BackupFolder(own_folder / FOLDER)
    return None if folder is None else folder.ensure(chat)


@dataclass(slots=True)
class _Watched:
    path: Path
    folder: BackupFolder
    warn: Warn
    throttle: Throttle = field(default_factory=lambda: Throttle(WINDOW))
    timer: Handle | None = None


class Backups:
    """Backs up the chats of one program. Belongs to its runner's owner."""

    def __init__(self, runner: Runner, *, least_age: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        """`least_age`: how old the newest backup must be in seconds, for a program that lives for one change only."""
        self._runner = runner
        self._least_age = least_age
        self._clock = clock
        self._watched: dict[Path, _Watched] = {}
        self._running = 0

    @property
    def is_busy(self) -> bool:
        """Say whether a copy is being made."""
        return self._running > 0

    def published(self, path: Path, size: int, warn: Warn) -> None:
        """Take notice that a chat of `size` bytes was saved; `warn` is told a sentence if its backup fails."""
        watched = self._watch(path, warn)
        if watched is None:
            return
        watched.throttle.window = LARGE_WINDOW if size > LARGE else WINDOW
        now = self._clock()
        if watched.throttle.publish(now):
            self._copy(watched)
        elif watched.timer is None and watched.throttle.due is not None:
            watched.timer = self._runner.call_later(watched.throttle.due - now, lambda: self._end(watched))

    def flush(self) -> None:
        """Make the copies that wait for the end of their window now: the program ends."""
        for watched in self._watched.values():
            if watched.throttle.due is not None:
                self._end(watched)

    def moved(self, former: Path, path: Path) -> None:
        """Take notice that a chat has another name now."""
        watched = self._watched.pop(former, None)
        if watched is not None:
            watched.path = path
            self._watched[path] = watched

    def forget(self, path: Path) -> None:
        """Take notice that a chat is gone; a copy that waits is called off."""
        watched = self._watched.pop(path, None)
        if watched is not None and watched.timer is not None:
            watched.timer.cancel()

    def _watch(self, path: Path, warn: Warn) -> _Watched | None:
        watched = self._watched.get(path)
        if watched is None:
            folder = backups_of(path)
            if folder is None:
                return None
            watched = self._watched[path] = _Watched(path, folder, warn)
        watched.warn = warn
        return watched

    def _end(self, watched: _Watched) -> None:
        if watched.timer is not None:
            watched.timer.cancel()
            watched.timer = None
        if watched.throttle.end(self._clock()):
            self._copy(watched)

    def _copy(self, watched: _Watched) -> None:
        path, folder = watched.path, watched.folder
        self._running += 1

        def copy() -> None:
            folder.add(path, least_age=self._least_age)

        def copied(outcome: Outcome[None]) -> None:
            self._running -= 1
            try:
                outcome.result()
            except StorageError as error:
                if error.kind != "not_found":  # gone meanwhile: nothing to copy
                    watched.warn(f"Saved, but no backup could be made. {_reason(error)}")

        self._runner.submit(copy, copied, lane=str(path))


def _reason(error: StorageError) -> str:
    if error.kind == "io" and error.detail == "space":
        return "The disk is full."
    return f"The system says: {error.message}." if error.kind == "io" and error.message else sentence(error)
