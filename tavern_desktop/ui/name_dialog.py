"""Asks for a name, and says while one types what would become of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone

Judge = Callable[[str], tuple[bool, str]]
"""Takes a name; returns whether it will do, and a sentence about it."""


class NameDialog(QDialog):
    """`take` is called with a name that will do."""

    def __init__(
        self,
        parent: QWidget,
        title: str,
        name: str,
        done_text: str,
        judge: Judge,
        take: Callable[[str], object],
        choice: QWidget | None = None,
    ) -> None:
        """`choice`: something else to decide, below the name."""
        super().__init__(parent)
        self.setObjectName("nameDialog")
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._judge, self._take = judge, take
        self.field = TextField(self.tr("Name"), title)
        self.hint = label("", "muted", wrap=True)
        self.done_button = push_button(done_text, "primary", self._finish)
        self.done_button.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        cancel.setAutoDefault(False)
        buttons.addWidget(cancel)
        buttons.addWidget(self.done_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 14)
        column.setSpacing(10)
        column.addWidget(self.field)
        column.addWidget(self.hint)
        if choice is not None:
            column.addWidget(choice)
        column.addLayout(buttons)
        self.setMinimumWidth(460)
        self.field.textChanged.connect(self._look)
        self.field.setText(name)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)
        self._look(name)

    def _look(self, name: str) -> None:
        will_do, sentence = self._judge(name)
        self.done_button.setEnabled(will_do)
        self.hint.setText(sentence)
        set_tone(self.hint, "muted" if will_do else "danger")

    def _finish(self) -> None:
        name = self.field.text()
        if self._judge(name)[0]:
            self.accept()
            self._take(name)
