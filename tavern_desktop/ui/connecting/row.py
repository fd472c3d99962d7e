"""One line of the list of connections: how it is, what it is called, and what can be done with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from tavern_desktop.ui.icons import Tone
from tavern_desktop.ui.widgets import ElidedLabel, Sign, icon_button, label, push_button, set_tone

Deed = tuple[str, str, Callable[[], object]]
"""An icon, its name, what it does."""


class ConnectionRow(QFrame):
    """Owner: the dialog. Shows what it is told."""

    def __init__(self, name: str, sign: str) -> None:
        super().__init__()
        self.setObjectName("connectionRow")
        self.setAccessibleName(name)
        self.name = ElidedLabel(name, "strong")
        self.mark = label("", "ok")
        self.details = ElidedLabel("", "muted")
        self.details.hide()
        self.state = label("", "muted", wrap=True)
        self.state.hide()
        self._sign = Sign(sign, "muted", 20)
        self.buttons: list[QPushButton | QToolButton] = []
        self._deeds = QHBoxLayout()
        self._deeds.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.name)
        head.addWidget(self.mark)
        head.addStretch(1)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addLayout(head)
        words.addWidget(self.details)
        words.addWidget(self.state)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 9, 8, 9)
        row.setSpacing(12)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(words, 1)
        row.addLayout(self._deeds)

    def show_details(self, text: str) -> None:
        """Say what it is, quietly."""
        self.details.setText(text)
        self.details.setVisible(bool(text))
        self.setAccessibleDescription(text)

    def show_state(self, text: str, tone: Tone) -> None:
        """Say how it is: in a line of its own where that takes a sentence."""
        self.state.setText(text)
        self.state.setVisible(bool(text))
        set_tone(self.state, tone)

    def show_in_use(self, text: str) -> None:
        """Mark it as the one in use, "" as none."""
        self.mark.setText(text)
        self._sign.show_icon("check" if text else "link", "accent" if text else "muted")

    def add_button(self, text: str, on_click: Callable[[], object], *, primary: bool = False) -> QPushButton:
        """Add a button with words."""
        button = push_button(text, "primary" if primary else "plain", on_click)
        button.setAutoDefault(False)
        button.setAccessibleName(f"{text}: {self.name.text()}")
        self._deeds.addWidget(button)
        self.buttons.append(button)
        return button

    def add_widget(self, widget: QWidget) -> None:
        """Add a control of another kind."""
        self._deeds.addWidget(widget)

    def add_deeds(self, deeds: Sequence[Deed]) -> None:
        """Add buttons that show only an icon."""
        for name, text, deed in deeds:
            button = icon_button(name, f"{text}: {self.name.text()}", deed)
            button.setToolTip(text)
            self._deeds.addWidget(button)
            self.buttons.append(button)
