"""Two states of a chat side by side below the names of their columns: the ground of History and of Compare."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from tavern_desktop.chat.differences import Kind
from tavern_desktop.session.history import Comparison
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.history_row_box import GUTTER, PADDING, SIDE_MARGIN, TICK_ROOM
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.inspector.history_view import DifferenceView
from tavern_desktop.ui.widgets import ElidedLabel, label, push_button

FIRST_SIZE = (1060, 720)
SMALLEST = (480, 320)
ROOM_AROUND = 40
"""Pixels that a window leaves of the one it lies over."""


class DifferenceColumns(QWidget):
    """The rows of a comparison, or a sentence in their place."""

    def __init__(self, model: DifferenceModel, accessible_name: str) -> None:
        super().__init__()
        self.view = DifferenceView(model)
        self.view.setObjectName("differenceView")
        self.view.setAccessibleName(accessible_name)
        self.left_head, self.right_head = ElidedLabel(tone="section"), ElidedLabel(tone="section")
        self.message = label(tone="muted", wrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.view)
        self._pages.addWidget(self.message)
        heads = QHBoxLayout()
        heads.setContentsMargins(TICK_ROOM + PADDING, 0, SIDE_MARGIN + 10, 0)
        heads.setSpacing(GUTTER + PADDING)
        heads.addWidget(self.left_head, 1)
        heads.addWidget(self.right_head, 1)
        body = QVBoxLayout(self)
        body.setContentsMargins(0, 8, 0, 0)
        body.setSpacing(6)
        body.addLayout(heads)
        body.addWidget(self._pages, 1)

    def name(self, left: str, right: str, comparison: Comparison) -> None:
        """Say what stands in each column, and how many messages it has."""
        for head, text, snapshot in (
            (self.left_head, left, comparison.before),
            (self.right_head, right, comparison.after),
        ):
            head.setText(f"{text} · {words.messages_text(len(snapshot.messages))}")

    def clear_names(self) -> None:
        """Name no column: there is nothing to compare."""
        for head in (self.left_head, self.right_head):
            head.setText("")

    def show_rows(self, *, from_first: bool = True) -> None:
        """Show the rows, from the first change on where that is asked for; the keyboard goes there too."""
        self._pages.setCurrentWidget(self.view)
        if from_first:
            self.view.show_first_change()
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def say(self, text: str) -> None:
        """Show a sentence in place of the rows."""
        self.message.setText(text)
        self._pages.setCurrentWidget(self.message)


def kind_tab(text: str) -> QPushButton:
    """Return a button of those of which one is pressed."""
    button = push_button(text, "tab")
    button.setCheckable(True)
    button.setAutoDefault(False)
    return button


def show_counts(tabs: dict[Kind | None, QPushButton], names: dict[Kind | None, str], counts: dict[Kind, int]) -> None:
    """Say on each tab how many messages there are of its kind; a filter that would show none any more is given up."""
    for kind, button in tabs.items():
        count = sum(counts.values()) if kind is None else counts[kind]
        button.setText(f"{names[kind]} {button.locale().toString(count)}" if count else names[kind])
        button.setEnabled(count > 0)
        if kind is not None and button.isChecked() and not count:
            tabs[None].click()


def lie_over(window: QDialog, parent: QWidget) -> None:
    """Give a window its first size: large, within the window it lies over."""
    over = parent.window().size()
    width, height = FIRST_SIZE
    window.resize(
        max(SMALLEST[0], min(width, over.width() - ROOM_AROUND)),
        max(SMALLEST[1], min(height, over.height() - ROOM_AROUND)),
    )
