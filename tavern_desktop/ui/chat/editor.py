"""The editor of a message: the raw text; Ctrl+Enter saves, Esc leaves and asks only if something would be lost."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QVBoxLayout, QWidget
from typing_extensions import override

from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.widgets import label, never_scroll_sideways, push_button, takes_words_out

LEAST_LINES = 3
MOST_OF_SCREEN = 0.6


class MessageEditor(QPlainTextEdit):
    """The text field. Says what is wanted; decides nothing."""

    save_requested = Signal()
    leave_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageEditor")
        self.setAccessibleName(self.tr("Message text"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(False)
        never_scroll_sideways(self)
        self.is_composing = False
        """An input method holds text that is not written yet."""

    @override
    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.is_composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    @override
    def event(self, event: QEvent) -> bool:
        # These keys belong to the editor while it has them, whatever the window's own shortcuts say.
        if event.type() == QEvent.Type.ShortcutOverride and (_is_own(event) or takes_words_out(event)):
            event.accept()
            return True
        return super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.is_composing:
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Escape:
            self.leave_requested.emit()
        elif _is_own(event):
            self.save_requested.emit()
        else:
            super().keyPressEvent(event)


class EditorFrame(QFrame):
    """The editor with its buttons, laid over the message being edited."""

    saved = Signal()
    """The person wants the text kept as it is now."""
    left = Signal()
    """The person gives the changes up, if there are any."""
    height_changed = Signal()

    def __init__(self, original: str, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.original = original
        self._asking = False
        self._height = 0
        self._most = 400
        self.field = MessageEditor(self)
        self.field.setFont(look.text_font)
        self.show_text(original)
        self._hint: QLabel = label(tone="muted")
        self._save = push_button(self.tr("Save"), "primary", self.saved.emit)
        self._cancel = push_button(self.tr("Cancel"), "plain", self._cancel_clicked)
        for button in (self._save, self._cancel):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lay_out()
        self._say_hint()
        self.field.save_requested.connect(self.saved)
        self.field.leave_requested.connect(self._leave)
        self.field.textChanged.connect(self._text_changed)
        # Not for text only: wrapping changes the height too.
        self.field.document().documentLayout().documentSizeChanged.connect(self._measure)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def show_text(self, text: str) -> None:
        """Put another text than the message's, as typed before."""
        self.field.setPlainText(text)
        self.field.moveCursor(QTextCursor.MoveOperation.End)

    @property
    def is_changed(self) -> bool:
        return self.text != self.original

    def commit_composition(self) -> None:
        """Take what an input method holds into the text, before it is read."""
        if self.field.is_composing:
            QGuiApplication.inputMethod().commit()

    def place(self, area: QRect, screen_height: int) -> None:
        """Stand at `area` of the viewport, growing with the text to at most a part of the screen."""
        self._most = max(120, round(screen_height * MOST_OF_SCREEN))
        if self.geometry() != area:
            self.setGeometry(area)

    def wanted_height(self) -> int:
        """Return how high the frame wants to be for its text."""
        line = self.field.fontMetrics().lineSpacing()
        lines = max(LEAST_LINES, round(self.field.document().size().height()))
        chrome = self.height() - self.field.viewport().height() if self.isVisible() else self._chrome()
        return min(lines * line + chrome + 6, self._most)

    def _chrome(self) -> int:
        return self._save.sizeHint().height() + 34

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setContentsMargins(2, 0, 0, 0)
        buttons.setSpacing(8)
        buttons.addWidget(self._hint, 1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.field, 1)
        column.addLayout(buttons)

    def _leave(self) -> None:
        """Leave at once when nothing is lost by it; else ask, and a second Esc means it."""
        if self._asking or not self.is_changed:
            self.left.emit()
            return
        self._asking = True
        self._say_hint()

    def _cancel_clicked(self) -> None:
        self._leave()

    def _text_changed(self) -> None:
        if self._asking:
            self._asking = False
            self._say_hint()

    def _say_hint(self) -> None:
        if self._asking:
            self._hint.setText(self.tr("Discard your changes? Esc again discards, Ctrl+Enter saves."))
            self._cancel.setText(self.tr("Discard"))
        else:
            self._hint.setText(self.tr("Ctrl+Enter saves · Esc leaves"))
            self._cancel.setText(self.tr("Cancel"))

    def _measure(self) -> None:
        wanted = self.wanted_height()
        if wanted != self._height:
            self._height = wanted
            self.height_changed.emit()


def _is_own(event: QEvent) -> bool:
    if not isinstance(event, QKeyEvent):
        return False
    enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return event.key() == Qt.Key.Key_Escape or (enter and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
