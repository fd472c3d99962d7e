"""The prompts of a preset as rows that can be switched, dragged and moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyledItemDelegate, QStyleOptionViewItem

from tavern_desktop.prompt.preset_editing import Item
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import AnyIndex

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 2


class PromptsModel(QAbstractListModel):
    """`ITEM_ROLE` is the Item of a row, `DETAIL_ROLE` what it is in a few words."""

    arranged = Signal()
    """The person moved or switched a prompt."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.items: list[Item] = []

    def show_items(self, items: Sequence[Item]) -> None:
        """Show other prompts."""
        self.beginResetModel()
        self.items = list(items)
        self.endResetModel()

    def change(self, row: int, item: Item) -> None:
        """Show a prompt as it is now."""
        self.items[row] = item
        index = self.index(row)
        self.dataChanged.emit(index, index)

    def insert(self, row: int, item: Item) -> None:
        """Add a prompt in a place."""
        self.beginInsertRows(QModelIndex(), row, row)
        self.items.insert(row, item)
        self.endInsertRows()

    def remove(self, row: int) -> None:
        """Take a prompt out."""
        self.beginRemoveRows(QModelIndex(), row, row)
        del self.items[row]
        self.endRemoveRows()

    def move(self, row: int, to: int) -> bool:
        """Move a prompt so that it has the row `to`; say whether it moved."""
        if not (0 <= row < len(self.items) and 0 <= to < len(self.items)) or row == to:
            return False
        return self.moveRows(QModelIndex(), row, 1, QModelIndex(), to + (to > row))

    # -- for Qt -----------------------------------------------------------------------------------------------

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.items)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return usual | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsDragEnabled

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        item = self.items[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return item.name
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if item.is_on else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{item.name}, {_tr('on') if item.is_on else _tr('off')}, {detail_of(item)}"
        return {ITEM_ROLE: item, DETAIL_ROLE: detail_of(item)}.get(role)

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if not index.isValid() or role != Qt.ItemDataRole.CheckStateRole:
            return False
        item = self.items[index.row()]
        self.items[index.row()] = replace(item, is_on=Qt.CheckState(value) == Qt.CheckState.Checked)
        self.dataChanged.emit(index, index)
        self.arranged.emit()
        return True

    def moveRows(self, source: AnyIndex, row: int, count: int, target: AnyIndex, before: int) -> bool:
        if count != 1 or source.isValid() or target.isValid() or before in (row, row + 1):
            return False
        if not self.beginMoveRows(QModelIndex(), row, row, QModelIndex(), before):
            return False
        item = self.items.pop(row)
        # Whoever gives a prompt a place wants it in the order.
        self.items.insert(before - (before > row), replace(item, is_listed=True))
        self.endMoveRows()
        self.arranged.emit()
        return True


def detail_of(item: Item) -> str:
    """Return in a few words where a prompt stands and by whom it is said."""
    if item.is_marker:
        return _tr("filled in")
    prompt = item.prompt()
    parts = [] if prompt.role == "system" else [_tr(prompt.role)]
    if prompt.is_absolute:
        parts.append(_tr("depth {0}").format(prompt.depth))
    if prompt.triggers:
        parts.append(_tr("at times"))
    if not prompt.text.strip():
        parts.append(_tr("empty"))
    return " · ".join(parts)


class PromptPainter(QStyledItemDelegate):
    """Paints the name as usual, dimmed where it is off, and what it is at the end of the line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(120, QFontMetrics(option.font).height() + 14)

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        item = index.data(ITEM_ROLE)
        if item is not None and not item.is_on:
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.HighlightedText):
                option.palette.setColor(role, themes().current.muted)
        detail = QFontMetrics(_small(option.font)).horizontalAdvance(str(index.data(DETAIL_ROLE) or ""))
        room = option.rect.width() - CHECK_WIDTH - (detail + 2 * GAP if detail else 0)
        option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        painter.save()
        painter.setFont(_small(option.font))
        painter.setPen(themes().current.muted)
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(option.rect.adjusted(0, 0, -GAP, 0), flags, str(index.data(DETAIL_ROLE) or ""))
        painter.restore()


CHECK_WIDTH, GAP = 30, 8
"""Pixels of the check box with what is around it, and beside the words at the end."""


def _small(font: QFont) -> QFont:
    return scaled_font(font, 11.5)


class PromptsList(QListView):
    """The list. Alt+↑ and Alt+↓ move the current prompt, Space switches it, Delete takes out one's own."""

    def __init__(self, model: PromptsModel, remove: Callable[[], object]) -> None:
        super().__init__()
        self._model, self._remove = model, remove
        self.setObjectName("promptsList")
        self.setAccessibleName(self.tr("Prompts in their order"))
        self.setModel(model)
        self.setItemDelegate(PromptPainter(self))
        self.setUniformItemSizes(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setDragDropOverwriteMode(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(210)

    def move_current(self, by: int) -> None:
        """Move the current prompt up (-1) or down (1)."""
        row = self.currentIndex().row()
        if self._model.move(row, row + by):
            self.setCurrentIndex(self._model.index(row + by))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()), 0)
        if by and event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.AltModifier:
            self.move_current(by)
        elif event.key() == Qt.Key.Key_Delete and not event.modifiers():
            self._remove()
        else:
            super().keyPressEvent(event)
            return
        event.accept()


def _tr(text: str) -> str:
    return QCoreApplication.translate("Prompts", text)
