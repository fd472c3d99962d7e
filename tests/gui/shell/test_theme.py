"""Colours by meaning, legible in both themes, and followed by everything that paints."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QIcon
from pytestqt.qtbot import QtBot

from tavern_desktop.resources import resource_path
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.theme import Theme, Themes, blend


def _luminance(colour: QColor) -> float:
    def linear(share: float) -> float:
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def _contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_text_colour_can_be_read_on_every_ground(name: str) -> None:
    theme = Theme.load(name)
    for ground in (theme.bg, theme.pane, theme.raised):
        for text in (theme.text, theme.muted, theme.accent, theme.speech, theme.narration, theme.danger, theme.ok):
            assert _contrast(text, ground) >= 4.5, (text.name(), ground.name())
    assert _contrast(theme.on_accent, theme.accent) >= 4.5
    assert _contrast(theme.text, theme.selection) >= 4.5
    assert _contrast(theme.text, theme.hit) >= 4.5
    assert _contrast(theme.accent, theme.accent_soft) >= 4


@pytest.mark.parametrize("name", ["light", "dark"])
def test_the_style_sheet_takes_every_value_it_names(name: str) -> None:
    sheet = Theme.load(name).style_sheet(10.5)
    assert "$" not in sheet.replace("($name)", "")
    assert Theme.load(name).accent.name() in sheet


def test_a_choice_is_announced_and_reaches_the_palette(qtbot: QtBot, theme: Themes) -> None:
    with qtbot.waitSignal(theme.changed):
        theme.choose("dark")
    assert theme.current.dark
    from PySide6.QtWidgets import QApplication

    assert QApplication.palette().window().color() == theme.current.pane


def test_icons_follow_the_theme(theme: Themes) -> None:
    def darkest(shown: QIcon) -> float:
        image = shown.pixmap(QSize(24, 24)).toImage()
        return min(
            image.pixelColor(x, y).lightnessF()
            for x in range(24)
            for y in range(24)
            if image.pixelColor(x, y).alpha() > 200
        )

    sign = icon("close", "text")
    assert darkest(sign) < 0.3
    theme.choose("dark")
    assert darkest(sign) > 0.6


def test_every_action_has_its_icon_file() -> None:
    for act in Act:
        if act.value.icon:
            assert resource_path("icons", f"{act.value.icon}.svg").is_file()


def test_blending_goes_from_one_colour_to_the_other() -> None:
    black, white = QColor("black"), QColor("white")
    assert blend(black, white, 0) == black
    assert blend(black, white, 1) == white
