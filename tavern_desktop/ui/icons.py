"""Our icons: 24-unit strokes, drawn at the size and in the colour that is needed, sharp at any scale."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QIconEngine, QPainter, QPixmap

from tavern_desktop.resources import resource_path
from tavern_desktop.ui.theme import Theme, themes

Tone = Literal["text", "muted", "accent", "on_accent", "danger", "ok", "warn"]


def icon(name: str, tone: Tone = "muted") -> QIcon:
    """Return resources/icons/<name>.svg as an icon that follows the theme in `tone`."""
    return QIcon(StrokeIcon(name, tone))


def application_icon() -> QIcon:
    """Return the program's own icon, in its own colours."""
    return QIcon(str(resource_path("icons", "app", "tavern-desktop.svg")))


def paint_icon(painter: QPainter, rect: QRectF, name: str, colour: QColor) -> None:
    """Draw an icon into `rect`, for delegates and the surface."""
    _renderer(name, colour.name()).render(painter, rect)


class StrokeIcon(QIconEngine):
    """An icon engine that recolours its strokes by the theme at the moment of painting."""

    def __init__(self, name: str, tone: Tone) -> None:
        super().__init__()
        self._name = name
        self._tone = tone

    def _colour(self, mode: QIcon.Mode) -> QColor:
        theme: Theme = themes().current
        colour = QColor(getattr(theme, self._tone))
        if mode == QIcon.Mode.Disabled:
            colour.setAlphaF(0.4)
        elif mode in (QIcon.Mode.Active, QIcon.Mode.Selected) and self._tone == "muted":
            colour = theme.accent
        return colour

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        colour = self._colour(mode)
        painter.save()
        painter.setOpacity(painter.opacity() * colour.alphaF())
        paint_icon(painter, QRectF(rect), self._name, colour)
        painter.restore()

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        return self.scaledPixmap(size, mode, state, 1.0)

    def scaledPixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State, scale: float) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return picture

    def clone(self) -> QIconEngine:
        return StrokeIcon(self._name, self._tone)


@cache
def _renderer(name: str, colour: str) -> Any:
    # QtSvg is loaded with the first icon, not with the module.
    from PySide6.QtSvg import QSvgRenderer

    source = resource_path("icons", f"{name}.svg").read_bytes()
    renderer = QSvgRenderer(QByteArray(source.replace(b"currentColor", colour.encode())))
    renderer.setAspectRatioMode(Qt.AspectRatioMode.KeepAspectRatio)
    return renderer
