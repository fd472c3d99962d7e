"""Fonts and measures of the surface at one text size, in one theme. Lengths are device-independent pixels."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF

from tavern_desktop.ui.theme import Theme

COLUMN_WIDTH = 700
"""The widest a row gets at 100 %: about 80 letters a line."""
SIDE_MARGIN = 22

_READING_SIZE = 14.0
"""The pixel size of the message text that all other sizes are drawn for."""


class Look:
    """What painting, measuring and hit testing agree on. One for each (theme, text size); never changed."""

    def __init__(self, theme: Theme, base_font: QFont, percent: int = 100) -> None:
        self.theme = theme
        self.base_font = base_font
        self.percent = percent
        self.scale = percent / 100
        metric = QFontMetricsF(base_font)
        self._pixels = base_font.pixelSize() if base_font.pixelSize() > 0 else metric.height() / 1.362
        self.text_font = self._font(base_font, 14)
        self.name_font = self._font(base_font, 13.5, QFont.Weight.DemiBold)
        self.time_font = self._font(base_font, 11.5)
        self.label_font = self._font(base_font, 12.5)
        self.avatar_font = self._font(base_font, 16, QFont.Weight.DemiBold)
        self.code_font = self._font(base_font, 13)
        self.code_font.setFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
        self.code_font.setStyleHint(QFont.StyleHint.Monospace)
        self.line_height = self.px(21.5)
        self.code_line_height = self.px(19)
        self.column_width = self.px(COLUMN_WIDTH)
        self.indent = self.px(20)

    def px(self, length: float) -> int:
        """Return a length of the drawing at this text size."""
        return round(length * self.scale)

    def heading_font_factor(self, level: int) -> float:
        """Return how much larger than the text a heading is."""
        return (1.45, 1.28, 1.14, 1.05, 1.0, 1.0)[level - 1]

    def colour(self, wish: str) -> QColor | None:
        """Return the colour an author asked for, made legible on this theme's ground; None if it is no colour."""
        colour = _parse_colour(wish)
        if colour is None:
            return None
        return _legible(colour, self.theme.bg)

    def _font(self, base: QFont, size: float, weight: QFont.Weight | None = None) -> QFont:
        font = QFont(base)
        if base.pixelSize() > 0:
            font.setPixelSize(max(1, round(self._pixels * size / _READING_SIZE * self.scale)))
        else:
            font.setPointSizeF(max(1.0, base.pointSizeF() * size / _READING_SIZE * self.scale))
        if weight is not None:
            font.setWeight(weight)
        return font


def _parse_colour(wish: str) -> QColor | None:
    wish = wish.strip().lower()
    if wish.startswith(("rgb(", "rgba(")):
        parts = wish[wish.index("(") + 1 :].rstrip(")").replace("/", ",").replace(" ", ",").split(",")
        numbers = [part for part in parts if part][:3]
        if len(numbers) == 3 and all(number.isdigit() for number in numbers):
            return QColor(*(min(255, int(number)) for number in numbers))
        return None
    if not wish or len(wish) > 24 or not QColor.isValidColorName(wish):
        return None
    colour = QColor(wish)
    colour.setAlpha(255)
    return colour


def _legible(colour: QColor, ground: QColor) -> QColor:
    """Move the lightness away from the ground's until it can be read; the hue stays the author's."""
    is_dark = ground.lightnessF() < 0.5
    lightness = max(colour.lightnessF(), 0.55) if is_dark else min(colour.lightnessF(), 0.48)
    return QColor.fromHslF(max(colour.hslHueF(), 0.0), colour.hslSaturationF(), lightness)
