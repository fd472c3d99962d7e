"""What a character's page is made of: texts that are as high as what they say, and the list of other greetings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSizePolicy, QVBoxLayout, QWidget

from tavern_desktop.prompt.tokens import Estimate
from tavern_desktop.ui.widgets import icon_button, label, never_scroll_sideways, push_button

LEAST_LINES, MOST_LINES = 2, 18
SPARE = 6
"""Pixels by which a field is higher than its lines: letters of other scripts need more room than they say."""


class GrowingField(QPlainTextEdit):
    """A text as high as it needs to be, up to a limit; then it scrolls, and only while one writes in it."""

    left = Signal()
    """The keyboard has gone elsewhere."""

    def __init__(self, name: str, placeholder: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        never_scroll_sideways(self)
        self.document().documentLayout().documentSizeChanged.connect(lambda size: self._fit())
        self._fit()

    def show_text(self, text: str) -> None:
        """Show a text, without what is typed being lost where it is the same."""
        if text != self.toPlainText():
            self.setPlainText(text)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus() and self.verticalScrollBar().maximum() > 0:
            super().wheelEvent(event)
        else:
            event.ignore()  # the page scrolls

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()

    def _fit(self) -> None:
        lines = max(LEAST_LINES, min(MOST_LINES, round(self.document().size().height())))
        chrome = self.height() - self.viewport().height() if self.isVisible() else 14
        margins = round(2 * self.document().documentMargin())
        height = lines * self.fontMetrics().lineSpacing() + chrome + margins + SPARE
        if height != self.height():
            self.setFixedHeight(height)


class Section(QWidget):
    """A titled part of the page; the title says how many tokens the text is, by our estimate."""

    def __init__(self, title: str, content: QWidget, tip: str = "") -> None:
        super().__init__()
        self.title = label(title, "section")
        self.tokens = label("", "muted")
        self.content = content
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.addWidget(self.title, 1)
        head.addWidget(self.tokens)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(content)
        if tip:
            content.setToolTip(tip)

    def count(self, *texts: str) -> None:
        """Say how many tokens these texts are."""
        tokens = sum(map(Estimate().count, texts))
        self.tokens.setText(
            self.tr("about {count} tokens").format(count=self.locale().toString(tokens)) if tokens else ""
        )


class Greetings(QWidget):
    """The other greetings, each in a field of its own, to be written, put in order and taken out."""

    changed = Signal()
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[tuple[QFrame, GrowingField]] = []
        self._read_only = False
        self.add_button = push_button(self.tr("Add a Greeting"), "plain", self._add_one)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self.add_button, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def texts(self) -> tuple[str, ...]:
        """What the greetings say, in order."""
        return tuple(field.toPlainText() for _, field in self._rows)

    def show_texts(self, texts: Sequence[str]) -> None:
        """Show these greetings; fields that are there already stay, and with them the cursor."""
        if tuple(texts) == self.texts:
            return
        while len(self._rows) > len(texts):
            self._drop(len(self._rows) - 1)
        while len(self._rows) < len(texts):
            self._add("")
        for (_, field), text in zip(self._rows, texts, strict=True):
            with QSignalBlocker(field):
                field.show_text(text)
        self._name()

    def set_read_only(self, on: bool) -> None:
        """Let nothing be changed, or everything again."""
        self._read_only = on
        self.add_button.setVisible(not on)
        for row, field in self._rows:
            field.setReadOnly(on)
            for button in row.findChildren(QWidget, "greetingButton"):
                button.setVisible(not on)

    def _add_one(self) -> None:
        self._add("").setFocus()
        self._name()
        self.changed.emit()

    def _add(self, text: str) -> GrowingField:
        row, field = QFrame(), GrowingField("")
        field.setPlainText(text)
        field.setReadOnly(self._read_only)
        field.textChanged.connect(self.changed)
        field.left.connect(self.left)
        buttons = QVBoxLayout()
        buttons.setSpacing(2)
        for name, told, act in (
            ("arrow-up", self.tr("Move up"), self._move_up),
            ("close", self.tr("Remove this greeting"), self._remove),
        ):
            button = icon_button(name, told)
            button.setObjectName("greetingButton")
            button.clicked.connect(lambda checked=False, act=act, row=row: act(row))
            buttons.addWidget(button)
        buttons.addStretch(1)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(field, 1)
        line.addLayout(buttons)
        self._rows.append((row, field))
        self._column.insertWidget(self._column.count() - 1, row)
        return field

    def _move_up(self, row: QFrame) -> None:
        at = self._at(row)
        if at > 0:
            texts = list(self.texts)
            texts[at - 1 : at + 1] = texts[at], texts[at - 1]
            self.show_texts(texts)
            self._rows[at - 1][1].setFocus()
            self.changed.emit()

    def _remove(self, row: QFrame) -> None:
        self._drop(self._at(row))
        self._name()
        self.changed.emit()

    def _drop(self, at: int) -> None:
        row, _ = self._rows.pop(at)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _at(self, row: QFrame) -> int:
        return next(number for number, (held, _) in enumerate(self._rows) if held is row)

    def _name(self) -> None:
        for number, (_, field) in enumerate(self._rows, 2):
            field.setAccessibleName(self.tr("Greeting {number}").format(number=number))
            field.setPlaceholderText(self.tr("Greeting {number}").format(number=number))
