"""How the rows of a search look: chats with their picture, places with two lines of text and the hits marked."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import Hit
from tavern_desktop.ui.avatars import Avatars, paint_avatar
from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.search.results import ROW_ROLE, ChatHead, Row, place_of
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.utf16 import units
from tavern_desktop.ui.widgets import AnyIndex

AVATAR = 22
INDENT = 14
PADDING = 6
LINES = 2
SURELY_LONG = 120
"""Characters that no line of the library holds."""
HEAD_ROOM = 8
"""Pixels above a chat, which part it from the one before."""


class _Sizes:
    """The sizes of rows in one font."""

    def __init__(self, font: QFont) -> None:
        self.font = QFont(font)
        name, small, tiny = _fonts(font)
        self.text = QFontMetrics(small)
        named, line, above = QFontMetrics(name).height(), self.text.height(), QFontMetrics(tiny).height()
        self.head = QSize(100, max(AVATAR, named) + 2 * PADDING + HEAD_ROOM)
        self.failure = QSize(100, named + LINES * line + 2 * PADDING)
        self.hit = QSize(100, above + LINES * line + 2 * PADDING)
        self.short = QSize(100, above + line + 2 * PADDING)


class ResultPainter(QStyledItemDelegate):
    """Paints the rows of one list."""

    def __init__(self, avatars: Avatars, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._avatars = avatars
        self._view = view
        self._sizes: _Sizes | None = None

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        row: Row = index.data(ROW_ROLE)
        sizes = self._sizes
        if sizes is None or sizes.font != option.font:
            sizes = self._sizes = _Sizes(option.font)
        if isinstance(row, ChatHead):
            return sizes.head
        if isinstance(row, FileFailure):
            return sizes.failure
        # Measuring text costs, and nearly all snippets are long.
        is_short = len(row.snippet) < SURELY_LONG
        width = self._view.viewport().width() - 2 * INDENT
        return sizes.short if is_short and sizes.text.horizontalAdvance(row.snippet) < width else sizes.hit

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        row: Row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, ChatHead):
            box = option.rect.adjusted(0, HEAD_ROOM, 0, 0)
            self._paint_ground(painter, box, option)
            self._paint_head(painter, box, option, row)
        else:
            self._paint_ground(painter, option.rect, option)
            box = option.rect.adjusted(INDENT, PADDING, -INDENT + 4, -PADDING)
            if isinstance(row, FileFailure):
                self._paint_failure(painter, box, option, row)
            else:
                self._paint_hit(painter, box, option, row)
        painter.restore()

    def _paint_ground(self, painter: QPainter, box: QRect, option: QStyleOptionViewItem) -> None:
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
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)

    def _paint_head(self, painter: QPainter, box: QRect, option: QStyleOptionViewItem, head: ChatHead) -> None:
        theme = themes().current
        name_font, small, _ = _fonts(option.font)
        avatar = QRectF(box.left() + 8, box.center().y() - AVATAR / 2 + 0.5, AVATAR, AVATAR)
        ratio = painter.device().devicePixelRatioF()
        paint_avatar(painter, avatar, head.name, self._avatars.picture(head.avatar or None, AVATAR, ratio))
        line = QRect(round(avatar.right()) + 8, box.top(), 0, box.height())
        line.setRight(box.right() - 8)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setFont(small)
        painter.setPen(theme.muted)
        painter.drawText(line, flags | Qt.AlignmentFlag.AlignRight, head.told_count)
        line.setRight(line.right() - QFontMetrics(small).horizontalAdvance(head.told_count) - 8)
        for font, colour, text in ((name_font, theme.text, head.name), (small, theme.muted, head.title)):
            if line.width() <= 0:
                break
            metrics = QFontMetrics(font)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, line.width())
            painter.setFont(font)
            painter.setPen(colour)
            painter.drawText(line, flags, shown)
            line.setLeft(line.left() + metrics.horizontalAdvance(shown) + 6)

    def _paint_hit(self, painter: QPainter, box: QRect, option: QStyleOptionViewItem, hit: Hit) -> None:
        theme = themes().current
        _, small, tiny = _fonts(option.font)
        metrics = QFontMetrics(tiny)
        painter.setFont(tiny)
        painter.setPen(theme.muted)
        flags = Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine
        shown = metrics.elidedText(place_of(hit), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, flags, shown)
        painter.setPen(blend(theme.text, theme.pane, 0.4) if hit.hidden else theme.text)
        layout = _laid_out(hit, small, box.width())
        layout.draw(painter, QPointF(box.left(), box.top() + metrics.height()))

    def _paint_failure(self, painter: QPainter, box: QRect, option: QStyleOptionViewItem, failure: FileFailure) -> None:
        theme = themes().current
        name_font, small, _ = _fonts(option.font)
        metrics = QFontMetrics(name_font)
        side = metrics.height() - 2
        paint_icon(painter, QRectF(box.left(), box.top() + 1, side, side), "warning", theme.danger)
        line = box.adjusted(side + 6, 0, 0, 0)
        painter.setFont(name_font)
        painter.setPen(theme.text)
        name = metrics.elidedText(Path(failure.file).stem, Qt.TextElideMode.ElideRight, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine, name)
        painter.setFont(small)
        painter.setPen(theme.danger)
        painter.drawText(box.adjusted(0, metrics.height(), 0, 0), Qt.TextFlag.TextWordWrap, failure.message)


def _fonts(font: QFont) -> tuple[QFont, QFont, QFont]:
    return scaled_font(font, 13.5, QFont.Weight.DemiBold), scaled_font(font, 12.5), scaled_font(font, 11.5)


def _laid_out(hit: Hit, font: QFont, width: int) -> QTextLayout:
    """Return the snippet in at most LINES lines, the hits on their ground."""
    layout = QTextLayout(hit.snippet, font)
    layout.setTextOption(QTextOption(Qt.AlignmentFlag.AlignLeft))
    layout.setFormats([_mark(hit.snippet, *mark) for mark in hit.marks])
    layout.beginLayout()
    top = 0.0
    for _ in range(LINES):
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, top))
        top += line.height()
    layout.endLayout()
    return layout


def _mark(text: str, start: int, end: int) -> QTextLayout.FormatRange:
    marked = QTextLayout.FormatRange()
    marked.start, marked.length = units(text[:start]), units(text[start:end])
    look = QTextCharFormat()
    look.setBackground(QBrush(themes().current.hit))
    marked.format = look
    return marked
