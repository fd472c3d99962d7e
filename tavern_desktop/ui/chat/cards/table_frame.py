"""A table to scroll and sort in: Qt's own, on the rows of the payload, of which only those in sight cost anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget
from typing_extensions import override

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.forms import shown
from tavern_desktop.ui.chat.cards.faces import CELL, table_of
from tavern_desktop.ui.chat.cards.frame import CardFrame
from tavern_desktop.ui.chat.cards.words import tr
from tavern_desktop.ui.chat.look import Look

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
ROWS_SEEN = 14
LOOKED_AT = 50
"""Rows by which the width of a column is chosen."""


class TableModel(QAbstractTableModel):
    """Rows of scalars. Sorting changes an order of numbers, never the rows."""

    def __init__(self, names: Sequence[str], rows: Sequence[Sequence[Any]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.names, self.rows = names, rows
        self._order: Sequence[int] = range(len(rows))

    @override
    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    @override
    def columnCount(self, parent: AnyIndex = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.names)

    @override
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self.rows[self._order[index.row()]][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown(value)
        if role == Qt.ItemDataRole.TextAlignmentRole and _is_number(value):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    @override
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return self.names[section] if orientation == Qt.Orientation.Horizontal else str(self._order[section] + 1)

    @override
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column: numbers before texts, what is empty last; without a column as they came."""
        self.layoutAboutToBeChanged.emit()
        indices = range(len(self.rows))
        if column < 0:
            self._order = indices
        else:
            down = order == Qt.SortOrder.DescendingOrder
            ordered = sorted(indices, key=lambda row: _rank(self.rows[row][column]), reverse=down)
            filled = [row for row in ordered if self.rows[row][column] not in (None, "")]
            self._order = filled + [row for row in ordered if self.rows[row][column] in (None, "")]
        self.layoutChanged.emit()


class TableFrame(CardFrame):
    """The whole of a table, as far as it is in the chat."""

    def __init__(self, card: Card, look: Look, width: int, parent: QWidget) -> None:
        super().__init__(card, look, width, parent)
        self._card = card
        names, rows = table_of(card)
        self.view = QTableView()
        self.view.setObjectName("cardTable")
        self.view.setAccessibleName(card.title or tr("Table"))
        self.model = TableModel(names, rows, self.view)
        prepare(self.view, self.model, look)
        seen = min(len(rows), ROWS_SEEN)
        self.view.setFixedHeight((seen + 1) * look.px(CELL) + 16)
        self.watch(self.view)
        self.column.addWidget(self.view)
        self.add_foot(("plain", tr("Copy as CSV"), self.copy_csv), ("plain", tr("Done"), self.done), indent=False)

    @override
    def focus_on(self, name: str) -> None:
        self.view.setFocus()

    @override
    def submit(self) -> None:
        self.done()

    def copy_csv(self) -> None:
        """Copy the whole table."""
        copy_as_csv(self._card)

    def done(self) -> None:
        """Go back to reading."""
        self.left.emit()


def prepare(view: QTableView, model: TableModel, look: Look) -> None:
    """Set a table up: rows of one height, columns by what stands in the first rows, sorted by a click on a head."""
    view.setModel(model)
    view.setSortingEnabled(False)
    head = view.horizontalHeader()
    head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
    head.setSortIndicatorClearable(True)
    view.setSortingEnabled(True)
    head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    head.setResizeContentsPrecision(LOOKED_AT)
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.verticalHeader().setDefaultSectionSize(look.px(CELL))
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setWordWrap(False)
    view.setFont(look.label_font)
    metrics = view.fontMetrics()
    for column, name in enumerate(model.names):
        texts = [shown(row[column])[:60] for row in model.rows[:LOOKED_AT]]
        width = max(map(metrics.horizontalAdvance, [name[:60], *texts])) + look.px(30)
        view.setColumnWidth(column, min(max(width, look.px(60)), look.px(320)))


def copy_as_csv(card: Card) -> None:
    """Put a table on the clipboard as CSV."""
    QGuiApplication.clipboard().setText(as_csv(*table_of(card)))


def as_csv(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a table as CSV (RFC 4180, but with the system's own line end left to who pastes it)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([["" if cell is None else _plain(cell) for cell in row] for row in rows])
    return out.getvalue()


def _plain(cell: Any) -> Any:
    return ("true" if cell else "false") if isinstance(cell, bool) else cell


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rank(value: Any) -> tuple[int, float, str]:
    return (0, value, "") if _is_number(value) else (1, 0.0, shown(value).casefold())
