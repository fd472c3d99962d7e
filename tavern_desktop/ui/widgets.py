"""Small things that several parts of the window are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QFrame,
    QLabel,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from tavern_desktop.ui.icons import Tone, icon

AnyIndex = QModelIndex | QPersistentModelIndex
"""What Qt may hand to a model or delegate."""

Kind = Literal["plain", "primary", "pill", "quiet", "tab", "choice", "status", "model"]


def push_button(text: str, kind: Kind = "plain", on_click: Callable[[], object] | None = None) -> QPushButton:
    """Return a button in one of the style sheet's kinds."""
    button = QPushButton(text)
    button.setProperty("kind", kind)
    button.setToolTip(text)
    if on_click is not None:
        button.clicked.connect(lambda: on_click())
    return button


def icon_button(
    name: str, text: str, on_click: Callable[[], object] | None = None, *, key: str = "", tone: Tone = "muted"
) -> QToolButton:
    """Return a flat button that shows only an icon; `text` is its name, its tooltip adds the key."""
    button = QToolButton()
    button.setIcon(icon(name, tone))
    button.setIconSize(QSize(18, 18))
    button.setAccessibleName(text)
    button.setToolTip(f"{text} ({key})" if key else text)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if on_click is not None:
        button.clicked.connect(lambda: on_click())
    return button


def label(text: str = "", tone: str = "", *, wrap: bool = False) -> QLabel:
    """Return a plain-text label in one of the style sheet's tones."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if tone:
        made.setProperty("tone", tone)
    return made


def set_tone(widget: QWidget, tone: str, name: str = "tone") -> None:
    """Change a property the style sheet looks at."""
    if widget.property(name) != tone:
        widget.setProperty(name, tone)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


SpinBox = TypeVar("SpinBox", bound=QAbstractSpinBox)


def inset(box: SpinBox) -> SpinBox:
    """Let the text of a field to count in begin where that of other fields does: its style knows no padding."""
    box.lineEdit().setTextMargins(8, 0, 0, 0)
    return box


def narrow(widget: QWidget) -> QWidget:
    """Let a field be as narrow as there is room for."""
    widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return widget


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout, and have it go."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def horizontal_line() -> QFrame:
    """Return a hair line."""
    line = QFrame()
    line.setObjectName("line")
    line.setFixedHeight(1)
    return line


class Sign(QWidget):
    """An icon that only shows something, in the colours of the moment."""

    def __init__(self, name: str, tone: Tone, side: int) -> None:
        super().__init__()
        self.setFixedSize(side, side)
        self.show_icon(name, tone)

    def show_icon(self, name: str, tone: Tone) -> None:
        """Show another icon."""
        self._icon = icon(name, tone)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), self.rect())


class ElidedLabel(QLabel):
    """A label of one line that shortens with … what does not fit, and tells it whole in its tooltip."""

    def __init__(self, text: str = "", tone: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if tone:
            self.setProperty("tone", tone)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, area.width())
        self.setToolTip(self.text() if shown != self.text() else "")
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(area, self.alignment() | Qt.AlignmentFlag.AlignVCenter, shown)


def takes_words_out(event: QEvent) -> bool:
    """Say whether a key takes words out of the text being typed, as Ctrl+Delete: never is it the chat's (B-22).

    Qt's own text fields do not claim these keys before a window's action has them.
    """
    keys = (
        QKeySequence.StandardKey.DeleteEndOfWord,
        QKeySequence.StandardKey.DeleteStartOfWord,
        QKeySequence.StandardKey.DeleteEndOfLine,
        QKeySequence.StandardKey.DeleteCompleteLine,
    )
    return isinstance(event, QKeyEvent) and any(map(event.matches, keys))


def never_scroll_sideways(field: QPlainTextEdit) -> None:
    """Keep a field that wraps its text where it is: blanks at the end of a line would push the text to the left."""
    field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    bar = field.horizontalScrollBar()
    bar.rangeChanged.connect(lambda least, most: bar.setRange(0, 0))


class TextField(QLineEdit):
    """A line to type in. While an input method composes, Enter, Esc and shortcuts belong to it (B-58)."""

    down_pressed = Signal()
    """The person wants to go on to what lies below."""

    def __init__(self, placeholder: str, name: str = "") -> None:
        super().__init__()
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(name or placeholder)
        self._composing = False

    @property
    def composing(self) -> bool:
        return self._composing

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and (self._composing or takes_words_out(event)):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            event.accept()
            return
        super().keyPressEvent(event)
        if event.key() == Qt.Key.Key_Down:
            self.down_pressed.emit()
