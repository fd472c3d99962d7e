"""What the shell's tests share: the theme, a library on disk, and a window with real parts."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from tavern_desktop.ui.theme import Themes, themes


@pytest.fixture(autouse=True)
def theme(qapp: QApplication) -> Themes:
    """The application's colours: light at the start of every test."""
    found = themes()
    found.choose("light")
    return found
