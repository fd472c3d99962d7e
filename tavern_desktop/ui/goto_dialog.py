"""Go to a message by its number (0-based, as everywhere) or to a date."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone

Find = Callable[[str], int | str]
"""Takes what was typed; returns the message index, or a sentence why there is none."""


class GotoDialog(QDialog):
    """Asks where to go; `find` decides where that is."""

    def __init__(self, parent: QWidget, last: int, find: Find, go: Callable[[int], object]) -> None:
        super().__init__(parent)
        self.setObjectName("gotoDialog")
        self.setWindowTitle(self.tr("Go to Message"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._find, self._go = find, go
        self.field = TextField(self.tr("Number or date"), self.tr("Message number or date"))
        locale = self.locale()
        self._standing = self.tr("A number from 0 to {last}, or a date such as {date}.").format(
            last=locale.toString(last), date="2026-03-03"
        )
        self.hint = label(self._standing, "muted", wrap=True)
        go_button = push_button(self.tr("Go"), "primary", self._try)
        go_button.setDefault(True)
        row = QHBoxLayout()
        row.addWidget(self.field, 1)
        row.addWidget(go_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(10)
        column.addLayout(row)
        column.addWidget(self.hint)
        self.field.textChanged.connect(self._calm)
        self.setMinimumWidth(380)
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def _calm(self) -> None:
        self.hint.setText(self._standing)
        set_tone(self.hint, "muted")

    def _try(self) -> None:
        found = self._find(self.field.text().strip())
        if isinstance(found, int):
            self.accept()
            self._go(found)
        else:
            self.hint.setText(found)
            set_tone(self.hint, "danger")
