"""One lorebook as it is read and edited in the window; what is typed is in its file a moment later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

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
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.late_writer import LateWriter, why
from tavern_desktop.ui.services import Services

LANE = "worlds"

T = TypeVar("T")


class BookData(QObject):
    """Owner: the editor."""

    changed = Signal()
    """`entries` or `problem`; which entries there are, or what the file says of them."""
    entry_changed = Signal(int)
    """The entry of a uid was changed here."""
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
        self._services = services
        self._root: DataRoot = services.root
        self._gone: dict[int, Record] = {}
        self.writer = LateWriter(services, LANE, partial(change_entry, self._root, name), self)
        """By the uids of the entries."""
        self.writer.written.connect(lambda uid: self.written.emit())
        self.writer.gave_up.connect(lambda uid: self.reload())
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
        self.entry_changed.emit(uid)
        self.writer.edit(uid, changes)

    def add(self, entry: Mapping[str, Any] | None = None) -> None:
        """Add an entry, a new one or like another."""
        own = {name: value for name, value in (entry or {}).items() if name not in ("uid", "displayIndex")}
        self._do(partial(add_entry, self._root, self.name, own), self._added)

    def remove(self, uid: int) -> None:
        """Take an entry out; `put_back` undoes it."""
        self.writer.flush()
        self._do(partial(remove_entry, self._root, self.name, uid), partial(self._removed, uid))

    def put_back(self, uid: int) -> None:
        """Bring back an entry that was taken out."""
        entry = self._gone.pop(uid, None)
        if entry is not None:
            self._do(partial(add_entry, self._root, self.name, entry, uid), self._added)

    def _do(self, work: Callable[[], T], done: Callable[[T], object]) -> None:
        def take(outcome: Outcome[T]) -> None:
            if isinstance(outcome.error, StorageError):
                self.writer.say("failed", why(outcome.error))
            else:
                done(outcome.result())
                self.writer.say("saved")
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
        # At once, not with the next reading: what is typed meanwhile would go to an entry that is not there.
        self.entries.pop(uid, None)
        self.changed.emit()
        self.removed.emit(uid, title_of(entry))

    def _take(self, outcome: Outcome[World]) -> None:
        if isinstance(outcome.error, StorageError):
            self.entries, self.problem = {}, why(outcome.error)
            self.changed.emit()
            return
        found = outcome.result()
        entries = {uid: entry | self.writer.typed(uid) for uid, entry in found.entries.items()}
        if entries != self.entries or self.problem:
            self.entries, self.problem = entries, ""
            self.changed.emit()

    def _files_changed(self, paths: frozenset[str] | None) -> None:
        if paths is None or str(world_path(self._root, self.name)) in paths:
            self.reload()


def title_of(entry: Mapping[str, Any]) -> str:
    """Return what an entry is called: its title, else its keys."""
    title = entry.get("comment")
    return title if isinstance(title, str) and title.strip() else ", ".join(keys_of(entry, "key"))


def keys_of(entry: Mapping[str, Any], field: str) -> list[str]:
    """Return the keys of an entry; anything else than texts among them is passed over."""
    keys = entry.get(field)
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
