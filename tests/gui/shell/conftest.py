"""What the shell's tests share: the theme, a library on disk, and windows with real parts."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot, recognise
from tavern_desktop.resources import resource_path
from tavern_desktop.ui.theme import Themes, themes
from tests.gui.shell.window_parts import Opener


@pytest.fixture(autouse=True)
def theme(qapp: QApplication) -> Themes:
    """The application's colours: light at the start of every test."""
    found = themes()
    found.choose("light")
    return found


@pytest.fixture
def library(tmp_path: Path) -> DataRoot:
    """A data root of its own with the sample library in it."""
    folder = tmp_path / "data"
    shutil.copytree(resource_path("sample"), folder)
    root = recognise(folder)
    assert root is not None
    return root


@pytest.fixture
def opened(qtbot: QtBot, library: DataRoot) -> Iterator[Opener]:
    """Open windows with this; they are closed in the end."""
    opener = Opener(qtbot, library)
    yield opener
    opener.close()
