"""The line at the foot of the window: whether everything is saved, what is connected, where one is."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tavern_desktop.ui.widgets import ElidedLabel, label, push_button, set_tone

HEIGHT = 28


class StatusBar(QWidget):
    """Owner: the main window, which tells it what to say."""

    retry_requested = Signal()
    connection_requested = Signal()
    """The person wants to see the connections."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.save = ElidedLabel(tone="ok")
        self.save.setObjectName("statusSave")
        self.retry = push_button(self.tr("Retry"), "quiet", self.retry_requested.emit)
        self.retry.setToolTip(self.tr("Try to save again now"))
        self.retry.hide()
        self.connection = push_button(self.tr("No model connected"), "status", self.connection_requested.emit)
        self.connection.setObjectName("statusConnection")
        self.connection.setToolTip(self.tr("Connections to models"))
        self.tokens = label()
        self.tokens.setObjectName("statusTokens")
        self.tokens.setToolTip(self.tr("Tokens of the last request, and how many prompt and reply may have together"))
        for shown, name in (
            (self.save, self.tr("Save state")),
            (self.connection, self.tr("Connection")),
            (self.tokens, self.tr("Tokens")),
        ):
            shown.setAccessibleDescription(name)
        set_tone(self.tokens, "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 0, 14, 0)
        row.setSpacing(18)
        row.addWidget(self.save)
        row.addWidget(self.retry)
        row.addWidget(self.connection)
        row.addStretch(1)
        row.addWidget(self.tokens)
        self.show_save("")

    def show_connection(self, text: str, *, is_wrong: bool = False) -> None:
        """Say which model answers, or that it does not."""
        self.connection.setText(text)
        set_tone(self.connection, "danger" if is_wrong else "")

    def show_tokens(self, text: str) -> None:
        """Say how large the last request was, "" for nothing."""
        self.tokens.setText(text)

    def show_save(self, text: str, tone: str = "ok", *, retry: bool = False) -> None:
        """Say the save state in one of the tones ok, muted, danger; "" says nothing."""
        self.save.setText(f"● {text}" if text else "")
        self.save.setVisible(bool(text))
        self.save.setAccessibleName(text)
        set_tone(self.save, tone)
        self.retry.setVisible(retry)
