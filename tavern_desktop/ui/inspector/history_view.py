"""The view of a comparison: any number of rows, of which only those on screen are laid out."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QWidget
from typing_extensions import override

from tavern_desktop.ui.chat.geometry import Anchor
from tavern_desktop.ui.chat.placed_rows import PlacedRows
from tavern_desktop.ui.inspector.history_excerpt import BEGINNING, MOST
from tavern_desktop.ui.inspector.history_row_box import GAP, GUTTER, PADDING, RUN_HEIGHT, TICK_ROOM, Fonts, RowBox
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import AnyIndex

KEPT = 400
"""Rows that stay laid out."""


class DifferenceView(PlacedRows):
    """Owner: the window that shows a comparison."""

    menu_requested = Signal(int, QPoint)
    """A menu for the row with this key is wanted, at a place on the screen."""
    copy_requested = Signal(int)
    """The text of the row with this key shall be copied."""

    def __init__(self, model: DifferenceModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = model
        self.places.header, self.places.footer = 10, 10
        self._percent = 100
        self._fonts = Fonts(self.font(), self._percent)
        self._boxes: dict[int, RowBox] = {}
        self._whole: set[int] = set()
        """Keys of the rows whose long texts are shown in full."""
        self._hovered: int | None = None
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setModel(model)
        model.modelReset.connect(self._was_reset)
        model.rowsRemoved.connect(self._rows_removed)
        themes().changed.connect(self._lay_out_anew)
        self._was_reset()

    def current_key(self) -> int | None:
        """Return the key of the row under the keyboard's cursor."""
        index = self.currentIndex()
        return self.rows.key(index.row()) if index.isValid() else None

    @property
    def text_scale(self) -> int:
        """The share of their usual size, in per cent, in which texts are shown."""
        return self._percent

    def set_text_scale(self, percent: int) -> None:
        """Show texts in this share of their usual size, as in the chat."""
        if percent != self._percent:
            self._percent = percent
            self._lay_out_anew()

    def unfold(self, number: int) -> None:
        """Show more of a row: the messages of a run, or the whole of long texts."""
        key, row = self.rows.key(number), self.rows.row(number)
        if not row.kinds and row.length > 1:
            self.rows.unfold(number)
            self.setCurrentIndex(self.rows.index(number))
        elif self._box(number).is_cut:
            self._whole.symmetric_difference_update({key})
            self._boxes.pop(key, None)
            self.places.row_changed(number)
            self.places.hold(Anchor(key, self.places.screen_top(number)))
            self.settle()

    # -- places -----------------------------------------------------------------------------------------

    def _box(self, number: int) -> RowBox:
        """Return a row laid out for the present width."""
        row, key = self.rows.row(number), self.rows.key(number)
        found = self._boxes.get(key)
        if found is None:
            if len(self._boxes) > KEPT:
                self._boxes.clear()
            is_run = not row.kinds and row.length > 1
            found = self._boxes[key] = RowBox(
                row,
                None if is_run else self.rows.texts(row),
                self.viewport().width(),
                self._fonts,
                themes().current,
                can_tick=self.rows.can_tick(row),
                whole=key in self._whole,
            )
        return found

    def _measure(self, number: int) -> int:
        return self._box(number).height

    def _estimate(self, number: int) -> int:
        row = self.rows.row(number)
        if not row.kinds and row.length > 1:
            return RUN_HEIGHT
        comparison = self.rows.comparison
        sides = () if comparison is None else comparison.difference.sides(row)
        characters = min(max((len(side.seen) for side in sides if side is not None), default=0) // 2, BEGINNING, MOST)
        column = max(80, (self.viewport().width() - TICK_ROOM - GUTTER) // 2 - 2 * PADDING)
        lines = 1 + characters * self._fonts.text_metrics.averageCharWidth() // column
        return lines * self._fonts.text_metrics.height() + self._fonts.name_metrics.height() + 2 * PADDING + GAP

    def _was_reset(self) -> None:
        self._boxes.clear()
        self._whole.clear()
        self._hovered = None
        self.places.reset(self.rows)
        self.places.hold(self.places.anchor)
        if self.places.anchor is None and self.rows.rowCount():
            self.places.hold(Anchor(self.rows.key(0), self.places.header))
        self.settle()

    def show_first_change(self) -> None:
        """Go to the first row, and put the keyboard's cursor on the first change."""
        count = self.rows.rowCount()
        if count:
            self.places.hold(Anchor(self.rows.key(0), self.places.header))
            self.settle()
            first = next((number for number in range(min(count, 8)) if self.rows.row(number).kinds), 0)
            self.setCurrentIndex(self.rows.index(first))
            self.scrollTo(self.currentIndex())

    def _lay_out_anew(self) -> None:
        self._fonts = Fonts(self.font(), self._percent)
        self._boxes.clear()
        self.places.forget_measures()
        self.settle()

    def _rows_removed(self, parent: QModelIndex, start: int, end: int) -> None:
        self.places.rows_removed(start, end)

    @override
    def rowsInserted(self, parent: AnyIndex, start: int, end: int) -> None:
        QAbstractItemView.rowsInserted(self, parent, start, end)
        self.places.rows_inserted(start, end)
        self.settle()

    @override
    def rowsAboutToBeRemoved(self, parent: AnyIndex, start: int, end: int) -> None:
        top = self.places.screen_top(start)
        self.places.rows_about_to_be_removed(start, end)
        if start > 0:
            self.places.hold(Anchor(self.rows.key(start - 1), top - self.places.height(start - 1)))
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, start, end)

    @override
    def dataChanged(self, topLeft: AnyIndex, bottomRight: AnyIndex, roles: Any = ()) -> None:
        self.viewport().update()
        QAbstractItemView.dataChanged(self, topLeft, bottomRight, roles)

    # -- Qt's questions about places --------------------------------------------------------------------

    @override
    def visualRect(self, index: AnyIndex) -> QRect:
        if not index.isValid() or index.row() >= self.places.row_count:
            return QRect()
        top, height = self.places.screen_top(index.row()), self.places.height(index.row())
        return QRect(0, top, self.viewport().width(), height)

    @override
    def indexAt(self, p: QPoint) -> QModelIndex:
        number = self.places.row_at(p.y())
        return QModelIndex() if number is None else self.rows.index(number)

    @override
    def scrollTo(self, index: AnyIndex, hint: Any = QAbstractItemView.ScrollHint.EnsureVisible) -> None:
        if not index.isValid() or index.row() >= self.places.row_count:
            return
        number, room = index.row(), self.viewport().height()
        top, height = self.places.screen_top(number), self._measure(number)
        if top < 0 or height > room:
            self.places.hold(Anchor(self.rows.key(number), self.places.header if number == 0 else 0))
        elif top + height > room:
            self.places.hold(Anchor(self.rows.key(number), room - height))
        self.settle()

    @override
    def moveCursor(self, cursorAction: Any, modifiers: Any) -> QModelIndex:
        count = self.places.row_count
        if not count:
            return QModelIndex()
        move = QAbstractItemView.CursorAction
        current = self.currentIndex().row() if self.currentIndex().isValid() else -1
        if cursorAction in (move.MovePageUp, move.MovePageDown):
            page = self.viewport().height() * (-1 if cursorAction == move.MovePageUp else 1)
            top = self.places.screen_top(max(current, 0))
            return self.rows.index(self.places.nearest_row(top + page) or 0)
        ends = {move.MoveHome: 0, move.MoveEnd: count - 1}
        steps = {move.MoveUp: -1, move.MovePrevious: -1, move.MoveDown: 1, move.MoveNext: 1}
        number = ends.get(cursorAction, current + steps.get(cursorAction, 0))
        return self.rows.index(min(max(number, 0), count - 1))

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self._lay_out_anew()
        else:
            self.settle()

    # -- painting and input -----------------------------------------------------------------------------

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), themes().current.bg)
        current = self.current_key() if self.hasFocus() else None
        for number in self.places.visible_rows():
            key = self.rows.key(number)
            self._box(number).paint(
                painter,
                self.places.screen_top(number),
                ticked=key in self.rows.ticked,
                current=key == current,
                hovered=key == self._hovered,
            )

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if index.isValid() and event.key() == Qt.Key.Key_Space:
            key = self.rows.key(index.row())
            self.rows.tick({key}, key not in self.rows.ticked)
        elif index.isValid() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.unfold(index.row())
        elif index.isValid() and event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit(self.rows.key(index.row()))
        else:
            super().keyPressEvent(event)
            if self.currentIndex() != index:
                self.scrollTo(self.currentIndex())

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or event.button() != Qt.MouseButton.LeftButton:
            return
        number, key = index.row(), self.rows.key(index.row())
        if self.rows.can_tick(self.rows.row(number)) and event.position().x() < TICK_ROOM:
            self.rows.tick({key}, key not in self.rows.ticked)
        elif self._unfolds_at(number, round(event.position().y())):
            self.unfold(number)

    def _unfolds_at(self, number: int, y: int) -> bool:
        """Say whether a click at this height of the screen shows more of a row."""
        row, box = self.rows.row(number), self._box(number)
        if not row.kinds and row.length > 1:
            return True
        foot = self.places.screen_top(number) + box.height
        return box.is_cut and foot - y < self._fonts.small_metrics.height() + PADDING + GAP

    @override
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        hovered = self.rows.key(index.row()) if index.isValid() else None
        shows_more = index.isValid() and self._unfolds_at(index.row(), round(event.position().y()))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if shows_more else Qt.CursorShape.ArrowCursor)
        if hovered != self._hovered:
            self._hovered = hovered
            self.viewport().update()

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        index = self.indexAt(event.pos()) if by_mouse else self.currentIndex()
        if index.isValid():
            self.setCurrentIndex(index)
            place = event.globalPos() if by_mouse else self.viewport().mapToGlobal(self.visualRect(index).center())
            self.menu_requested.emit(self.rows.key(index.row()), place)
