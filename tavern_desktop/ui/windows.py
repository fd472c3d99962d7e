"""All windows of the program: opens them, hands files to the right one, brings one forward."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.services import Services

OFFSET = 32
"""Pixels by which a further window stands beside the one before."""


class Windows(QObject):
    """Owner: the application."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self._open: list[MainWindow] = []
        services.window_requested.connect(self.open_another)
        services.chat_wanted.connect(self.show_chat)
        services.in_front = self._in_front

    def open_first(self) -> MainWindow:
        """Make the first window; it is not shown yet."""
        return self._make()

    def open_another(self, path: Path | None) -> MainWindow:
        """Show one more window, on a chat if `path` names one."""
        active = QApplication.activeWindow()
        window = self._make()
        if isinstance(active, MainWindow):
            window.move(active.pos().x() + OFFSET, active.pos().y() + OFFSET)
        if path is not None:
            window.desk.open(path)
        window.show()
        return window

    def receive(self, path: Path | None, *, new_window: bool = False) -> None:
        """Do what a second start of the program asks for."""
        if new_window or not self._open:
            self.open_another(path)
            return
        window = self._open[-1]
        window.bring_forward()
        if path is not None:
            window.open_path(path)

    def show_chat(self, path: Path) -> None:
        """Bring a chat forward, in the window that has it in view or else in the newest."""
        showing = next((window for window in self._open if window.desk.path == path), None)
        if showing is None:
            self.receive(path)
        else:
            showing.bring_forward()

    def _in_front(self) -> Path | None:
        window = next((window for window in self._open if window.isActiveWindow()), None)
        return window.desk.path if window is not None else None

    def _make(self) -> MainWindow:
        window = MainWindow(self._services)
        self._open.append(window)
        window.destroyed.connect(lambda: self._forget(window))
        return window

    def _forget(self, window: MainWindow) -> None:
        self._open.remove(window)
