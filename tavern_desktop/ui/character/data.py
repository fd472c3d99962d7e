"""One character's card as it is read and edited in the window; what is typed is on disk a moment later."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from tavern_desktop.library.card_fields import CardFields, card_of, fields_of, write_fields
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.late_writer import LateWriter, why
from tavern_desktop.ui.services import Services

LANE = "cards"


def read_fields(path: Path) -> CardFields:
    """Return what a card says. Runs on any thread. Raises CardError, OSError."""
    return fields_of(card_of(path.read_bytes()))


class CharacterData(QObject):
    """Owner: the page."""

    changed = Signal()
    """Another card, or the same with other values: `fields`, `problem`."""
    written = Signal()
    """A card says something else now."""

    def __init__(self, services: Services, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.stem = ""
        self.fields: CardFields | None = None
        self.problem = ""
        """Why there is nothing to see, in a sentence."""
        self._services = services
        self.writer = LateWriter(services, LANE, write_fields, self)
        """By the paths of the cards."""
        self.writer.written.connect(self._written)
        services.files_changed.connect(self._files_changed)

    @property
    def path(self) -> Path:
        """The card's file."""
        return self._services.root.characters / f"{self.stem}{SUFFIX}"

    def show_character(self, stem: str) -> None:
        """Turn to another character, "" for none."""
        if stem == self.stem:
            return
        self.writer.flush()
        self.stem, self.fields, self.problem = stem, None, ""
        self.writer.say("")
        self.changed.emit()
        self.reload()

    def reload(self) -> None:
        """Read the card again: another program may have written it."""
        if self.stem:
            path = self.path
            self._services.runner.submit(partial(read_fields, path), partial(self._take, path), lane=LANE)

    def edit(self, name: str, value: Any) -> None:
        """Give a field of the card another value."""
        if self.fields is not None:
            self.writer.edit(self.path, {name: value})

    def is_pending(self, name: str) -> bool:
        """Say whether a field was changed here and is not written yet: what is on disk is older."""
        return name in self.writer.typed(self.path)

    def change_picture(self, work: Callable[[Path], object]) -> None:
        """Have the card's file changed by `work`, away from the window."""
        self.writer.flush()
        path = self.path

        def done(outcome: Outcome[object]) -> None:
            if isinstance(outcome.error, CardError | OSError | StorageError):
                self.writer.say("failed", why(outcome.error))
            else:
                outcome.result()
                self.writer.say("saved")
                self._written(path)

        self._services.runner.submit(partial(work, path), done, lane=LANE)

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

    def _files_changed(self, paths: frozenset[str] | None) -> None:
        if paths is None or str(self.path) in paths:
            self.reload()

    def _written(self, path: Path) -> None:
        self._services.library.refresh_for(frozenset({str(path)}))
        self._services.avatars.read_again({str(path)})
        self.written.emit()
        self.reload()
