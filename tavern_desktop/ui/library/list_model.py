"""The rows of one library list, and the filter over them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QSortFilterProxyModel, Qt

from tavern_desktop.ui.library.entries import Entry
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.widgets import AnyIndex

ENTRY_ROLE = Qt.ItemDataRole.UserRole + 1
SEARCH_ROLE = Qt.ItemDataRole.UserRole + 2


class EntryModel(QAbstractListModel):
    """Entries in their order. `Qt.UserRole` is the path of the row's chat."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def set_entries(self, entries: list[Entry]) -> None:
        """Show other entries; rows that stay where they are stay the same rows."""
        if entries == self._entries:
            return
        old = self._entries
        same_rows = len(old) <= len(entries) and all(a.key == b.key for a, b in zip(old, entries, strict=False))
        if not same_rows:
            self.beginResetModel()
            self._entries = entries
            self.endResetModel()
            return
        if len(entries) > len(old):
            self.beginInsertRows(QModelIndex(), len(old), len(entries) - 1)
            self._entries = [*old, *entries[len(old) :]]
            self.endInsertRows()
        self._entries = entries
        if old:
            self.dataChanged.emit(self.index(0), self.index(len(old) - 1))

    def row_of(self, path: str) -> int | None:
        """Return the row of the chat at `path`, None if there is none."""
        return next((row for row, entry in enumerate(self._entries) if entry.path == path), None) if path else None

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self._entries[index.row()]
        if role == SEARCH_ROLE:
            return entry.searched
        if role == ENTRY_ROLE:
            return entry
        if role == Qt.ItemDataRole.UserRole:
            return entry.path
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (entry.name, entry.title, entry.told_versions, entry.words)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(entry)
        return None

    def _spoken(self, entry: Entry) -> str:
        told = ((entry.damaged, self.tr("damaged")), (entry.draft, self.tr("draft")), (entry.unread, self.tr("new")))
        marks = [text for on, text in told if on] + [entry.told_versions]
        marks += [self.tr("writing…")] * entry.writing
        date = relative_date(entry.date_ms) if entry.date_ms is not None else ""
        return ", ".join(filter(None, (entry.name, entry.title, date, *marks, entry.words)))


class EntryFilter(QSortFilterProxyModel):
    """Keeps the rows whose name or title holds what was typed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.entries = EntryModel(self)
        self.setSourceModel(self.entries)
        self.setFilterRole(SEARCH_ROLE)
        self.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def row_of(self, path: str) -> int | None:
        """Return the row that shows the chat at `path`, None if none does."""
        row = self.entries.row_of(path)
        shown = self.mapFromSource(self.entries.index(row)) if row is not None else QModelIndex()
        return shown.row() if shown.isValid() else None
