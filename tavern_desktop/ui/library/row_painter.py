"""How a row of the library looks: avatar, name, date and marks above, last words below."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tavern_desktop.ui.avatars import Avatars, paint_avatar
from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.library.entries import Entry
from tavern_desktop.ui.library.list_model import ENTRY_ROLE
from tavern_desktop.ui.relative_date import relative_date
from tavern_desktop.ui.theme import Theme, blend, themes
from tavern_desktop.ui.widgets import AnyIndex

AVATAR = 40
PADDING = 8
GAP = 12
SIGN = 15
DOT = 8
"""The mark of a chat with something new."""
LEAST_TITLE = 40
"""Pixels below which a title is not worth showing."""


def scaled_font(font: QFont, pixels: float, weight: QFont.Weight | None = None) -> QFont:
    """Return `font` at a size drawn for 14-pixel text."""
    made = QFont(font)
    made.setPointSizeF(themes().point_size * pixels / 14)
    if weight is not None:
        made.setWeight(weight)
    return made


class RowPainter(QStyledItemDelegate):
    """Paints the rows of one list."""

    def __init__(self, avatars: Avatars, parent: QObject) -> None:
        super().__init__(parent)
        self._avatars = avatars

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        lines = (
            QFontMetrics(scaled_font(option.font, 13.5)).height()
            + QFontMetrics(scaled_font(option.font, 12.5)).height()
        )
        return QSize(100, max(AVATAR, lines) + 2 * PADDING)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        entry: Entry = index.data(ENTRY_ROLE)
        theme = themes().current
        row = option.rect.adjusted(0, 1, 0, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, row, option, theme)
        avatar = QRect(row.left() + PADDING, row.center().y() - AVATAR // 2 + 1, AVATAR, AVATAR)
        ratio = painter.device().devicePixelRatioF()
        paint_avatar(painter, QRectF(avatar), entry.name, self._avatars.picture(entry.avatar or None, AVATAR, ratio))
        text = QRect(avatar.right() + GAP, row.top() + PADDING, 0, row.height() - 2 * PADDING)
        text.setRight(row.right() - PADDING)
        self._paint_first_line(painter, QRect(text.left(), text.top(), text.width(), text.height() // 2), option, entry)
        lower = QRect(text.left(), text.top() + text.height() // 2, text.width(), text.height() - text.height() // 2)
        if entry.told_versions:
            lower.setRight(self._paint_versions(painter, lower, option, entry.told_versions))
        weight = QFont.Weight.DemiBold if entry.unread else QFont.Weight.Normal
        words = scaled_font(option.font, 12.5, weight)
        painter.setFont(words)
        painter.setPen(_words_colour(entry))
        said = QCoreApplication.translate("Library", "writing…") if entry.writing else entry.words
        shown = QFontMetrics(words).elidedText(said, Qt.TextElideMode.ElideRight, lower.width())
        painter.drawText(lower, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)
        painter.restore()

    def _paint_versions(self, painter: QPainter, line: QRect, option: QStyleOptionViewItem, text: str) -> int:
        """Paint how many versions of the chat there are, and return where the room for other words ends."""
        theme = themes().current
        font = scaled_font(option.font, 11.5)
        width = QFontMetrics(font).horizontalAdvance(text) + 12
        pill = QRectF(line.right() - width, line.top() + 1, width, line.height() - 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(blend(theme.pane, theme.warn, 0.16))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        painter.setFont(font)
        painter.setPen(theme.warn)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        return int(pill.left()) - GAP // 2

    def _paint_ground(self, painter: QPainter, row: QRect, option: QStyleOptionViewItem, theme: Theme) -> None:
        state = option.state
        ground: QColor | None = None
        if state & QStyle.StateFlag.State_Selected:
            ground = theme.accent_soft
        elif state & QStyle.StateFlag.State_MouseOver:
            ground = blend(theme.pane, theme.text, 0.05)
        focused = state & QStyle.StateFlag.State_HasFocus
        painter.setPen(theme.accent if focused else Qt.PenStyle.NoPen)
        painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
        if ground is not None or focused:
            painter.drawRoundedRect(QRectF(row).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def _paint_first_line(self, painter: QPainter, line: QRect, option: QStyleOptionViewItem, entry: Entry) -> None:
        theme = themes().current
        small, bold = scaled_font(option.font, 11.5), scaled_font(option.font, 13.5, QFont.Weight.DemiBold)
        date = relative_date(entry.date_ms) if entry.date_ms is not None else ""
        right = line.right()
        painter.setFont(small)
        painter.setPen(theme.muted)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(line, flags | Qt.AlignmentFlag.AlignRight, date)
        right -= QFontMetrics(small).horizontalAdvance(date) + (8 if date else 0)
        if entry.unread:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent)
            painter.drawEllipse(QRectF(right - DOT, line.center().y() - DOT / 2 + 0.5, DOT, DOT))
            right -= DOT + 6
        for name, shown, colour in (
            ("warning", entry.damaged, theme.danger),
            ("pencil", entry.draft, theme.muted),
        ):
            if shown:
                paint_icon(painter, QRectF(right - SIGN, line.center().y() - SIGN / 2 + 0.5, SIGN, SIGN), name, colour)
                right -= SIGN + 6
        painter.setFont(bold)
        painter.setPen(theme.text)
        name_box = QRect(line.left(), line.top(), max(0, right - line.left()), line.height())
        metrics = QFontMetrics(bold)
        name = metrics.elidedText(entry.name, Qt.TextElideMode.ElideRight, name_box.width())
        painter.drawText(name_box, flags, name)
        name_box.setLeft(name_box.left() + metrics.horizontalAdvance(name) + 6)
        if entry.told_title and name_box.width() > LEAST_TITLE:
            painter.setFont(small)
            painter.setPen(theme.muted)
            title = QFontMetrics(small).elidedText(entry.told_title, Qt.TextElideMode.ElideRight, name_box.width())
            painter.drawText(name_box, flags, title)


def _words_colour(entry: Entry) -> QColor:
    theme = themes().current
    if entry.damaged:
        return theme.danger
    if entry.writing:
        return theme.accent
    return theme.text if entry.unread else theme.muted
