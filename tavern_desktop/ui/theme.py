"""Colours by meaning, the application palette and the one style sheet, following the system live.

A theme file gives ten base colours and says what each means; everything that paints asks `themes().current`
and repaints on `themes().changed`.
"""

from __future__ import annotations

import string
import tomllib
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from tavern_desktop.resources import resource_path

ThemeChoice = Literal["system", "light", "dark"]

_ARROWS = ("arrow-down", "arrow-down-faint", "arrow-up", "arrow-up-faint")
"""Pictures of the style sheet, in a grey that is seen in every theme."""

LEAST_POINT_SIZE = 10.5
"""14 px on a common screen: what the layout is drawn for. A larger system font is taken as it is."""


@dataclass(frozen=True)
class Theme:
    """What each colour is for. `hit` lies behind search hits, `selection` behind selected text."""

    dark: bool
    bg: QColor
    pane: QColor
    raised: QColor
    text: QColor
    muted: QColor
    line: QColor
    accent: QColor
    accent_soft: QColor
    on_accent: QColor
    speech: QColor
    narration: QColor
    code: QColor
    ok: QColor
    warn: QColor
    danger: QColor
    selection: QColor
    hit: QColor
    shadow: QColor

    @classmethod
    def load(cls, name: str) -> Theme:
        """Read resources/themes/<name>.toml. Raises KeyError for a meaning that is missing."""
        found = tomllib.loads(resource_path("themes", f"{name}.toml").read_text("utf-8"))
        base, meaning = found["base"], found["meaning"]
        colours = {f.name: QColor(base.get(meaning[f.name], meaning[f.name])) for f in fields(cls) if f.name != "dark"}
        return cls(dark=found["dark"], **colours)

    def palette(self) -> QPalette:
        """Return the palette for widgets the style sheet does not reach."""
        palette = QPalette(self.raised, self.pane)
        role = QPalette.ColorRole
        for which, colour in (
            (role.Window, self.pane),
            (role.Base, self.raised),
            (role.AlternateBase, self.code),
            (role.Button, self.raised),
            (role.ToolTipBase, self.raised),
            (role.WindowText, self.text),
            (role.Text, self.text),
            (role.ButtonText, self.text),
            (role.ToolTipText, self.text),
            (role.PlaceholderText, self.muted),
            (role.Highlight, self.selection),
            (role.HighlightedText, self.text),
            (role.Accent, self.accent),
            (role.Link, self.accent),
            (role.LinkVisited, self.narration),
            (role.BrightText, self.danger),
            (role.Light, self.raised),
            (role.Midlight, self.line),
            (role.Mid, self.line),
            (role.Dark, self.muted),
            (role.Shadow, self.line),
        ):
            palette.setColor(which, colour)
        for which in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, which, blend(self.muted, self.pane, 0.35))
        return palette

    def style_sheet(self, point_size: float) -> str:
        """Return the application's style sheet with this theme's colours and sizes from `point_size`."""
        values = {f.name: getattr(self, f.name).name() for f in fields(self) if f.name != "dark"}
        values |= {
            **{name.replace("-", "_"): resource_path("themes", f"{name}.svg").as_posix() for name in _ARROWS},
            "tick": resource_path("themes", "tick-dark.svg" if self.dark else "tick-light.svg").as_posix(),
            "hover": blend(self.text, self.pane, 0.94).name(),
            "accent_hover": blend(self.accent, self.text, 0.85).name(),
            "disabled": blend(self.muted, self.pane, 0.45).name(),
            "base_pt": f"{point_size:.2f}pt",
            "small_pt": f"{point_size * 12.5 / 14:.2f}pt",
            "tiny_pt": f"{point_size * 11.5 / 14:.2f}pt",
            "title_pt": f"{point_size * 22 / 14:.2f}pt",
        }
        return _template().substitute(values)


class Themes(QObject):
    """The theme in use: the person's choice, or what the system says, as it changes."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._choice: ThemeChoice = "system"
        self._name = ""
        font = application.font()
        self.point_size = max(font.pointSizeF(), LEAST_POINT_SIZE)
        font.setPointSizeF(self.point_size)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        application.setFont(font)
        application.setStyle("Fusion")
        application.styleHints().colorSchemeChanged.connect(self._apply)
        self._apply()

    @property
    def current(self) -> Theme:
        return _load(self._name)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    def choose(self, choice: ThemeChoice) -> None:
        """Take light, dark or the system's."""
        if choice == self._choice:
            return
        self._choice = choice
        scheme = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        # Tells the platform as well, for native frames and dialogs; where it cannot, _apply still follows the choice.
        QGuiApplication.styleHints().setColorScheme(scheme.get(choice, Qt.ColorScheme.Unknown))
        self._apply()

    def _apply(self) -> None:
        scheme = QGuiApplication.styleHints().colorScheme()
        system = "dark" if scheme == Qt.ColorScheme.Dark else "light"
        name = system if self._choice == "system" else self._choice
        if name == self._name:
            return
        self._name = name
        self._application.setPalette(self.current.palette())
        self._application.setStyleSheet(self.current.style_sheet(self.point_size))
        self.changed.emit()


def themes() -> Themes:
    """Return the one Themes of the running application, made at first use."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        raise RuntimeError("themes need a QApplication")
    found = application.findChild(Themes)
    return found if found is not None else Themes(application)


def blend(colour: QColor, other: QColor, share_of_other: float) -> QColor:
    """Return `colour` with this share (0 … 1) of `other` in it."""
    keep = 1 - share_of_other
    return QColor.fromRgbF(
        colour.redF() * keep + other.redF() * share_of_other,
        colour.greenF() * keep + other.greenF() * share_of_other,
        colour.blueF() * keep + other.blueF() * share_of_other,
    )


@cache
def _load(name: str) -> Theme:
    return Theme.load(name)


@cache
def _template() -> string.Template:
    return string.Template(resource_path("themes", "window.qss").read_text("utf-8"))
