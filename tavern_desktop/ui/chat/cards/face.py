"""The painted form of a special message: what lies where, worked out once, then only painted and hit.

A face is a list of pieces and of spots that can be clicked, both counted from the top left corner of its box. Texts of
payloads are painted as plain text: no markup in them means anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from PySide6.QtCore import QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen

from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.icons import paint_icon

Tone = Literal["text", "muted", "accent", "on_accent", "danger", "warn", "ok"]

_TOP_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

MOST_LINES = 12
"""Lines of a text in a face; what is longer can be seen where the card is used, or in its source."""


@dataclass(frozen=True, slots=True)
class Words:
    """A text in its rectangle."""

    area: QRect
    text: str
    font: QFont
    tone: Tone
    flags: int


@dataclass(frozen=True, slots=True)
class Shape:
    """A field's box, a check box, a button's ground, a line, the ground of a table's head."""

    area: QRect
    kind: Literal["field", "box", "button", "primary", "line", "head"]


@dataclass(frozen=True, slots=True)
class Icon:
    """A small icon."""

    area: QRect
    name: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Spot:
    """A part that can be clicked; `name` says what it means, `label` what it is called."""

    name: str
    area: QRect
    label: str = ""


@dataclass(frozen=True, slots=True)
class Face:
    """A laid out special message."""

    width: int
    height: int
    shapes: tuple[Shape, ...]
    icons: tuple[Icon, ...]
    words: tuple[Words, ...]
    spots: tuple[Spot, ...]

    def spot_at(self, point: QPoint) -> Spot | None:
        """Return what can be clicked at a point, counted from the box's corner."""
        return next((spot for spot in self.spots if spot.area.contains(point)), None)


@dataclass
class Sheet:
    """A face under way: everything is put below what is there. `y` is where the next thing goes."""

    look: Look
    width: int
    y: int = 0
    shapes: list[Shape] = field(default_factory=list)
    icons: list[Icon] = field(default_factory=list)
    words: list[Words] = field(default_factory=list)
    spots: list[Spot] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pad = self.look.px(14)
        self.y = self.look.px(11)
        self.strong = QFont(self.look.label_font)
        self.strong.setWeight(QFont.Weight.DemiBold)
        self.small = self.look.time_font

    @property
    def left(self) -> int:
        return self.pad

    @property
    def room(self) -> int:
        """How wide what is put here may be."""
        return max(40, self.width - 2 * self.pad)

    def heading(self, title: str, badge: str = "", tone: Tone = "muted") -> None:
        """Put the title, and a word on how it stands at the right."""
        look = self.look
        height = look.px(21)
        badge_width = QFontMetrics(self.small).horizontalAdvance(badge) + look.px(4) if badge else 0
        if badge:
            area = QRect(self.left + self.room - badge_width, self.y, badge_width, height)
            self.words.append(Words(area, badge, self.small, tone, int(_RIGHT)))
        if title:
            room = self.room - badge_width - (look.px(12) if badge else 0)
            lines = self.measured(title, self.strong, room)
            area = QRect(self.left, self.y, room, max(height, lines))
            self.words.append(Words(area, title, self.strong, "text", _TOP_LEFT | _wrap(title, self.strong, room)))
            height = area.height()
        if title or badge:
            self.y += height + look.px(6)

    def paragraph(self, text: str, tone: Tone = "muted", font: QFont | None = None, indent: int = 0) -> None:
        """Put a text over the whole width, cut after MOST_LINES."""
        if not text:
            return
        font = font or self.look.label_font
        room = self.room - indent
        height = min(self.measured(text, font, room), MOST_LINES * QFontMetrics(font).lineSpacing())
        area = QRect(self.left + indent, self.y, room, height)
        self.words.append(Words(area, text, font, tone, _TOP_LEFT | _wrap(text, font, room)))
        self.y += height + self.look.px(5)

    def line_of(
        self, text: str, area: QRect, tone: Tone = "text", font: QFont | None = None, *, right: bool = False
    ) -> None:
        """Put one line of text at a place, shortened to it."""
        font = font or self.look.label_font
        flat = " ".join(text[:2_000].split())
        shown = QFontMetrics(font).elidedText(flat, Qt.TextElideMode.ElideRight, area.width())
        self.words.append(Words(area, shown, font, tone, int(_RIGHT if right else _LEFT)))

    def buttons(self, offers: list[tuple[str, str, bool]], left: int | None = None) -> None:
        """Put buttons in a row: (spot's name, label, whether it is the main one)."""
        look, start = self.look, self.left if left is None else left
        x, height = start, look.px(29)
        for name, label, is_main in offers:
            width = QFontMetrics(look.label_font).horizontalAdvance(label) + look.px(30)
            if x > start and x + width > self.left + self.room:
                x, self.y = start, self.y + height + look.px(6)
            area = QRect(x, self.y, width, height)
            self.shapes.append(Shape(area, "primary" if is_main else "button"))
            tone: Tone = "on_accent" if is_main else "text"
            self.words.append(Words(area, label, look.label_font, tone, int(Qt.AlignmentFlag.AlignCenter)))
            self.spots.append(Spot(name, area, label))
            x += width + look.px(8)
        if offers:
            self.y += height + look.px(6)

    def measured(self, text: str, font: QFont, room: int) -> int:
        """Return how high a text is when it wraps within `room`."""
        cut = text[: MOST_LINES * max(20, room)]  # no more than could be seen is ever measured
        return QFontMetrics(font).boundingRect(QRect(0, 0, room, 100_000), _wrap(cut, font, room), cut).height()

    def done(self) -> Face:
        """Return the face."""
        height = self.y + self.look.px(7)
        return Face(self.width, height, tuple(self.shapes), tuple(self.icons), tuple(self.words), tuple(self.spots))


def paint_face(painter: QPainter, face: Face, box: QRect, look: Look, pointed_at: str) -> None:
    """Paint a face into its box. `pointed_at` is the name of the spot under the pointer."""
    theme = look.theme
    rounded(painter, QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), look.px(10), theme.raised, theme.line)
    painter.save()
    painter.setClipRect(box, Qt.ClipOperation.IntersectClip)
    painter.translate(box.topLeft())
    pointed = next((spot.area for spot in face.spots if spot.name == pointed_at), QRect())
    for shape in face.shapes:
        _paint_shape(painter, shape, look, is_pointed_at=shape.area == pointed)
    for icon in face.icons:
        paint_icon(painter, QRectF(icon.area), icon.name, getattr(theme, icon.tone))
    for words in face.words:
        painter.setFont(words.font)
        painter.setPen(getattr(theme, words.tone))
        painter.drawText(words.area, words.flags, words.text)
    painter.restore()


def _paint_shape(painter: QPainter, shape: Shape, look: Look, *, is_pointed_at: bool) -> None:
    theme, area = look.theme, QRectF(shape.area).adjusted(0.5, 0.5, -0.5, -0.5)
    match shape.kind:
        case "field":
            edge = theme.accent if is_pointed_at else theme.line
            rounded(painter, area, look.px(7), theme.bg, edge)
        case "box":
            rounded(painter, area, look.px(3), theme.bg, theme.accent if is_pointed_at else theme.muted)
        case "button":
            rounded(painter, area, look.px(7), theme.accent_soft if is_pointed_at else theme.raised, theme.line)
        case "primary":
            rounded(painter, area, look.px(7), theme.accent, theme.text if is_pointed_at else theme.accent)
        case "line":
            painter.fillRect(shape.area, theme.line)
        case "head":
            painter.fillRect(shape.area, theme.code)


def _wrap(text: str, font: QFont, room: int) -> int:
    """Return how a text wraps: between words, and within them only where one is too long for a line."""
    longest = max(text[: MOST_LINES * max(20, room)].split(), key=len, default="")
    is_long = QFontMetrics(font).horizontalAdvance(longest[:room]) > room
    return int(Qt.TextFlag.TextWrapAnywhere if is_long else Qt.TextFlag.TextWordWrap)


def rounded(painter: QPainter, area: QRectF, radius: float, fill: QColor, edge: QColor) -> None:
    """Paint a rounded box."""
    painter.setPen(QPen(edge, 1))
    painter.setBrush(fill)
    painter.drawRoundedRect(area, radius, radius)
