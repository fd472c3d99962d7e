"""How a row of the chat manager looks: title and marks above, last words below, figures at the right."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.manager.model import CHAT, CHAT_ROLE
from tavern_desktop.ui.manager.rows import ManagedChat
from tavern_desktop.ui.theme import blend, themes
from tavern_desktop.ui.widgets import AnyIndex, TextField

SIDE, ABOVE, BETWEEN = 12, 8, 2
SIGN = 15
ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class ManagerPainter(QStyledItemDelegate):
    """Paints every column, and gives a field to rename in."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        lines = QFontMetrics(_title_font(option.font)).height() + QFontMetrics(_small(option.font)).height()
        figure = QFontMetrics(_small(option.font)).horizontalAdvance(index.data() or "")
        return QSize(figure + 2 * SIDE, lines + BETWEEN + 2 * ABOVE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme = themes().current
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.accent_soft)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(option.rect, blend(theme.raised, theme.text, 0.04))
        painter.fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), theme.line)
        inside = option.rect.adjusted(SIDE, ABOVE, -SIDE, -ABOVE)
        if index.column() == CHAT:
            self._paint_chat(painter, inside, option.font, index.data(CHAT_ROLE))
        else:
            painter.setFont(_small(option.font))
            painter.setPen(theme.muted)
            painter.drawText(inside, ONE_LINE | Qt.AlignmentFlag.AlignRight, index.data())
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        field = TextField("", self.tr("New name"))
        field.setParent(parent)
        return field

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        if isinstance(editor, QLineEdit):
            editor.setText(index.data(Qt.ItemDataRole.EditRole))
            editor.selectAll()

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        height = editor.sizeHint().height()
        editor.setGeometry(
            option.rect.left() + SIDE // 2, option.rect.center().y() - height // 2, option.rect.width() - SIDE, height
        )

    def _paint_chat(self, painter: QPainter, area: QRect, font: QFont, chat: ManagedChat) -> None:
        theme = themes().current
        bold, small = _title_font(font), _small(font)
        upper = QRect(area.left(), area.top(), area.width(), QFontMetrics(bold).height())
        lower = QRect(area.left(), upper.bottom() + 1 + BETWEEN, area.width(), QFontMetrics(small).height())
        left = self._paint_title(painter, upper, bold, chat)
        self._paint_marks(painter, QRect(left, upper.top(), upper.right() - left, upper.height()), font, chat)
        painter.setFont(small)
        painter.setPen(theme.danger if chat.is_damaged else theme.muted)
        words = QFontMetrics(small).elidedText(chat.words, Qt.TextElideMode.ElideRight, lower.width())
        painter.drawText(lower, ONE_LINE, words)

    def _paint_title(self, painter: QPainter, line: QRect, font: QFont, chat: ManagedChat) -> int:
        """Draw the title; return where marks may begin."""
        metrics = QFontMetrics(font)
        room = line.width() * (2 if chat.parent else 3) // (3 if chat.parent else 4)
        title = metrics.elidedText(chat.title, Qt.TextElideMode.ElideMiddle, max(room, 60))
        painter.setFont(font)
        painter.setPen(themes().current.text)
        painter.drawText(line, ONE_LINE, title)
        return line.left() + metrics.horizontalAdvance(title) + 8

    def _paint_marks(self, painter: QPainter, line: QRect, font: QFont, chat: ManagedChat) -> None:
        theme = themes().current
        left = line.left()
        if chat.is_current:
            left = self._paint_pill(painter, left, line, font, self.tr("current")) + 8
        for name, shown, colour in (
            ("warning", chat.is_damaged, theme.danger),
            ("duplicate", chat.has_conflict, theme.warn),
            ("branch", bool(chat.parent), theme.muted),
        ):
            if shown and left + SIGN < line.right():
                paint_icon(painter, QRectF(left, line.center().y() - SIGN / 2 + 0.5, SIGN, SIGN), name, colour)
                left += SIGN + 4
        if chat.parent:
            tiny = scaled_font(font, 11.5)
            painter.setFont(tiny)
            painter.setPen(theme.muted)
            parent = self.tr("{chat} (gone)").format(chat=chat.parent) if chat.parent_is_gone else chat.parent
            told = QFontMetrics(tiny).elidedText(parent, Qt.TextElideMode.ElideMiddle, line.right() - left)
            painter.drawText(QRect(left, line.top(), line.right() - left, line.height()), ONE_LINE, told)

    def _paint_pill(self, painter: QPainter, left: int, line: QRect, font: QFont, text: str) -> int:
        """Draw a word on a coloured ground; return where it ends."""
        theme = themes().current
        tiny = scaled_font(font, 11, QFont.Weight.DemiBold)
        metrics = QFontMetrics(tiny)
        pill = QRect(left, 0, metrics.horizontalAdvance(text) + 14, metrics.height() + 3)
        pill.moveTop(line.center().y() - pill.height() // 2 + 1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(blend(theme.accent_soft, theme.accent, 0.12))
        painter.drawRoundedRect(QRectF(pill), pill.height() / 2, pill.height() / 2)
        painter.setFont(tiny)
        painter.setPen(theme.accent)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        return pill.right()


def _title_font(font: QFont) -> QFont:
    return scaled_font(font, 13.5, QFont.Weight.DemiBold)


def _small(font: QFont) -> QFont:
    return scaled_font(font, 12.5)
