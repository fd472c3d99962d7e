"""The dialogs that show what a person has set up, a row for each: connections, tool servers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QHBoxLayout,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.ui.connecting.row import ConnectionRow
from tavern_desktop.ui.widgets import label, push_button, set_tone

FIRST_WIDTH = 720


class RowsDialog(QDialog):
    """Base of them: rows that scroll in `column`, below them a line with what became of the last deed, and buttons."""

    def __init__(self, parent: QWidget, name: str, title: str, height: int) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(FIRST_WIDTH, height)
        self.said = label("", "muted", wrap=True)
        self.said.setAccessibleDescription(self.tr("What became of it"))
        self.said.hide()
        inside = QWidget()
        inside.setObjectName("scrolled")
        self.column = QVBoxLayout(inside)
        self.column.setContentsMargins(22, 18, 22, 10)
        self.column.setSpacing(8)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inside)
        self._whole = QVBoxLayout(self)
        self._whole.setContentsMargins(0, 0, 0, 0)
        self._whole.setSpacing(0)
        self._whole.addWidget(scroll, 1)

    def say(self, text: str, tone: str = "muted") -> None:
        """Say what became of a deed; nothing takes the line away."""
        self.said.setText(text)
        self.said.setVisible(bool(text))
        set_tone(self.said, tone)

    def say_problem(self, text: str) -> None:
        """Say why a deed could not be done."""
        self.say(text, "danger")

    def ask_to_remove(self, name: str, title: str, question: str, remove: Callable[[], object]) -> None:
        """Ask before something is removed for good."""
        box = QMessageBox(self)
        box.setObjectName(name)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(title)
        box.setText(question)
        go = box.addButton(self.tr("Remove"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        go.clicked.connect(lambda: remove())
        box.finished.connect(box.deleteLater)
        box.open()

    def lay_foot(self, buttons: Sequence[QPushButton]) -> None:
        """Put the line and the buttons below the rows, *Close* last."""
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for button in buttons:
            button.setAutoDefault(False)
            foot.addWidget(button)
        foot.addStretch(1)
        close = push_button(self.tr("Close"), "plain", self.accept)
        close.setDefault(True)
        foot.addWidget(close)
        below = QVBoxLayout()
        below.setContentsMargins(22, 8, 22, 16)
        below.setSpacing(10)
        below.addWidget(self.said)
        below.addLayout(foot)
        self._whole.addLayout(below)

    def refill(self, fill: Callable[[], Iterable[ConnectionRow]], instead: QAbstractButton) -> None:
        """Make the rows anew by `fill`; the keyboard stays on the control it was on, else goes to the first of them,
        and `instead` where there is none."""
        focused = self.focusWidget()
        was_on = focused.accessibleName() if focused is not None and isinstance(focused.parent(), ConnectionRow) else ""
        controls = [each for row in fill() for each in row.findChildren(QAbstractButton)]
        if was_on:
            named = [each for each in controls if each.accessibleName() == was_on]
            (named or controls or [instead])[0].setFocus(Qt.FocusReason.OtherFocusReason)
