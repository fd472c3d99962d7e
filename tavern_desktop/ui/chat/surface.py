"""The geometry of the chat surface as Qt sees it: the messages of a chat as placed rows (see `placed_rows`)."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, QTimer
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from typing_extensions import override

from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.estimate import Measures, estimate
from tavern_desktop.ui.chat.geometry import Anchor
from tavern_desktop.ui.chat.list_model import AnyIndex, RecordListModel
from tavern_desktop.ui.chat.look import SIDE_MARGIN, Look
from tavern_desktop.ui.chat.pictures import PictureShelf
from tavern_desktop.ui.chat.placed_rows import PlacedRows
from tavern_desktop.ui.chat.record import RowRecord
from tavern_desktop.ui.chat.row_layout import text_width
from tavern_desktop.ui.chat.rows import RowShelf, RowView
from tavern_desktop.ui.theme import themes

REFINED_AT_ONCE = 300
"""Rough estimates made exact in one go, a few milliseconds."""
FOOTER = 14


class ReadingLine(NamedTuple):
    """A line of text and where it stands on screen."""

    key: int
    character: int
    y: int


class Surface(PlacedRows):
    """Rows, their places and their painting order; what can be done with them is ChatView's."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.context = ChatContext(themes().current)
        self._percent = 100
        self.look = Look(self.context.theme, QApplication.font(), self._percent)
        self.pictures = PictureShelf(self.context.resolve_picture, self.context.run)
        self.rows = RowShelf(self.look, self.context, self.pictures)
        self.places.footer = FOOTER
        self._records: RecordListModel | None = None
        self._connected: list[Any] = []
        self.context_begin: int | None = None
        """The key of the message from which on the model knows the chat, None where it knows all of it."""
        self._measures = self._make_measures()
        self._laid_out_for = 0
        self._held_line: ReadingLine | None = None
        self._index_of_anchor: int | None = None
        self._refine_timer = QTimer(self)
        self._refine_timer.setSingleShot(True)
        self._refine_timer.timeout.connect(self._refine)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setMinimumSize(QSize(200, 120))
        self.pictures.arrived.connect(self._picture_arrived)

    # Rows

    @property
    def records(self) -> RecordListModel | None:
        """The model in view, None where there is none."""
        return self._records

    def row_of(self, key: int) -> int | None:
        return None if self._records is None else self._records.row_of(key)

    def key(self, row: int) -> int:
        assert self._records is not None
        return self._records.key(row)

    def record(self, row: int) -> RowRecord:
        assert self._records is not None
        return self._records.record(row)

    def row_view(self, row: int) -> RowView:
        """Return a row laid out for the present width."""
        assert self._records is not None
        return self.rows.get(self._records, row, self.row_width())

    def row_width(self) -> int:
        # Of the view's width, not the viewport's: the scroll bar lies within the margin, and text must not move
        # sideways when it appears.
        return max(160, min(self.look.column_width, self.width() - 2 * SIDE_MARGIN))

    def row_rect(self, row: int) -> QRect:
        """Return where a row is on the viewport."""
        width = self.row_width()
        left = max(0, (self.width() - width) // 2)
        return QRect(left, self.places.screen_top(row), width, self.places.height(row))

    def mark_context_begin(self, key: int | None) -> None:
        """Draw the line above a message from which on the model knows the chat, None for no line."""
        self.context_begin = key
        if self._records is not None:
            self._records.context_begin = key
        self.viewport().update()

    # Keeping still

    def change_row(self, key: int) -> None:
        """Lay a message out anew because of what the person did to it: its top stays where it is."""
        row = self.row_of(key)
        if row is None:
            return
        top = self.places.screen_top(row)
        self.rows.forget(key)
        self.places.row_changed(row)
        visible = row in self.places.visible_rows() and top >= 0
        self.places.hold(Anchor(key, top) if visible else self.places.anchor)
        self.settle()
        self.look_whether_at_end()

    def going(self, keys: list[int]) -> None:
        """These messages are about to leave the model."""

    def arrived(self, count: int) -> None:
        """So many messages were added at the end."""

    def show_records(self, model: RecordListModel | None, anchor: Anchor | None, *, at_end: bool) -> None:
        """Put another model in view, standing at `anchor` or at the end."""
        for signal, slot in self._connected:
            signal.disconnect(slot)
        self._records = model
        self.rows.clear()
        self.setModel(model)
        self._connected = []
        if model is not None:
            model.context_begin = self.context_begin
            self._connected = [
                (model.modelAboutToBeReset, self._about_to_reset),
                (model.modelReset, self._was_reset),
                (model.rowsRemoved, self._rows_removed),
                (model.rowsMoved, self._rows_moved),
            ]
        for signal, slot in self._connected:
            signal.connect(slot)
        self.places.reset(model)
        self.places.hold(anchor, at_end=at_end)
        self.settle()
        self._refine_timer.start(0)

    def apply_look(self, context: ChatContext, percent: int) -> None:
        """Take other colours, names or sizes."""
        self._percent = percent
        moved = (context.resolve_picture, context.run) != (self.context.resolve_picture, self.context.run)
        self.context = context
        if moved:
            self.pictures = PictureShelf(context.resolve_picture, context.run)
            self.pictures.arrived.connect(self._picture_arrived)
        line = self._reading_line()
        self.look = Look(context.theme, QApplication.font(), percent)
        self.rows.set_look(self.look, context, self.pictures)
        self._lay_out_anew(line)

    # What the model says

    def _about_to_reset(self) -> None:
        row = self.row_of(self.places.anchor.key) if self.places.anchor is not None else None
        self._index_of_anchor = self._records.absolute(row) if self._records is not None and row is not None else None

    def _was_reset(self) -> None:
        """Everything was read again: the same messages may have other keys, so the same number is kept in place."""
        model, anchor = self._records, self.places.anchor
        self.rows.clear()
        self.places.reset(model)
        if model is not None and anchor is not None and model.row_of(anchor.key) is None and model.rowCount():
            row = (self._index_of_anchor or 0) - (model.absolute(0) or 0)
            row = min(max(row, 0), model.rowCount() - 1)
            self.places.hold(Anchor(model.key(row), anchor.pixels), at_end=self.places.at_end)
        self.settle()

    @override
    def rowsInserted(self, parent: AnyIndex, start: int, end: int) -> None:
        QAbstractItemView.rowsInserted(self, parent, start, end)
        self.places.rows_inserted(start, end)
        if end + 1 < self.places.row_count:
            self.places.row_changed(end + 1)  # its day line may go
        else:
            if start > 0:
                self.places.row_changed(start - 1)  # no longer the last
            if not self.places.at_end:
                self.arrived(end - start + 1)
        self.settle()
        self._refine_timer.start(0)

    @override
    def rowsAboutToBeRemoved(self, parent: AnyIndex, start: int, end: int) -> None:
        keys = [self.key(row) for row in range(start, end + 1)]
        self.going(keys)
        self.places.rows_about_to_be_removed(start, end)
        for key in keys:
            self.rows.forget(key)
        QAbstractItemView.rowsAboutToBeRemoved(self, parent, start, end)

    def _rows_removed(self, parent: QModelIndex, start: int, end: int) -> None:
        self.places.rows_removed(start, end)
        for neighbour in (start - 1, start):
            if 0 <= neighbour < self.places.row_count:
                self.places.row_changed(neighbour)
        self.settle()

    def _rows_moved(self, *_: object) -> None:
        self.places.rows_moved()
        self.settle()

    @override
    def dataChanged(self, topLeft: AnyIndex, bottomRight: AnyIndex, roles: Any = ()) -> None:
        first, last = topLeft.row(), bottomRight.row()
        follows = self.places.at_end and first == last and self._is_written(last)
        self.places.rows_changed(first, min(last + 1, self.places.row_count - 1))
        if not follows:
            # Somebody changed a message: it grows downwards. Only text that is being written pulls the end along.
            self.places.hold(self.places.anchor)
        self.settle()
        if not follows:
            self.look_whether_at_end()
        QAbstractItemView.dataChanged(self, topLeft, bottomRight, [])

    def _is_written(self, row: int) -> bool:
        """Say whether a row shows its former text with more at its end, and is the last or the one being written."""
        former = self.rows.kept(self.key(row))
        if former is None or not self.record(row).text.startswith(former.record.text):
            return False
        return row == self.places.row_count - 1 or former.is_live

    def look_whether_at_end(self) -> None:
        """After the view was moved to a message: being at the end by chance is being at the end."""
        self.places.hold(self.places.anchor, at_end=self.places.is_at_maximum)
        self.settled()

    # Measuring

    def _measure(self, row: int) -> int:
        return self.row_view(row).layout.height

    def _estimate(self, row: int) -> int:
        assert self._records is not None
        return estimate(self._records.raw(row), self._measures)

    def _make_measures(self) -> Measures:
        look = self.look
        return Measures(
            text_width=text_width(self.row_width(), look),
            line_height=look.line_height,
            letter_width=QFontMetricsF(look.text_font).horizontalAdvance("the quick brown fox jumps over it") / 33,
            paragraph_gap=look.px(9),
            frame=look.px(53),
        )

    def _refine(self) -> None:
        """Give rows that nobody has seen a better guess, some at a time, without moving anything."""
        if self.places.refine(REFINED_AT_ONCE):
            self._refine_timer.start(0)
        self._settle()

    def _reading_line(self) -> ReadingLine | None:
        """Return the first line of text on screen, as it is laid out now, None where its row is whole on screen."""
        held = self._held_line
        if held is not None and self._line_top(held) == held.y:
            return held  # nobody scrolled since; another line each time would creep
        visible = self.places.visible_rows()
        if not visible or self._records is None or self.places.screen_top(visible[0]) >= 0:
            return None
        shown = self.rows.kept(self.key(visible[0]))
        if shown is None or shown.document is None or shown.layout.text.isEmpty():
            return None
        text_top = self.places.screen_top(visible[0]) + shown.layout.text.top()
        line = ReadingLine(shown.record.key, shown.document.character_at(0, max(0, -text_top)), 0)
        return line._replace(y=self._line_top(line) or 0)

    def _line_top(self, line: ReadingLine) -> int | None:
        """Return where a line is on screen now, None if it is not laid out."""
        row, shown = self.row_of(line.key), self.rows.kept(line.key)
        if row is None or row >= self.places.row_count or shown is None or shown.document is None:
            return None
        top = shown.layout.text.top() + round(shown.document.line_top(line.character))
        return self.places.screen_top(row) + top

    def _lay_out_anew(self, line: ReadingLine | None) -> None:
        """Measure everything again, as for another width or text size; `line` stays on its pixel."""
        self._laid_out_for = self.row_width()
        self._measures = self._make_measures()
        self.places.forget_measures()
        self._held_line = None
        if line is not None and not self.places.at_end and (row := self.row_of(line.key)) is not None:
            shown = self.row_view(row)
            if shown.document is not None:
                top = shown.layout.text.top() + round(shown.document.line_top(line.character))
                self.places.hold(Anchor(line.key, line.y - top))
                self._held_line = line
        self.settle()
        self._refine_timer.start(0)

    def _picture_arrived(self) -> None:
        """Its size was reserved: only pixels change."""
        self.viewport().update()

    # Qt's questions about places

    @override
    def visualRect(self, index: AnyIndex) -> QRect:
        if not index.isValid() or index.row() >= self.places.row_count:
            return QRect()
        return self.row_rect(index.row())

    @override
    def indexAt(self, p: QPoint) -> QModelIndex:
        row = self.places.row_at(p.y())
        if row is None or self._records is None:
            return QModelIndex()
        return self._records.index(row) if self.row_rect(row).contains(p) else QModelIndex()

    @override
    def scrollTo(self, index: AnyIndex, hint: Any = QAbstractItemView.ScrollHint.EnsureVisible) -> None:
        if index.isValid():
            self.ensure_visible(index.row())

    def ensure_visible(self, row: int) -> None:
        """Scroll as little as needed to show a row, its top if it is higher than the screen."""
        self.row_view(row)
        top, height = self.places.screen_top(row), self._measure(row)
        room = self.viewport().height()
        if top < 0 or height > room:
            pixels = 0
        elif top + height > room:
            pixels = room - height
        else:
            return
        self.places.hold(Anchor(self.key(row), pixels))
        self.settle()
        self.look_whether_at_end()

    @override
    def moveCursor(self, cursorAction: Any, modifiers: Any) -> QModelIndex:
        if self._records is None or not self.places.row_count:
            return QModelIndex()
        move = QAbstractItemView.CursorAction
        current = self.currentIndex().row() if self.currentIndex().isValid() else self.places.row_count - 1
        steps = {move.MoveUp: -1, move.MovePrevious: -1, move.MoveDown: 1, move.MoveNext: 1}
        if cursorAction == move.MoveHome:
            current = 0
        elif cursorAction == move.MoveEnd:
            current = self.places.row_count - 1
        row = min(max(current + steps.get(cursorAction, 0), 0), self.places.row_count - 1)
        return self._records.index(row)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        if self.row_width() != self._laid_out_for:
            self._lay_out_anew(self._reading_line())
        else:
            self.settle()
