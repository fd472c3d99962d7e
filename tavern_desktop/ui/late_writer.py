"""What is typed into files other than chats is written a moment later, and kept for as long as that does not work."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from tavern_desktop.library.card_file import CardError
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.services import Services

PAUSE = 700
"""Milliseconds after the last key until what was typed is written."""

State = Literal["", "changed", "saved", "failed"]
Changes = dict[str, Any]
Write = Callable[[Any, Changes], object]
"""Writes changed fields of what has a key, off the window's thread. Raises CardError, OSError, StorageError."""


class LateWriter(QObject):
    """Changes by the keys of what they belong to. Owner: whoever shows it."""

    state_changed = Signal()
    written = Signal(object)
    """The key of what was written."""
    gave_up = Signal(object)
    """The key of what is no longer there, so that its changes cannot be kept."""

    def __init__(self, services: Services, lane: str, write: Write, parent: QObject) -> None:
        super().__init__(parent)
        self.state: State = ""
        self.failure = ""
        self._runner = services.runner
        self._lane = lane
        self._write = write
        self._pending: dict[Hashable, Changes] = {}
        self._under_way: dict[Hashable, Changes] = {}
        self.timer = QTimer(self)
        self.timer.setSingleShot(True)
        self.timer.setInterval(PAUSE)
        self.timer.timeout.connect(self.flush)
        services.ending.connect(self.flush)
        services.root_leaving.connect(self.flush)

    def edit(self, key: Hashable, changes: Mapping[str, Any]) -> None:
        """Have fields written a moment after the last of them was changed."""
        self._pending[key] = {**self._pending.get(key, {}), **changes}
        self.say("changed")
        self.timer.start()

    def typed(self, key: Hashable) -> Changes:
        """Return what was changed here and is not written yet: what is on disk is older."""
        return {**self._under_way.get(key, {}), **self._pending.get(key, {})}

    def flush(self) -> None:
        """Begin to write what is not written."""
        self.timer.stop()
        for key in [key for key in self._pending if key not in self._under_way]:
            changes = self._under_way[key] = self._pending.pop(key)
            self._runner.submit(partial(self._write, key, dict(changes)), partial(self._done, key), lane=self._lane)

    def say(self, state: State, failure: str = "") -> None:
        """Take that something was written, or why it was not, by others than this."""
        if failure or state != self.state:
            self.state, self.failure = state, failure
            self.state_changed.emit()

    def _done(self, key: Hashable, outcome: Outcome[object]) -> None:
        changes, error = self._under_way.pop(key), outcome.error
        if isinstance(error, CardError | OSError | StorageError):
            if isinstance(error, StorageError) and error.kind == "not_found":
                self._pending.pop(key, None)
                self.gave_up.emit(key)
            else:
                self._pending[key] = {**changes, **self._pending.get(key, {})}
            self.say("failed", why(error))
            return
        outcome.result()
        if self._pending:
            self.timer.start()
        else:
            self.say("saved")
        self.written.emit(key)


def why(error: BaseException | None) -> str:
    """Return why something cannot be read or written, in a sentence."""
    if isinstance(error, StorageError):
        return sentence(error)
    if isinstance(error, OSError):
        return f"{error.strerror or error}."
    return str(error)
