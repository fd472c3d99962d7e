"""A thin line that shows how much of a chat has been read, with a way to stop."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from tavern_desktop.ui.widgets import label, push_button

PATIENCE = 400
"""Milliseconds before anything is said: most chats are there by then."""
STEPS = 1000


class LoadingLine(QWidget):
    """Lies over the upper edge of the surface, so that nothing moves when it comes and goes."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = QProgressBar()
        self._bar.setRange(0, STEPS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Reading the chat"))
        self._text = label(self.tr("Reading the whole chat… it can be edited in a moment."))
        self._box = QFrame()
        self._box.setObjectName("undoBar")
        row = QHBoxLayout(self._box)
        row.setContentsMargins(14, 3, 6, 3)
        row.addWidget(self._text)
        row.addWidget(push_button(self.tr("Cancel"), "quiet", self.cancel_requested.emit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._bar)
        column.addWidget(self._box, 0, Qt.AlignmentFlag.AlignHCenter)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(PATIENCE)
        self._patience.timeout.connect(self.show)
        self.hide()

    def start(self) -> None:
        """Say in a moment that something is being read."""
        self._bar.setValue(0)
        if not self.isVisible():
            self._patience.start()

    def stop(self) -> None:
        """Say nothing more."""
        self._patience.stop()
        self.hide()

    def show_progress(self, done: int, total: int) -> None:
        """Show how many bytes of how many have been read."""
        self._bar.setValue(STEPS * done // total if total else 0)
