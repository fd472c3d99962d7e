"""The forms that can be filled in here, for all windows: those of the program, and files in our own folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from tavern_desktop.resources import resource_path
from tavern_desktop.session.runner import Outcome, Runner

if TYPE_CHECKING:
    from tavern_desktop.cards.registry import FormDefinition, FormRegistry

FOLDER = "forms"
"""In our folder for settings, and in the program's own data."""


class Forms(QObject):
    """Owner: the services. The files are read, off the window's thread, when first a form is looked for."""

    changed = Signal()
    """Forms are known that were not."""

    def __init__(self, runner: Runner, config: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._runner = runner
        self.folder = config / FOLDER
        """Where people put forms of their own."""
        self._registry: FormRegistry | None = None
        self._is_reading = False

    def of(self, payload: dict[str, Any]) -> FormDefinition | None:
        """Return the form that a payload shows, None where there is none, or not yet."""
        return self._registry.of(payload) if self._known() and self._registry is not None else None

    def all(self) -> list[FormDefinition]:
        """Return every form, by title, as far as they are known yet."""
        return list(self._registry) if self._known() and self._registry is not None else []

    def problems(self) -> list[tuple[Path, str]]:
        """Return the files that are no forms, and why."""
        return self._registry.problems if self._registry is not None else []

    def read_again(self) -> None:
        """Look at the files once more."""
        if not self._is_reading:
            self._read()

    def _known(self) -> bool:
        if self._registry is None and not self._is_reading:
            self._read()
        return self._registry is not None

    def _read(self) -> None:
        from tavern_desktop.cards.registry import known_forms

        self._is_reading = True
        folders = (resource_path(FOLDER), self.folder)

        def done(outcome: Outcome[FormRegistry]) -> None:
            self._registry, self._is_reading = outcome.result(), False
            self.changed.emit()

        self._runner.submit(lambda: known_forms(*folders), done)
