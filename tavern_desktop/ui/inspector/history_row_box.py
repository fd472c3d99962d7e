"""One row of a comparison, laid out for a width: two texts side by side, and how they are painted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QTextCharFormat, QTextLayout, QTextOption

from tavern_desktop.chat.differences import Kind, Row
from tavern_desktop.chat.word_differences import Span
from tavern_desktop.ui.icons import paint_icon
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.history_excerpt import BEGINNING, excerpt
from tavern_desktop.ui.inspector.history_rows import RowTexts, Side, alike_text
from tavern_desktop.ui.library.row_painter import scaled_font
from tavern_desktop.ui.theme import Theme, blend
from tavern_desktop.ui.utf16 import units

TICK_ROOM, GUTTER, PADDING, GAP = 34, 32, 10, 6
"""Pixels: left of the texts for the tick, between them for the sign, inside a text's box, between two rows."""
SIDE_MARGIN = 14
SIGN, TICK = 16, 16
RUN_HEIGHT = 34
ALIKE_BEGINNING = 150
"""Characters shown of a text that is the same on both sides."""
BAR = 3
"""Pixels of the bar beside the row under the keyboard's cursor."""

_LINE_BREAKS = str.maketrans({"\n": "\u2028", "\r": " ", "\t": " "})
"""One character for each, so that marks stay where they are."""


class Fonts:
    """The fonts of rows, and what their texts take."""

    def __init__(self, base: QFont, percent: int) -> None:
        self.text = scaled_font(base, 13.5 * percent / 100)
        self.name = scaled_font(base, 12.5 * percent / 100, QFont.Weight.DemiBold)
        self.small = scaled_font(base, 11.5 * percent / 100)
        self.text_metrics = QFontMetrics(self.text)
        self.name_metrics = QFontMetrics(self.name)
        self.small_metrics = QFontMetrics(self.small)


class _Cell:
    """One text with its heading."""

    def __init__(
        self, side: Side, marks: Sequence[Span], look: QTextCharFormat, fonts: Fonts, *, whole: bool, beginning: int
    ) -> None:
        self.side = side
        shown = excerpt(side.text, marks, whole=whole, beginning=beginning)
        self.is_cut = shown.is_cut
        self.layout = QTextLayout(shown.text.translate(_LINE_BREAKS), fonts.text)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.layout.setTextOption(option)
        self.layout.setFormats(_formats(shown.text, shown.marks, look))

    def lay_out(self, width: int) -> int:
        """Break the text into lines and return its height."""
        top = 0.0
        self.layout.beginLayout()
        while (line := self.layout.createLine()).isValid():
            line.setLineWidth(width)
            line.setPosition(QPointF(0, top))
            top += line.height()
        self.layout.endLayout()
        return round(top)


class RowBox:
    """A row in its own coordinates; `top` is added when it is painted."""

    def __init__(
        self, row: Row, texts: RowTexts | None, width: int, fonts: Fonts, theme: Theme, *, can_tick: bool, whole: bool
    ) -> None:
        """`texts` is None for a run that is folded, `whole` shows long texts in full."""
        self.row = row
        self.can_tick = can_tick
        self._texts = texts
        self._fonts = fonts
        self._theme = theme
        column = (width - TICK_ROOM - GUTTER - SIDE_MARGIN) // 2
        self._lefts = (TICK_ROOM, TICK_ROOM + column + GUTTER)
        self._column = column
        self._width = width
        self._cells: list[_Cell | None] = [None, None]
        if texts is None:
            self.height = RUN_HEIGHT
            self.is_cut = False
            return
        is_one_sided = texts.before is None or texts.after is None
        beginning = BEGINNING if is_one_sided else ALIKE_BEGINNING
        self._cells = [
            None if side is None else _Cell(side, marks, self._mark(number), fonts, whole=whole, beginning=beginning)
            for number, (side, marks) in enumerate(zip((texts.before, texts.after), texts.marks, strict=True))
        ]
        inner = column - 2 * PADDING
        heights = [cell.lay_out(inner) for cell in self._cells if cell is not None]
        self._head = fonts.name_metrics.height() + 3
        self._text_height = max(heights, default=0)
        notes = len(texts.notes) * (fonts.small_metrics.height() + 2)
        self.is_cut = whole or any(cell is not None and cell.is_cut for cell in self._cells)
        self._more = words.fold_text() if whole else words.unfold_text()
        self._says_more = self.is_cut and bool(row.kinds or whole)
        more = fonts.small_metrics.height() + 3 if self._says_more else 0
        self._box_height = self._head + self._text_height + notes + more + 2 * PADDING - 2
        self.height = self._box_height + GAP

    def tick_rect(self) -> QRect:
        """Return where the tick is."""
        return QRect((TICK_ROOM - TICK) // 2 + 2, PADDING - 1, TICK, TICK)

    def paint(self, painter: QPainter, top: int, *, ticked: bool, current: bool, hovered: bool) -> None:
        """Draw the row with its top at `top`."""
        painter.save()
        painter.translate(0, top)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._texts is None:
            self._paint_run(painter, current=current, hovered=hovered)
        else:
            for number, cell in enumerate(self._cells):
                if cell is not None:
                    self._paint_cell(painter, number, cell)
            self._paint_signs(painter)
            self._paint_notes(painter, self._texts)
            if self.can_tick:
                self._paint_tick(painter, ticked=ticked)
            if current:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(self._theme.accent)
                painter.drawRoundedRect(QRectF(1, 0, BAR, self._box_height), BAR / 2, BAR / 2)
        painter.restore()

    def _paint_run(self, painter: QPainter, *, current: bool, hovered: bool) -> None:
        theme, fonts = self._theme, self._fonts
        text = alike_text(self.row.length)
        width = fonts.small_metrics.horizontalAdvance(text) + 44
        middle = self._lefts[0] + self._column + GUTTER / 2
        box = QRectF(middle - width / 2, 4, width, RUN_HEIGHT - 4 - GAP)
        painter.setPen(theme.line)
        for left, right in ((self._lefts[0], box.left() - 8), (box.right() + 8, self._lefts[1] + self._column)):
            painter.drawLine(QPointF(left, box.center().y()), QPointF(right, box.center().y()))
        if hovered or current:
            painter.setPen(theme.accent if current else Qt.PenStyle.NoPen)
            painter.setBrush(theme.accent_soft)
            painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        sign = QRectF(box.left() + 10, box.center().y() - 7, 14, 14)
        paint_icon(painter, sign, "chevron-down", theme.accent if hovered or current else theme.muted)
        painter.setFont(fonts.small)
        painter.setPen(theme.accent if hovered or current else theme.muted)
        painter.drawText(box.adjusted(20, 0, 0, 0), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    def _paint_cell(self, painter: QPainter, number: int, cell: _Cell) -> None:
        theme, fonts, kinds = self._theme, self._fonts, self.row.kinds
        box = QRectF(self._lefts[number], 0, self._column, self._box_height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ground())
        painter.drawRoundedRect(box, 8, 8)
        left, top = box.left() + PADDING, box.top() + PADDING - 3
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextSingleLine
        painter.setFont(fonts.small)
        painter.setPen(theme.muted)
        rise = fonts.name_metrics.ascent() - fonts.small_metrics.ascent()
        painter.drawText(QPointF(left, top + rise + fonts.small_metrics.ascent()), cell.side.number)
        start = left + fonts.small_metrics.horizontalAdvance(cell.side.number) + 7
        painter.setFont(fonts.name)
        painter.setPen(theme.text if kinds else theme.muted)
        room = round(box.right() - PADDING - start)
        name = fonts.name_metrics.elidedText(cell.side.speaker, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(start, top, room, fonts.name_metrics.height()), flags, name)
        painter.setPen(theme.text if kinds and cell.side.is_known else theme.muted)
        cell.layout.draw(painter, QPointF(left, box.top() + PADDING - 2 + self._head - 1))

    def _paint_signs(self, painter: QPainter) -> None:
        """Draw what became of the message between its two versions: colour alone would not tell."""
        left = self._lefts[1] - GUTTER / 2 - SIGN / 2
        top = float(PADDING - 2)
        for kind in Kind:
            if kind in self.row.kinds:
                colour = getattr(self._theme, words.KIND_TONES[kind])
                paint_icon(painter, QRectF(left, top, SIGN, SIGN), words.KIND_ICONS[kind], colour)
                top += SIGN + 3

    def _paint_notes(self, painter: QPainter, texts: RowTexts) -> None:
        fonts, theme = self._fonts, self._theme
        number = 1 if self._cells[1] is not None else 0
        left, room = self._lefts[number] + PADDING, self._column - 2 * PADDING
        top = PADDING + self._head + self._text_height
        painter.setFont(fonts.small)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        more = [self._more] if self._says_more else []
        for text in (*texts.notes, *more):
            painter.setPen(theme.accent if text in more else theme.muted)
            box = QRect(left, top, room, fonts.small_metrics.height())
            painter.drawText(box, flags, fonts.small_metrics.elidedText(text, Qt.TextElideMode.ElideRight, room))
            top += fonts.small_metrics.height() + 2

    def _paint_tick(self, painter: QPainter, *, ticked: bool) -> None:
        theme, box = self._theme, QRectF(self.tick_rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(theme.accent if ticked else theme.muted)
        painter.setBrush(theme.accent if ticked else theme.raised)
        painter.drawRoundedRect(box, 4, 4)
        if ticked:
            paint_icon(painter, box.adjusted(1, 1, -1, -1), "check", theme.on_accent)

    def _ground(self) -> QColor:
        theme, kinds = self._theme, self.row.kinds
        if Kind.REMOVED in kinds:
            return blend(theme.danger, theme.bg, 0.88)
        if Kind.ADDED in kinds:
            return blend(theme.ok, theme.bg, 0.88)
        return theme.raised if kinds else theme.bg

    def _mark(self, number: int) -> QTextCharFormat:
        """Return how words look that went (struck out) or came (underlined)."""
        theme = self._theme
        look = QTextCharFormat()
        look.setBackground(QBrush(blend((theme.danger, theme.ok)[number], theme.raised, 0.76)))
        look.setForeground(QBrush(theme.text))
        if number == 0:
            look.setFontStrikeOut(True)
        else:
            look.setFontUnderline(True)
        return look


def _formats(text: str, marks: Sequence[Span], look: QTextCharFormat) -> list[QTextLayout.FormatRange]:
    """Return the marks as Qt counts: characters beyond the basic plane are two."""
    ranges = []
    at = place = 0
    for start, end in marks:
        marked = QTextLayout.FormatRange()
        marked.start = place + units(text[at:start])
        marked.length = units(text[start:end])
        marked.format = look
        at, place = end, marked.start + marked.length
        ranges.append(marked)
    return ranges
