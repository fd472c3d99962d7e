"""The picture of a character that has none: the letter of its name on its colour."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QImage, QLinearGradient, QPainter

from tavern_desktop.library.card_picture import HEIGHT, WIDTH
from tavern_desktop.ui.attachments import png_of
from tavern_desktop.ui.chat.context import Letter


def portrait(name: str) -> bytes:
    """Return the picture as PNG, of the size that SillyTavern's are. On any thread."""
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    paint_portrait(painter, image.rect(), name)
    painter.end()
    return png_of(image)


def paint_portrait(painter: QPainter, area: QRect, name: str) -> None:
    """Fill an upright rectangle with the picture."""
    letter = Letter.of_name(name)
    ground = QLinearGradient(0, area.top(), 0, area.bottom())
    ground.setColorAt(0, letter.colour.lighter(112))
    ground.setColorAt(1, letter.colour.darker(140))
    painter.fillRect(area, ground)
    font = painter.font()
    font.setPixelSize(area.width() // 2)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.white)
    # Where lists cut a square out of it, the letter is in the middle of that.
    top = area.top() + (area.height() - area.width()) / 5
    square = QRectF(area.left(), top, area.width(), area.width())
    painter.drawText(square, Qt.AlignmentFlag.AlignCenter, letter.letter)
