"""The versions of a chat as rows: days, and under each what happened on it, newest first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tavern_desktop.session.history import Past
from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.widgets import AnyIndex

PAST_ROLE = Qt.ItemDataRole.UserRole + 1
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 2
ICON, PADDING, DAY_ROOM = 16, 6, 8


class VersionsModel(QAbstractListModel):
    """`Qt.UserRole` is the id of a version, "" for a day."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Past | str] = []
        self._details: Mapping[str, str] = {}

    def show_versions(self, versions: Sequence[Past], details: Mapping[str, str] | None = None) -> None:
        """Show other versions, given newest first. `details`, by id, are said in place of sizes and counts."""
        rows: list[Past | str] = []
        day = ""
        for past in versions:
            its_day = words.day_text(past.at_ms)
            if its_day != day:
                rows.append(its_day)
                day = its_day
            rows.append(past)
        self.beginResetModel()
        self._rows, self._details = rows, details or {}
        self.endResetModel()

    def row_of(self, past_id: str) -> int | None:
        """Return where a version stands, None if it does not."""
        rows = enumerate(self._rows)
        return next((row for row, past in rows if isinstance(past, Past) and past.id == past_id), None)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        # A day is no version: the keyboard goes past it.
        return super().flags(index) if isinstance(index.data(PAST_ROLE), Past) else Qt.ItemFlag.NoItemFlags

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        past = row if isinstance(row, Past) else None
        if role == PAST_ROLE:
            return row
        if role == DETAIL_ROLE:
            return self._details.get(past.id) if past is not None else None
        if role == Qt.ItemDataRole.UserRole:
            return past.id if past is not None else ""
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return words.spoken(past) if past is not None else row
        return None


class VersionPainter(QStyledItemDelegate):
    """Paints a version in two lines: what it was and when; how many messages, and the counts of what changed."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        if isinstance(index.data(PAST_ROLE), str):
            room = 0 if index.row() == 0 else DAY_ROOM
            return QSize(100, QFontMetrics(scaled_font(option.font, 11.5)).height() + PADDING + room)
        name, small = (QFontMetrics(scaled_font(option.font, size)).height() for size in (13.0, 11.5))
        return QSize(100, name + small + 2 * PADDING + 1)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row = index.data(PAST_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Past):
            self._paint_ground(painter, option)
            self._paint_past(painter, option, row, index.data(DETAIL_ROLE))
        else:
            painter.setFont(scaled_font(option.font, 11.5, painter.font().Weight.DemiBold))
            painter.setPen(themes().current.muted)
            flags = Qt.AlignmentFlag.AlignBottom | Qt.TextFlag.TextSingleLine
            painter.drawText(option.rect.adjusted(4, 0, -4, -3), flags, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        theme, state = themes().current, option.state
        ground = None
        if state & QStyle.StateFlag.State_Selected:
            ground = theme.accent_soft
        elif state & QStyle.StateFlag.State_MouseOver:
            ground = blend(theme.pane, theme.text, 0.05)
        focused = state & QStyle.StateFlag.State_HasFocus
        if ground is not None or focused:
            painter.setPen(theme.accent if focused else Qt.PenStyle.NoPen)
            painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def _paint_past(self, painter: QPainter, option: QStyleOptionViewItem, past: Past, detail: str | None) -> None:
        theme = themes().current
        box = option.rect.adjusted(8, PADDING, -8, -PADDING)
        name, small = scaled_font(option.font, 13.0), scaled_font(option.font, 11.5)
        metrics, tiny = QFontMetrics(name), QFontMetrics(small)
        sign = QRectF(box.left(), box.top() + (metrics.height() - ICON) / 2, ICON, ICON)
        paint_icon(painter, sign, words.icon_of(past), theme.muted)
        line = QRect(box.left() + ICON + 8, box.top(), box.width() - ICON - 8, metrics.height())
        _draw(painter, line, small, theme.muted, words.time_text(past.at_ms), right=True)
        room = line.width() - tiny.horizontalAdvance(words.time_text(past.at_ms)) - 8
        title = metrics.elidedText(words.title_of(past), Qt.TextElideMode.ElideRight, room)
        _draw(painter, line, name, theme.text, title)
        line = QRect(line.left(), line.bottom() + 2, line.width(), tiny.height())
        if detail is not None:
            text = tiny.elidedText(detail, Qt.TextElideMode.ElideRight, line.width())
            _draw(painter, line, small, theme.muted, text)
            return
        _draw(painter, line, small, theme.muted, words.size_of(past))
        for text, kind in reversed(words.counts_of(past)):
            _draw(painter, line, small, getattr(theme, words.KIND_TONES[kind]), text, right=True)
            line.setRight(line.right() - tiny.horizontalAdvance(text) - 7)


def _draw(painter: QPainter, box: QRect, font: Any, colour: Any, text: str, *, right: bool = False) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
    painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, text)
