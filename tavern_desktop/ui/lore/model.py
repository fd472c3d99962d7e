"""The table of a lorebook's entries: on or off, what it is called, where it stands, its order and its size."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from tavern_desktop.library.worlds import DEFAULTS, Record
from tavern_desktop.prompt.tokens import Estimate
from tavern_desktop.ui.lore.data import keys_of, title_of
from tavern_desktop.ui.lore.words import place_words, tr
from tavern_desktop.ui.widgets import AnyIndex

ON, TITLE, PLACE, ORDER, TOKENS = range(5)
SORT_ROLE = Qt.ItemDataRole.UserRole + 1
SEARCH_ROLE = Qt.ItemDataRole.UserRole + 2


class EntriesModel(QAbstractTableModel):
    """`Qt.UserRole` is an entry's uid, `SORT_ROLE` what a column is sorted by, `SEARCH_ROLE` all that is searched."""

    switched = Signal(int, bool)
    """(uid, on): the person ticks an entry or takes its tick away."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._uids: list[int] = []
        self._entries: dict[int, Record] = {}
        self._tokens: dict[int, int] = {}

    def show_entries(self, entries: dict[int, Record]) -> None:
        """Show these entries; rows that stay the same entries stay the same rows."""
        uids = list(entries)
        self._tokens.clear()
        if uids != self._uids:
            self.beginResetModel()
            self._uids, self._entries = uids, entries
            self.endResetModel()
            return
        self._entries = entries
        if uids:
            self.dataChanged.emit(self.index(0, 0), self.index(len(uids) - 1, TOKENS))

    def show_entry(self, uid: int, entry: Record) -> None:
        """Show an entry as it is now."""
        self._entries[uid] = entry
        self._tokens.pop(uid, None)
        row = self._uids.index(uid)
        self.dataChanged.emit(self.index(row, 0), self.index(row, TOKENS))

    def row_of(self, uid: int) -> int | None:
        """Return the row of an entry, None where there is none."""
        return self._uids.index(uid) if uid in self._entries and uid in self._uids else None

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._uids)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else TOKENS + 1

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.isValid() and index.column() == ON else flags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        uid = self._uids[index.row()]
        entry, column = self._entries[uid], index.column()
        if role == Qt.ItemDataRole.UserRole:
            return uid
        if role == Qt.ItemDataRole.CheckStateRole and column == ON:
            return Qt.CheckState.Unchecked if entry.get("disable") else Qt.CheckState.Checked
        if role == SEARCH_ROLE:
            return "\n".join(
                (title_of(entry), *keys_of(entry, "key"), *keys_of(entry, "keysecondary"), _content(entry))
            )
        if role == SORT_ROLE:
            return self._sorted_by(uid, entry, column)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(uid, entry, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(uid, entry, column)
        if role == Qt.ItemDataRole.ToolTipRole and column == TITLE:
            return ", ".join(keys_of(entry, "key")) or None
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (ORDER, TOKENS):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.CheckStateRole or index.column() != ON:
            return False
        self.switched.emit(self._uids[index.row()], Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("", tr("Entry"), tr("Place"), tr("Order"), tr("Tokens"))[section]
        return None

    def _text(self, uid: int, entry: Record, column: int) -> str:
        if column == TITLE:
            return title_of(entry) or tr("(no title, no keys)")
        if column == PLACE:
            return place_words(entry)
        if column == ORDER:
            return str(entry.get("order", DEFAULTS["order"]))
        return str(self._count(uid, entry)) if column == TOKENS else ""

    def _spoken(self, uid: int, entry: Record, column: int) -> str:
        if column != ON:
            return self._text(uid, entry, column)
        return tr("off") if entry.get("disable") else tr("on")

    def _sorted_by(self, uid: int, entry: Record, column: int) -> Any:
        if column == ON:
            return bool(entry.get("disable"))
        if column == ORDER:
            order = entry.get("order", DEFAULTS["order"])
            return order if isinstance(order, int | float) else 0
        return self._count(uid, entry) if column == TOKENS else self._text(uid, entry, column).casefold()

    def _count(self, uid: int, entry: Record) -> int:
        if uid not in self._tokens:
            self._tokens[uid] = Estimate().count(_content(entry))
        return self._tokens[uid]


def _content(entry: Record) -> str:
    content = entry.get("content")
    return content if isinstance(content, str) else ""
