"""One lorebook as it is read and edited in the window; what is typed is in its file a moment later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.worlds import (
    Record,
    World,
    add_entry,
    change_entry,
    load_world,
    remove_entry,
    world_path,
)
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.services import Services

PAUSE = 600
"""Milliseconds after the last key until what was typed is written."""
LANE = "worlds"

State = Literal["", "changed", "saved", "failed"]
T = TypeVar("T")


class BookData(QObject):
    """Owner: the editor. What could not be written is kept and tried again with the next change."""

    changed = Signal()
    """`entries` or `problem`; which entries there are, or what the file says of them."""
    entry_changed = Signal(int)
    """The entry of a uid was changed here."""
    state_changed = Signal()
    added = Signal(int)
    """An entry has come in, by what the person did."""
    removed = Signal(int, str)
    """(uid, title): an entry was taken out, and can be put back."""
    written = Signal()

    def __init__(self, services: Services, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.entries: dict[int, Record] = {}
        self.problem = ""
        self.state: State = ""
        self.failure = ""
        self._services = services
        self._root: DataRoot = services.root
        self._pending: dict[int, Record] = {}
        self._under_way: dict[int, Record] = {}
        self._gone: dict[int, Record] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self.flush)
        services.ending.connect(self.flush)
        services.root_leaving.connect(self.flush)
        services.files_changed.connect(self._files_changed)
        self.reload()

    def reload(self) -> None:
        """Read the book again: another program may have written it."""
        self._services.runner.submit(partial(load_world, self._root, self.name), self._take, lane=LANE)

    def edit(self, uid: int, changes: Mapping[str, Any]) -> None:
        """Give fields of an entry other values."""
        if uid not in self.entries:
            return
        self.entries[uid] = {**self.entries[uid], **changes}
        self._pending[uid] = {**self._pending.get(uid, {}), **changes}
        self.entry_changed.emit(uid)
        self._say("changed")
        self._timer.start()

    def add(self, entry: Mapping[str, Any] | None = None) -> None:
        """Add an entry, a new one or like another."""
        own = {name: value for name, value in (entry or {}).items() if name not in ("uid", "displayIndex")}
        self._do(partial(add_entry, self._root, self.name, own), self._added)

    def remove(self, uid: int) -> None:
        """Take an entry out; `put_back` undoes it."""
        self.flush()
        self._do(partial(remove_entry, self._root, self.name, uid), partial(self._removed, uid))

    def put_back(self, uid: int) -> None:
        """Bring back an entry that was taken out."""
        entry = self._gone.pop(uid, None)
        if entry is not None:
            self._do(partial(add_entry, self._root, self.name, entry, uid), self._added)

    def flush(self) -> None:
        """Begin to write what is not written."""
        self._timer.stop()
        if self._pending and not self._under_way:
            self._under_way, self._pending = self._pending, {}
            changes = dict(self._under_way)
            self._services.runner.submit(partial(self._write, changes), self._written, lane=LANE)

    def _write(self, changes: dict[int, Record]) -> None:
        for uid, fields in changes.items():
            change_entry(self._root, self.name, uid, fields)

    def _do(self, work: Callable[[], T], done: Callable[[T], object]) -> None:
        def take(outcome: Outcome[T]) -> None:
            if isinstance(outcome.error, StorageError):
                self.failure = sentence(outcome.error)
                self._say("failed")
            else:
                done(outcome.result())
                self._say("saved")
                self.reload()
                self.written.emit()

        self._services.runner.submit(work, take, lane=LANE)

    def _added(self, uid: int) -> None:
        once: list[object] = []

        def tell() -> None:
            if uid in self.entries and not once:
                once.append(uid)
                self.changed.disconnect(tell)
                self.added.emit(uid)

        self.changed.connect(tell)

    def _removed(self, uid: int, entry: Record) -> None:
        self._gone[uid] = entry
        self.removed.emit(uid, title_of(entry))

    def _written(self, outcome: Outcome[None]) -> None:
        changes, self._under_way = self._under_way, {}
        if isinstance(outcome.error, StorageError):
            for uid, fields in changes.items():
                if outcome.error.kind != "not_found":  # an entry that is gone takes its changes along
                    self._pending[uid] = fields | self._pending.get(uid, {})
            self.failure = sentence(outcome.error)
            self._say("failed")
            self.reload()
            return
        outcome.result()
        if self._pending:
            self._timer.start()
        else:
            self._say("saved")
        self.written.emit()

    def _take(self, outcome: Outcome[World]) -> None:
        if isinstance(outcome.error, StorageError):
            self.entries, self.problem = {}, sentence(outcome.error)
            self.changed.emit()
            return
        found = outcome.result()
        entries = {uid: entry | self._typed(uid) for uid, entry in found.entries.items()}
        if entries != self.entries or self.problem:
            self.entries, self.problem = entries, ""
            self.changed.emit()

    def _typed(self, uid: int) -> Record:
        """Return what was changed here and is not on disk yet."""
        return self._under_way.get(uid, {}) | self._pending.get(uid, {})

    def _files_changed(self, paths: frozenset[str] | None) -> None:
        if paths is None or str(world_path(self._root, self.name)) in paths:
            self.reload()

    def _say(self, state: State) -> None:
        self.state = state
        self.state_changed.emit()


def title_of(entry: Mapping[str, Any]) -> str:
    """Return what an entry is called: its title, else its keys."""
    title = entry.get("comment")
    return title if isinstance(title, str) and title.strip() else ", ".join(keys_of(entry, "key"))


def keys_of(entry: Mapping[str, Any], field: str) -> list[str]:
    """Return the keys of an entry; anything else than texts among them is passed over."""
    keys = entry.get(field)
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
