"""Windows for tests, built as the program builds them, and what they leave on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.app import build
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.services import Services


class Opener:
    """Builds and shows windows as the program does."""

    def __init__(self, qtbot: QtBot, library: DataRoot) -> None:
        self._qtbot = qtbot
        self._library = library
        self.services: list[Services] = []

    def __call__(self, *argv: str, own: bool = False) -> MainWindow:
        """Start the program on the test's library, or with `own` on what it has of its own."""
        window = build([*argv] if own else ["--data-root", str(self._library.path), *argv])
        self.services.append(window.services)
        window.show()
        # The rest of the window is made after its lists are painted.
        self._qtbot.waitUntil(lambda: window.services.library.is_loaded and "part" in vars(window))
        return window

    def close(self) -> None:
        """Close every window and let the program end."""
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, MainWindow):
                widget.close()
        for services in self.services:
            services.shut_down()


def records(path: Path) -> list[dict[str, Any]]:
    """Read a chat file's messages, without its header."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[1:]]
