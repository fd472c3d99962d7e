"""A person at the window: looks, clicks and types, and waits for what they see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener

CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
LONG = 120_000
"""Milliseconds after which a person who waits for a very long chat gives up."""


class Person:
    """Uses one window at a time; `window` is the one in front of them."""

    def __init__(self, qtbot: QtBot, opener: Opener) -> None:
        self._qtbot = qtbot
        self._opener = opener
        self.window: MainWindow

    # -- starting and opening ---------------------------------------------------------------------------

    def start(self, *argv: str, own: bool = False) -> MainWindow:
        """Start the program and see its window."""
        self.window = self._opener(*argv, own=own)
        return self.window

    def turn_to(self, window: MainWindow) -> None:
        """Use another window."""
        self.window = window
        window.activateWindow()
        self.wait(window.isActiveWindow)

    def open_newest(self) -> Path:
        """Click the first of the recent chats and wait until it can be edited."""
        recents = self.find(QAbstractItemView, "recentList")
        self.wait(lambda: recents.model().rowCount() > 0)
        index = recents.model().index(0, 0)
        self.click_row(recents, index)
        self.wait(self._can_edit)
        return Path(index.data(Qt.ItemDataRole.UserRole))

    def open_file(self, path: Path) -> None:
        """Open a chat file and wait until it can be edited."""
        self.window.open_path(path)
        self.wait(self._can_edit)

    def quit(self) -> None:
        """Close every window at once, without waiting for anything; the program ends."""
        self._opener.close()

    # -- looking ----------------------------------------------------------------------------------------

    @property
    def view(self) -> Any:
        return self.window.pane.view

    def find(self, kind: type[QWidget], name: str) -> Any:
        found = self.window.findChild(kind, name)
        assert found is not None, f"there is no {name}"
        return found

    def sees(self, name: str) -> bool:
        """Whether a part of the window is there and visible."""
        found = self.window.findChild(QWidget, name)
        return found is not None and found.isVisible()

    def shown_numbers(self) -> list[int]:
        """The numbers of the messages mounted in the surface."""
        model = self.view.model()
        return [model.index(row, 0).data(Qt.ItemDataRole.UserRole) for row in range(model.rowCount())]

    def text_of(self, number: int) -> str:
        """The text that the surface shows for a message."""
        model = self.view.model()
        row = self.shown_numbers().index(number)
        return str(model.index(row, 0).data(Qt.ItemDataRole.DisplayRole))

    def row_top(self, number: int) -> int:
        """Where a message stands on the screen."""
        row = self.shown_numbers().index(number)
        return int(self.view.visualRect(self.view.model().index(row, 0)).top())

    # -- doing ------------------------------------------------------------------------------------------

    def click_row(self, view: QAbstractItemView, index: QModelIndex) -> None:
        place = view.visualRect(index).center()
        self._qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def press_button(self, name: str) -> None:
        self._qtbot.mouseClick(self.find(QPushButton, name), Qt.MouseButton.LeftButton)

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """Press a key where the keyboard's focus is."""
        self._qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def type(self, text: str) -> None:
        self._qtbot.keyClicks(QApplication.focusWidget(), text)

    def click_message(self, number: int) -> None:
        """Bring a message into sight and click into it, so that it is the current one."""
        self.view.scroll_to_index(number)
        rect = self.view.visualRect(self.view.model().index(self.shown_numbers().index(number), 0))
        place = QPoint(rect.left() + 20, min(rect.bottom() - 3, self.view.viewport().height() - 3))
        self._qtbot.mouseClick(self.view.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def edit(self, number: int, text: str) -> None:
        """Open a message's editor, replace everything in it and save."""
        self.click_message(number)
        self.view.setFocus()
        self.press(Qt.Key.Key_F2)
        editor = self.find(QWidget, "messageEditor")
        editor.setFocus()
        self.press(Qt.Key.Key_A, CTRL)
        self.type(text)
        self.press(Qt.Key.Key_Return, CTRL)

    def wait(self, condition: Any, timeout: int = LONG) -> None:
        self._qtbot.waitUntil(condition, timeout=timeout)

    def _can_edit(self) -> bool:
        session = self.window.desk.session
        return session is not None and session.state == "ready" and bool(self.view.is_editable)
