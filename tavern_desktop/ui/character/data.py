"""One character's card as it is read and edited in the window; what is typed is on disk a moment later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from tavern_desktop.library.card_fields import CardFields, card_of, fields_of, write_fields
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.services import Services

PAUSE = 700
"""Milliseconds after the last key until what was typed is written."""
LANE = "cards"

State = Literal["", "changed", "saved", "failed"]


def read_fields(path: Path) -> CardFields:
    """Return what a card says. Runs on any thread. Raises CardError, OSError."""
    return fields_of(card_of(path.read_bytes()))


def why(error: BaseException | None) -> str:
    """Return why a card cannot be read or written, in a sentence."""
    if isinstance(error, StorageError):
        return sentence(error)
    if isinstance(error, OSError):
        return f"{error.strerror or error}."
    return str(error)


class CharacterData(QObject):
    """Owner: the page. What could not be written is kept for its card and tried again with the next change."""

    changed = Signal()
    """Another card, or the same with other values: `fields`, `problem`."""
    state_changed = Signal()
    written = Signal(str)
    """The stem of the character whose card was changed."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stem = ""
        self.fields: CardFields | None = None
        self.problem = ""
        """Why there is nothing to see, in a sentence."""
        self.state: State = ""
        self.failure = ""
        self._services = services
        self._pending: dict[Path, dict[str, Any]] = {}
        self._under_way: dict[Path, dict[str, Any]] = {}
        """What is being written, by card."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self.flush)
        services.ending.connect(self.flush)
        services.root_leaving.connect(self.flush)
        services.files_changed.connect(self._files_changed)

    @property
    def path(self) -> Path:
        """The card's file."""
        return self._services.root.characters / f"{self.stem}{SUFFIX}"

    def show_character(self, stem: str) -> None:
        """Turn to another character, "" for none."""
        if stem == self.stem:
            return
        self.flush()
        self.stem, self.fields, self.problem = stem, None, ""
        self._say("")
        self.changed.emit()
        self.reload()

    def reload(self) -> None:
        """Read the card again: another program may have written it."""
        if self.stem:
            path = self.path
            self._services.runner.submit(partial(read_fields, path), partial(self._take, path), lane=LANE)

    def edit(self, name: str, value: Any) -> None:
        """Give a field of the card another value."""
        if self.fields is None:
            return
        self._pending.setdefault(self.path, {})[name] = value
        self._say("changed")
        self._timer.start()

    def flush(self) -> None:
        """Begin to write what is not written."""
        self._timer.stop()
        for path, changes in list(self._pending.items()):
            if path in self._under_way:
                continue  # goes on once that is done
            del self._pending[path]
            self._under_way[path] = changes
            done = partial(self._written, path, changes)
            self._services.runner.submit(partial(write_fields, path, changes), done, lane=LANE)

    def change_picture(self, work: Callable[[Path], object]) -> None:
        """Have the card's file changed by `work`, away from the window."""
        self.flush()
        path = self.path
        self._services.runner.submit(partial(work, path), partial(self._written, path, {}), lane=LANE)

    def _files_changed(self, paths: frozenset[str] | None) -> None:
        if paths is None or str(self.path) in paths:
            self.reload()

    def _take(self, path: Path, outcome: Outcome[CardFields]) -> None:
        if not self.stem or path != self.path:
            return
        if isinstance(outcome.error, CardError | OSError):
            self.fields, self.problem = None, why(outcome.error)
            self.changed.emit()
            return
        found = outcome.result()
        if found != self.fields:
            self.fields, self.problem = found, ""
            self.changed.emit()

    def is_pending(self, name: str) -> bool:
        """Say whether a field was changed here and is not written yet: what is on disk is older."""
        return name in self._pending.get(self.path, {}) or name in self._under_way.get(self.path, {})

    def _written(self, path: Path, changes: dict[str, Any], outcome: Outcome[object]) -> None:
        if changes:
            del self._under_way[path]
        if outcome.error is not None:
            if not isinstance(outcome.error, CardError | OSError | StorageError):
                outcome.result()
            self._pending[path] = changes | self._pending.get(path, {})
            self.failure = why(outcome.error)
            self._say("failed")
            return
        if path in self._pending:
            self._timer.start()
        else:
            self._say("saved")
        stem = path.name.removesuffix(SUFFIX)
        self._services.library.refresh_for(frozenset({str(path)}))
        self._services.avatars.read_again({str(path)})
        self.written.emit(stem)
        self.reload()

    def _say(self, state: State) -> None:
        if self.state != state:
            self.state = state
            self.state_changed.emit()
