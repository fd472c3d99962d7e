"""What the library pane shows: chats, characters and groups of one data root, read off the window's thread."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from tavern_desktop.library.characters import Character, list_characters
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import Group, list_groups
from tavern_desktop.library.recents import ChatRow, recents, row_of
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.index import Index
from tavern_desktop.ui.library.entries import Marks

T = TypeVar("T")

LANE = "library"
FEW = 20
"""Chats whose rows are read one by one; of more everything is read again."""
LISTED = (".jsonl", ".png", ".json")
"""Endings of the files that lists are made of. Folders only matter by the files in them."""


class LibraryData(QObject):
    """The lists of one data root, shared by all windows. Owner: the services; lives on the window's thread."""

    chats_changed = Signal()
    characters_changed = Signal()
    groups_changed = Signal()
    first_shown = Signal()
    """The newest chats are there, or it is known that there are none."""
    loaded = Signal()
    """The chats have been read to the end, or could not be (`problem`)."""

    def __init__(
        self, runner: Runner, root: DataRoot, index: Callable[[], Index], parent: QObject | None = None
    ) -> None:
        """`index` opens the index of this root; it is called off the window's thread."""
        super().__init__(parent)
        self.root = root
        self.chats: list[ChatRow] = []
        self.characters: list[Character] = []
        self.groups: list[Group] = []
        self.marks = Marks()
        self.problem = ""
        """A sentence where the folder cannot be read."""
        self.is_loaded = False
        self._is_shown = False
        self._runner = runner
        self._open_index = index
        self._index: Index | None = None
        self._token = 0
        self._reading = False
        self._again = False

    def refresh(self) -> None:
        """Read everything again; what is shown stays until the new lists are there."""
        if self._reading:
            self._again = True
            return
        self._reading = True
        self._token += 1
        token, fill = self._token, not self.is_loaded
        self._runner.submit(lambda: self._read(token, fill), self._finished, lane=LANE)

    def refresh_chat(self, path: Path) -> None:
        """Read one chat's row again, as after a save; a conflict copy's is that of its chat.

        Chats outside the data root have none.
        """
        if not self.root.holds(path):
            return
        path = next((row.path for row in self.chats if str(path) in row.conflicts), path)
        self._runner.submit(
            lambda: row_of(self.root, self._ready_index(), path),
            lambda outcome: self._replace(path, outcome),
            lane=LANE,
        )

    def show_marks(self, **paths: frozenset[str]) -> None:
        """Mark these chats, by the names in `Marks`; the other marks stay."""
        marks = replace(self.marks, **paths)
        if marks != self.marks:
            self.marks = marks
            self.chats_changed.emit()

    def refresh_for(self, paths: frozenset[str] | None) -> None:
        """Read again what changed files mean for the lists; None stands for everything."""
        told = paths and {path for path in paths if path.endswith(LISTED)}
        if told is not None and len(told) <= FEW and told <= {row.file for row in self.chats}:
            for path in told:
                self.refresh_chat(Path(path))
        else:
            self.refresh()

    def row(self, path: Path | str) -> ChatRow | None:
        """Return the row of a chat file, None if the lists do not have it."""
        file = str(path)
        return next((row for row in self.chats if row.file == file), None)

    def chats_of(self, *, character: str = "", group: str = "") -> list[ChatRow]:
        """Return the chats of a character (stem) or a group (id), newest first."""
        if group:
            return [row for row in self.chats if row.group == group]
        return [row for row in self.chats if row.kind == "character" and row.character == character]

    def character(self, stem: str) -> Character | None:
        """Return the character with this stem."""
        return next((one for one in self.characters if one.stem == stem), None)

    def stop(self) -> None:
        """Read no further; for a root that is left."""
        self._token += 1

    def _ready_index(self) -> Index:
        # Only ever called on the library lane, where one thing happens after another.
        if self._index is None:
            self._index = self._open_index()
        return self._index

    def _read(self, token: int, fill: bool) -> list[ChatRow]:
        """Runs off the window's thread. With `fill` each batch is shown as it comes."""
        index = self._ready_index()
        rows: list[ChatRow] = []
        for batch in recents(self.root, index, cancelled=lambda: token != self._token):
            rows += batch
            if fill:
                self._runner.post(partial(self._show_chats, token, list(rows)))
        characters = list_characters(self.root, index)
        groups = list_groups(self.root)
        self._runner.post(lambda: self._show_people(token, characters, groups))
        return rows

    def _finished(self, outcome: Outcome[list[ChatRow]]) -> None:
        self._reading = False
        try:
            rows = outcome.result()
            self.problem = ""
        except StorageError as error:
            rows, self.problem = [], sentence(error)
        self.is_loaded = True
        self._show_chats(self._token, rows)
        self.loaded.emit()
        self._say_shown()
        if self._again:
            self._again = False
            self.refresh()

    def _show_chats(self, token: int, rows: list[ChatRow]) -> None:
        if token == self._token and rows != self.chats:
            self.chats = rows
            self.chats_changed.emit()
            self._say_shown()

    def _say_shown(self) -> None:
        if not self._is_shown:
            self._is_shown = True
            self.first_shown.emit()

    def _show_people(self, token: int, characters: list[Character], groups: list[Group]) -> None:
        if token != self._token:
            return
        if characters != self.characters:
            self.characters = characters
            self.characters_changed.emit()
        if groups != self.groups:
            self.groups = groups
            self.groups_changed.emit()

    def _replace(self, path: Path, outcome: Outcome[ChatRow | None]) -> None:
        row = outcome.result()
        rows = [held for held in self.chats if held.file != str(path)]
        if row is not None:
            bisect.insort(rows, row, key=lambda held: -held.mtime_ns)
        self._show_chats(self._token, rows)
