"""What the surface says where a chat has no messages: that it is new, or that its file lost everything."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from tavern_desktop.ui.widgets import label, push_button

Emptiness = Literal["", "new", "lost"]
"""Why nothing is shown: "" something is; new: no message was written yet; lost: the file has no bytes at all."""
WIDEST = 460


class EmptyChat(QWidget):
    """Lies over the middle of the surface. Owner: the chat pane."""

    backups_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyChat")
        self.setMaximumWidth(WIDEST)
        self.state: Emptiness = ""
        self.what = label(tone="muted", wrap=True)
        self.backup = label(tone="muted", wrap=True)
        for text in (self.what, self.backup):
            text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.backups = push_button(self.tr("Open Backup…"), "plain", self.backups_requested.emit)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addWidget(self.what)
        column.addWidget(self.backup)
        column.addWidget(self.backups, 0, Qt.AlignmentFlag.AlignHCenter)
        self.hide()

    def show_state(self, state: Emptiness) -> bool:
        """Say why nothing is shown; return whether that is new."""
        if state == self.state:
            return False
        self.state = state
        texts = {
            "": "",
            "new": self.tr("No messages yet. Write the first one below."),
            "lost": self.tr(
                "This file is empty: it has 0 bytes, as after a power cut or a full disk. What you write below "
                "begins the chat anew."
            ),
        }
        self.what.setText(texts[state])
        self.backups.setVisible(state == "lost")
        self.show_backup("")
        self.setVisible(bool(state))
        return True

    def show_backup(self, text: str) -> None:
        """Say which backup there is."""
        self.backup.setText(text)
        self.backup.setVisible(bool(text))
