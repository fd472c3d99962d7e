"""What was just done, with Undo beside it, for ten seconds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.widgets import icon_button, label, push_button

SHOWN_FOR = 10_000
"""Milliseconds. Ctrl+Z still works when it is gone."""


class UndoBar(QFrame):
    """Lies over the lower edge of the chat, so that nothing moves when it comes and goes."""

    undo_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("undoBar")
        self._text = label()
        self.undo_button = push_button(self.tr("Undo"), "quiet", self._undo)
        self.undo_button.setToolTip(Act.UNDO.tip)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 8, 6)
        row.setSpacing(10)
        row.addWidget(self._text)
        row.addWidget(self.undo_button)
        row.addWidget(icon_button("close", self.tr("Dismiss"), self.hide))
        self._act: Callable[[], object] = self.undo_requested.emit
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_FOR)
        self._timer.timeout.connect(self.hide)
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def offer(self, text: str, undo: Callable[[], object] | None = None) -> None:
        """Say what was done and offer to undo it: by `undo`, else as the last change of the chat."""
        self._act = undo or self.undo_requested.emit
        self.undo_button.setToolTip(self.tr("Undo") if undo else Act.UNDO.tip)
        self._text.setText(text)
        self.setAccessibleName(text)
        self.adjustSize()
        self.show()
        self.raise_()
        self._timer.start()

    def _undo(self) -> None:
        self.hide()
        self._act()

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)
