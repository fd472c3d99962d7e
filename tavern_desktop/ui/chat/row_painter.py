"""Paints one row from its layout: card, avatar, head, folds, text, and the strip of actions on top."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPainter,
    QPainterPath,
    QPalette,
    QPen,
    QPixmap,
    QTextCharFormat,
    QTextCursor,
)

from tavern_desktop.ui.chat.context import Avatar, ChatContext
from tavern_desktop.ui.chat.document import Decoration, MessageDocument
from tavern_desktop.ui.chat.hit_test import code_buttons
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.pictures import PictureShelf
from tavern_desktop.ui.chat.row_layout import Fold, RowLayout
from tavern_desktop.ui.chat.rows import RowView
from tavern_desktop.ui.icons import paint_icon

HIDDEN_OPACITY = 0.5
KIND_ICONS = {"narrator": "chat", "comment": "pencil", "notice": "info", "special": "form"}
"""In place of the avatars of those who are nobody."""
TYPE_ICONS = {"Table": "table", "ParameterSet": "sliders", "ColumnMatch": "match", "WorkflowStatus": "steps"}
"""The same for the types of special messages."""
STRIP_ICONS = {"edit": "pencil", "copy": "copy", "hide": "eye-off", "unhide": "eye", "more": "more"}


@dataclass(frozen=True, slots=True)
class RowState:
    """How a row stands at the moment, besides what it says."""

    current: bool = False
    hovered: bool = False
    selected: bool = False
    """Among the messages selected in selection mode."""
    in_selection_mode: bool = False
    begins_context: bool = False
    """Whether the model knows the chat from this message on, and no earlier one."""
    pointed_at: str = ""
    """The part under the pointer: a strip button, "swipe_left", "swipe_right", "fold:…"."""
    selection: tuple[int, int] | None = None
    hits: tuple[tuple[int, int], ...] = ()
    current_hit: int | None = None
    visible_top: int = 0
    """How much of the row is scrolled away above."""
    clip: QRectF | None = None
    """The part of the row that is on screen."""


class RowPainter:
    """Paints rows of one look. Holds nothing that depends on a row but scaled avatars."""

    def __init__(self, look: Look, context: ChatContext, pictures: PictureShelf) -> None:
        self._look = look
        self._context = context
        self._pictures = pictures
        self._avatars: dict[tuple[int, int, float], QPixmap] = {}

    def paint(self, painter: QPainter, row: RowView, state: RowState) -> None:
        """Paint with the painter's origin at the row's top left corner."""
        layout = row.layout
        if layout.day_text:
            self._paint_day(painter, layout)
        self._paint_card(painter, layout.card, state)
        if state.begins_context:
            self._paint_context_begin(painter, layout.card)
        painter.save()
        if row.record.hidden and row.record.kind != "tool":
            painter.setOpacity(HIDDEN_OPACITY)
        self._paint_head(painter, row)
        for fold in layout.folds:
            self._paint_fold(painter, row, fold, state)
        if row.face is not None:
            from tavern_desktop.ui.chat.cards.face import paint_face

            paint_face(painter, row.face, layout.special, self._look, state.pointed_at.removeprefix("special:"))
        if row.document is not None and not layout.text.isEmpty():
            painter.translate(layout.text.topLeft())
            clip = state.clip.translated(-layout.text.x(), -layout.text.y()) if state.clip else None
            self._paint_document(painter, row.document, state, clip)
            painter.translate(-layout.text.topLeft())
        painter.restore()
        self._paint_note(painter, layout, state)
        self._paint_code_buttons(painter, row, state)
        self._paint_controls(painter, row, state)

    def _paint_day(self, painter: QPainter, layout: RowLayout) -> None:
        look, area = self._look, layout.day
        painter.setFont(look.time_font)
        painter.setPen(look.theme.muted)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, layout.day_text)
        half = painter.fontMetrics().horizontalAdvance(layout.day_text) // 2 + look.px(12)
        middle = area.center()
        painter.fillRect(QRect(area.left(), middle.y(), middle.x() - half - area.left(), 1), look.theme.line)
        painter.fillRect(QRect(middle.x() + half, middle.y(), area.right() - middle.x() - half + 1, 1), look.theme.line)

    def _paint_context_begin(self, painter: QPainter, card: QRect) -> None:
        """Draw a line with words in the room above the head, so that no text moves for it."""
        look = self._look
        font = QFont(look.time_font)
        font.setPixelSize(look.px(10))
        painter.setFont(font)
        words = QCoreApplication.translate("Surface", "The model knows the chat from here on")
        half = painter.fontMetrics().horizontalAdvance(words) // 2 + look.px(10)
        area = QRect(card.left() + look.px(12), card.top(), card.width() - look.px(24), look.px(11))
        painter.setPen(QPen(look.theme.accent, 1, Qt.PenStyle.DashLine))
        middle = area.center()
        painter.drawLine(area.left(), middle.y(), middle.x() - half, middle.y())
        painter.drawLine(middle.x() + half, middle.y(), area.right(), middle.y())
        painter.setPen(look.theme.accent)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_card(self, painter: QPainter, card: QRect, state: RowState) -> None:
        theme = self._look.theme
        radius = self._look.px(10)
        if state.selected:
            _rounded(painter, QRectF(card).adjusted(0.5, 0.5, -0.5, -0.5), radius, theme.accent_soft, None)
        elif state.current:
            area = QRectF(card).adjusted(1, 1, -1, -2)
            for spread, share in ((1.0, 0.35), (0.0, 0.6)):
                shadow = QColor(theme.shadow)
                shadow.setAlphaF(min(1.0, shadow.alphaF() * share))
                _rounded(painter, area.adjusted(-spread, 1, spread, 1 + spread), radius + spread, shadow, None)
            _rounded(painter, area, radius, theme.raised, None)
        if state.current and state.in_selection_mode:
            _rounded(painter, QRectF(card).adjusted(1, 1, -1, -1), radius, None, QPen(theme.accent, 1.5))

    def _paint_head(self, painter: QPainter, row: RowView) -> None:
        look, layout = self._look, row.layout
        if not layout.avatar.isEmpty():
            self._paint_avatar(painter, layout.avatar, row)
        if not layout.name.isEmpty():
            painter.setFont(look.name_font)
            painter.setPen(
                look.theme.muted if row.record.kind in ("narrator", "comment", "notice") else look.theme.text
            )
            painter.drawText(layout.name, _HEAD, layout.name_text)
        if not layout.time.isEmpty():
            painter.setFont(look.time_font)
            painter.setPen(look.theme.muted)
            painter.drawText(layout.time, _HEAD, layout.time_text)
        if not layout.hidden_mark.isEmpty():
            paint_icon(painter, QRectF(layout.hidden_mark), "eye-off", look.theme.text)
        if not layout.bookmark.isEmpty():
            paint_icon(painter, QRectF(layout.bookmark), "bookmark", look.theme.accent)

    def _paint_avatar(self, painter: QPainter, area: QRect, row: RowView) -> None:
        look = self._look
        radius = look.px(10)
        if (icon := KIND_ICONS.get(row.record.kind)) is not None:
            _rounded(painter, QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), radius, look.theme.code, None)
            if row.record.special is not None:
                icon = TYPE_ICONS.get(row.record.special.type, icon)
            paint_icon(painter, _icon_in(area, look.px(18)), icon, look.theme.muted)
            return
        avatar: Avatar = self._context.avatar(row.record.data)
        if isinstance(avatar, QPixmap):
            if not avatar.isNull():
                painter.drawPixmap(area, self._scaled(avatar, area.width(), painter.device().devicePixelRatioF()))
                return
            letter, colour = "?", look.theme.muted
        else:
            letter, colour = avatar.letter, avatar.colour
        _rounded(painter, QRectF(area), radius, colour, None)
        painter.setFont(look.avatar_font)
        painter.setPen(Qt.GlobalColor.white)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, letter)

    def _scaled(self, avatar: QPixmap, size: int, ratio: float) -> QPixmap:
        """Return an avatar cut to a rounded square at the device's own resolution."""
        key = (avatar.cacheKey(), size, ratio)
        if key not in self._avatars:
            if len(self._avatars) > 64:
                self._avatars.clear()
            pixels = round(size * ratio)
            cover = avatar.scaled(
                pixels,
                pixels,
                Qt.AspectRatioMode.KeepAspectRatioByExpanding,
                Qt.TransformationMode.SmoothTransformation,
            )
            made = QPixmap(pixels, pixels)
            made.fill(Qt.GlobalColor.transparent)
            painter = QPainter(made)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            shape = QPainterPath()
            shape.addRoundedRect(QRectF(0, 0, pixels, pixels), self._look.px(10) * ratio, self._look.px(10) * ratio)
            painter.setClipPath(shape)
            # Portraits: the face is in the upper part.
            painter.drawPixmap(QPointF((pixels - cover.width()) / 2, -(cover.height() - pixels) * 0.15), cover)
            painter.end()
            made.setDevicePixelRatio(ratio)
            self._avatars[key] = made
        return self._avatars[key]

    def _paint_fold(self, painter: QPainter, row: RowView, fold: Fold, state: RowState) -> None:
        look = self._look
        whole = fold.head.united(fold.body) if fold.is_open else fold.head
        bar = QRect(whole.left(), whole.top() + look.px(1), 2, whole.height() - look.px(1))
        painter.fillRect(bar, look.theme.line)
        pointed = state.pointed_at == f"fold:{fold.name}"
        colour = look.theme.text if pointed else look.theme.muted
        arrow = QRectF(fold.head.left() + look.px(8), fold.head.center().y() - look.px(6), look.px(13), look.px(13))
        paint_icon(painter, arrow, "chevron-down" if fold.is_open else "chevron-right", colour)
        painter.setFont(look.label_font)
        painter.setPen(colour)
        words = fold.head.adjusted(look.px(25), 0, 0, 0)
        label = painter.fontMetrics().elidedText(fold.label, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, _HEAD, label)
        document = row.fold_documents.get(fold.name)
        if document is not None and fold.is_open:
            painter.translate(fold.body.topLeft())
            self._paint_document(painter, document, RowState(), None)
            painter.translate(-fold.body.topLeft())

    def _paint_note(self, painter: QPainter, layout: RowLayout, state: RowState) -> None:
        if layout.note.isEmpty():
            return
        theme = self._look.theme
        painter.setFont(self._look.label_font)
        painter.setPen(theme.muted)
        painter.drawText(layout.note, _HEAD, layout.note_text)
        if layout.note_button.isEmpty():
            return
        if state.pointed_at == "continue":
            _rounded(painter, QRectF(layout.note_button), self._look.px(6), theme.accent_soft, None)
        painter.setPen(theme.accent)
        painter.drawText(layout.note_button, Qt.AlignmentFlag.AlignCenter, layout.note_button_text)

    def _paint_document(
        self, painter: QPainter, document: MessageDocument, state: RowState, clip: QRectF | None
    ) -> None:
        for decoration in document.decorations():
            if clip is None or clip.intersects(decoration.rect.adjusted(-1, -1, 1, 1)):
                self._paint_decoration(painter, document, decoration)
        paint = QAbstractTextDocumentLayout.PaintContext()
        paint.palette.setColor(QPalette.ColorRole.Text, document.look.theme.text)
        if clip is not None:
            paint.clip = clip
            # Only Qt's painter clip keeps lines of a block that is only partly on screen from being drawn.
        paint.selections = self._highlights(document, state)
        document.documentLayout().draw(painter, paint)

    def _highlights(self, document: MessageDocument, state: RowState) -> list[QAbstractTextDocumentLayout.Selection]:
        theme = self._look.theme
        found = []
        for number, span in enumerate(state.hits):
            is_current = number == state.current_hit
            ground = QColor(theme.accent) if is_current else theme.hit
            found.append(_highlight(document, span, ground, theme.on_accent if is_current else None))
        if state.selection is not None:
            found.append(_highlight(document, state.selection, theme.selection, None))
        return found

    def _paint_decoration(self, painter: QPainter, document: MessageDocument, decoration: Decoration) -> None:
        theme, rect = self._look.theme, decoration.rect
        match decoration.kind:
            case "code":
                _rounded(painter, rect, self._look.px(8), theme.code, None)
            case "quote":
                _rounded(painter, rect, 1, theme.line, None)
            case "rule":
                painter.fillRect(rect, theme.line)
            case "marker":
                painter.setFont(document.look.text_font)
                painter.setPen(theme.muted)
                painter.drawText(QPointF(rect.left(), decoration.baseline), decoration.text)
            case "picture":
                self._paint_picture(painter, decoration)

    def _paint_picture(self, painter: QPainter, decoration: Decoration) -> None:
        assert decoration.spot is not None
        theme = self._look.theme
        pixmap = self._pictures.pixmap(decoration.spot, painter.device().devicePixelRatioF())
        shape = QPainterPath()
        shape.addRoundedRect(decoration.rect, self._look.px(8), self._look.px(8))
        if pixmap is None or pixmap.isNull():
            painter.fillPath(shape, theme.code)
            if pixmap is not None:
                painter.setFont(self._look.label_font)
                painter.setPen(theme.muted)
                painter.drawText(decoration.rect, Qt.AlignmentFlag.AlignCenter, self._pictures.tr("Damaged picture"))
            return
        painter.save()
        painter.setClipPath(shape, Qt.ClipOperation.IntersectClip)
        painter.drawPixmap(decoration.rect.topLeft(), pixmap)
        painter.restore()

    def _paint_controls(self, painter: QPainter, row: RowView, state: RowState) -> None:
        layout, look = row.layout, self._look
        if layout.swipes is not None and (state.hovered or state.current or row.is_last):
            swipes = layout.swipes
            for name, icon, area in (
                ("swipe_left", "chevron-left", swipes.left),
                ("swipe_right", "chevron-right", swipes.right),
            ):
                if not area.isEmpty():
                    colour = look.theme.accent if state.pointed_at == name else look.theme.muted
                    paint_icon(painter, _icon_in(area, look.px(15)), icon, colour)
            painter.setFont(look.label_font)
            painter.setPen(look.theme.text)
            painter.drawText(swipes.label, Qt.AlignmentFlag.AlignCenter, swipes.text)
        if (state.hovered or (state.current and not state.in_selection_mode)) and not layout.strip.isEmpty():
            if not layout.editor.isEmpty():
                return
            self._paint_strip(painter, row, layout.strip_at(state.visible_top), state)

    def _paint_code_buttons(self, painter: QPainter, row: RowView, state: RowState) -> None:
        """Copy buttons of code blocks, on top of the code and only under the pointer."""
        if not state.hovered:
            return
        theme = self._look.theme
        for number, area in code_buttons(row, self._look):
            pointed = state.pointed_at == f"code:{number}"
            ground = theme.accent_soft if pointed else theme.code
            _rounded(painter, QRectF(area), self._look.px(6), ground, None)
            paint_icon(painter, _icon_in(area, self._look.px(15)), "copy", theme.accent if pointed else theme.muted)

    def _paint_strip(self, painter: QPainter, row: RowView, strip: QRect, state: RowState) -> None:
        look, theme = self._look, self._look.theme
        ground = QRectF(strip).adjusted(0.5, 0.5, -0.5, -0.5)
        _rounded(painter, ground, look.px(8), theme.raised, QPen(theme.line, 1))
        for name, area in row.layout.strip_buttons(strip):
            pointed = state.pointed_at == name
            if pointed:
                _rounded(painter, QRectF(area).adjusted(1, 3, -1, -3), look.px(6), theme.accent_soft, None)
            icon = STRIP_ICONS["unhide" if name == "hide" and row.record.hidden else name]
            paint_icon(painter, _icon_in(area, look.px(15)), icon, theme.accent if pointed else theme.muted)


_HEAD = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _rounded(painter: QPainter, area: QRectF, radius: float, fill: QColor | None, pen: QPen | None) -> None:
    painter.setPen(pen if pen is not None else Qt.PenStyle.NoPen)
    painter.setBrush(fill if fill is not None else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area, radius, radius)


def _icon_in(area: QRect, size: int) -> QRectF:
    return QRectF(area.center().x() + 1 - size / 2, area.center().y() + 1 - size / 2, size, size)


def _highlight(
    document: MessageDocument, span: tuple[int, int], ground: QColor, ink: QColor | None
) -> QAbstractTextDocumentLayout.Selection:
    highlight = QAbstractTextDocumentLayout.Selection()
    cursor = QTextCursor(document)
    cursor.setPosition(span[0])
    cursor.setPosition(min(span[1], document.length()), QTextCursor.MoveMode.KeepAnchor)
    highlight.cursor = cursor
    look = QTextCharFormat()
    look.setBackground(ground)
    if ink is not None:
        look.setForeground(ink)
    highlight.format = look
    return highlight
