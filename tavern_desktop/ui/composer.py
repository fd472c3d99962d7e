"""Where the person writes: grows with the text, sends by Enter, never while an input method is composing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from tavern_desktop.ui.attachments import AttachmentStrip, pictures_in
from tavern_desktop.ui.dropping import dropped_card, dropped_path, dropped_table
from tavern_desktop.ui.icons import icon
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import (
    ElidedLabel,
    icon_button,
    never_scroll_sideways,
    push_button,
    set_tone,
    takes_words_out,
)

MOST_LINES = 8
NARROW = 460
"""Pixels below which there is room for one name only, and a short one."""
NARROW_NAME = 84
NAME_WIDTH = 180
"""Pixels that the name of a persona may have."""
COLUMN = 724
"""The widest the box gets: the surface's column with its margins."""

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Composer(QPlainTextEdit):
    """The text itself. Owner: ComposerArea."""

    send_requested = Signal()
    edit_last_requested = Signal()
    swipe_requested = Signal(int)
    """-1 or 1: another swipe of the newest reply is wanted."""
    focus_changed = Signal(bool)
    pictures_offered = Signal(object)
    """Pictures are pasted or dropped, as a QMimeData that lives only during the call."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAccessibleName(self.tr("Message"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        never_scroll_sideways(self)
        self.document().setDocumentMargin(0)
        # The margin counts as a change that could be undone.
        self.document().clearUndoRedoStacks()
        self.enter_sends = True
        self._composing = False
        self.document().documentLayout().documentSizeChanged.connect(self._fit_height)
        self._fit_height()

    def show_text(self, text: str) -> None:
        """Put `text` with the cursor behind it."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def finish_composing(self) -> None:
        """Take what an input method holds into the text, as before sending or changing chats."""
        if self._composing:
            QGuiApplication.inputMethod().commit()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        if not pictures_in(source) and any((dropped_path(source), dropped_card(source), dropped_table(source))):
            return False  # the window's business
        return bool(pictures_in(source)) or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        # Programs that copy text often add a picture of it: text comes first.
        if pictures_in(source) or (source.hasImage() and not source.hasText()):
            self.pictures_offered.emit(source)
        else:
            super().insertFromMimeData(source)

    def _fit_height(self) -> None:
        # A plain text document counts its height in lines.
        lines = max(1, round(self.document().size().height()))
        shown = min(lines, MOST_LINES)
        self.setFixedHeight(shown * self.fontMetrics().lineSpacing() + 4)
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if lines > MOST_LINES else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)

    def _sends(self, event: QKeyEvent) -> bool:
        """Say whether this Enter sends: plain or with Shift by setting, with Ctrl always."""
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.ControlModifier:
            return True
        shifted = modifiers == Qt.KeyboardModifier.ShiftModifier
        plain = modifiers == Qt.KeyboardModifier.NoModifier
        return plain if self.enter_sends else shifted

    def _own_key(self, event: QKeyEvent) -> bool:
        """Do what a key means to the composer; False leaves it to the text."""
        if event.key() in _ENTER:
            if self._sends(event):
                self.send_requested.emit()
            else:
                # With Shift the text would get U+2028 instead of a line break.
                self.insertPlainText("\n")
            return True
        empty = self.document().isEmpty()
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if not empty or modifiers != Qt.KeyboardModifier.NoModifier:
            return False
        if event.key() == Qt.Key.Key_Up:
            self.edit_last_requested.emit()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.swipe_requested.emit(-1 if event.key() == Qt.Key.Key_Left else 1)
        else:
            return False
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._composing:
            # The input method's own keys, and the Enter that ends its composition.
            event.accept()
        elif not self._own_key(event):
            super().keyPressEvent(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._composing or takes_words_out(event):
                event.accept()
                return True
            if self._is_chats(event):
                event.ignore()
                return False
        if event.type() == QEvent.Type.FontChange:
            self._fit_height()
        return super().event(event)

    def _is_chats(self, event: QKeyEvent) -> bool:
        """Leave Ctrl+Z to the chat while there is nothing of the text's own to undo (D24), and Alt+← → always."""
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            return True
        control = Qt.KeyboardModifier.ControlModifier
        undo = event.key() == Qt.Key.Key_Z and event.modifiers() == control
        redo = (event.key() == Qt.Key.Key_Z and event.modifiers() == control | Qt.KeyboardModifier.ShiftModifier) or (
            event.key() == Qt.Key.Key_Y and event.modifiers() == control
        )
        ends = event.key() == Qt.Key.Key_End and self.document().isEmpty()
        return (
            (undo and not self.document().isUndoAvailable())
            or (redo and not self.document().isRedoAvailable())
            or (ends and event.modifiers() == control)
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


class ComposerArea(QWidget):
    """The box with the text, the persona and the button, centred under the surface."""

    attach_requested = Signal()
    """Pictures for the message are to be chosen."""
    special_requested = Signal()
    """A special message is to be inserted into the chat."""
    stop_requested = Signal()
    """The reply that is being written is to end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.text = Composer()
        self.attachments = AttachmentStrip()
        self.attach = icon_button("plus", self.tr("Add…"))
        self.attach.setObjectName("attachButton")
        self.attach.setMenu(self._make_menu())
        self.attach.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.persona = push_button("", "quiet")
        self.persona.setObjectName("personaButton")
        self.speaker = push_button("", "quiet")
        self.speaker.setObjectName("nextSpeaker")
        self.speaker.hide()
        self._writer = self._next = ""
        self.hint = ElidedLabel(tone="muted")
        self.queued = ElidedLabel(self.tr("Yours is next"), "muted")
        self.queued.setObjectName("queued")
        self.queued.setToolTip(self.tr("Your message is answered after this reply"))
        self.queued.hide()
        self.send_button = push_button(self.tr("Send"), "primary", self.text.send_requested.emit)
        self.send_button.setObjectName("sendButton")
        self.stop_button = push_button(self.tr("Stop"), on_click=self.stop_requested.emit)
        self.stop_button.setObjectName("stopButton")
        self.stop_button.setToolTip(self.tr("Stop the reply and keep what has come (Esc)"))
        self.stop_button.hide()
        self._box = QFrame()
        self._box.setObjectName("composerBox")
        self._box.setMaximumWidth(COLUMN)
        self._lay_out()
        self.text.focus_changed.connect(lambda on: set_tone(self._box, "true" if on else "false", "focused"))
        themes().changed.connect(self._match_placeholder)
        self._match_placeholder()
        self.set_enter_sends(True)

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(icon("file"), self.tr("Attach Pictures…"), self.attach_requested.emit)
        menu.addAction(icon("form"), self.tr("Insert Special Message…"), self.special_requested.emit)
        return menu

    def show_speaker(self, persona: str, other: str) -> None:
        """Say who writes, and to whom."""
        self._writer = persona
        self._show_names()
        self.persona.setToolTip(self.tr("You write as {name}").format(name=persona))
        self.persona.setAccessibleName(self.tr("Persona: {name}").format(name=persona))
        self.text.setPlaceholderText(self.tr("Message {name}…").format(name=other) if other else self.tr("Message…"))

    def set_enter_sends(self, enter_sends: bool) -> None:
        """Choose whether Enter sends and Shift+Enter makes a new line, or the other way round."""
        self.text.enter_sends = enter_sends
        self.send_button.setText(self.tr("Send ⏎") if enter_sends else self.tr("Send ⇧⏎"))
        self.send_button.setAccessibleName(self.tr("Send"))
        self.send_button.setToolTip(
            self.tr("Send (Enter; Shift+Enter for a new line)")
            if enter_sends
            else self.tr("Send (Shift+Enter; Enter for a new line)")
        )

    def show_writing(self, on: bool) -> None:
        """Offer to stop the reply that is being written, or no longer."""
        self.stop_button.setVisible(on)
        self.hint.setText(self.tr("Writing…") if on else "")

    def show_next(self, on: bool) -> None:
        """Say that what was sent meanwhile is answered after the reply that is being written."""
        self.queued.setVisible(on)

    def show_next_speaker(self, name: str) -> None:
        """Say who speaks next in a group, for the person to choose another; "" where there is no choice."""
        self.speaker.setVisible(bool(name))
        self._next = name
        self._show_names()
        self.speaker.setToolTip(self.tr("Who speaks next"))
        self.speaker.setAccessibleName(self.tr("Next speaker: {name}").format(name=name))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_names()

    def _show_names(self) -> None:
        """Show who writes and who speaks next, as far as there is room for both."""

        def shortened(name: str, width: int) -> str:
            return self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, width).replace("&", "&&")

        is_narrow = self.width() < NARROW
        writer = "" if is_narrow and self._next else " " + shortened(self._writer, NAME_WIDTH)
        self.persona.setText(writer)
        if self._next:
            told = shortened(self._next, NARROW_NAME if is_narrow else NAME_WIDTH)
            self.speaker.setText(told if is_narrow else self.tr("Next: {name}").format(name=told))
        else:
            self.speaker.setText("")

    def show_progress(self, text: str) -> None:
        """Say how far a reply is that has not begun to come."""
        self.hint.setText(text)

    def set_text_scale(self, percent: int) -> None:
        """Write at this size, as the surface shows it."""
        font = self.font()
        font.setPointSizeF(themes().point_size * percent / 100)
        self.text.setFont(font)

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.attach)
        foot.addWidget(self.persona)
        foot.addStretch(1)
        foot.addWidget(self.speaker)
        foot.addWidget(self.queued)
        foot.addWidget(self.hint)
        foot.addWidget(self.stop_button)
        foot.addWidget(self.send_button)
        inside = QVBoxLayout(self._box)
        inside.setContentsMargins(12, 10, 12, 8)
        inside.setSpacing(8)
        inside.addWidget(self.attachments)
        inside.addWidget(self.text)
        inside.addLayout(foot)
        around = QHBoxLayout(self)
        around.setContentsMargins(22, 10, 22, 14)
        around.addStretch(1)
        around.addWidget(self._box, 1000)
        around.addStretch(1)

    def _match_placeholder(self) -> None:
        # The style sheet has no placeholder colour for plain text edits.
        palette = self.text.palette()
        palette.setColor(QPalette.ColorRole.PlaceholderText, themes().current.muted)
        self.text.setPalette(palette)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lay a soft shadow under the box: cheaper than an effect, which would repaint the text through a picture."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        shadow = QColor(themes().current.shadow)
        for spread in (2.5, 1.5, 0.5):
            shadow.setAlphaF(themes().current.shadow.alphaF() / 3)
            painter.setBrush(shadow)
            box = QRectF(self._box.geometry()).adjusted(-spread, 1 - spread, spread, 1 + spread)
            painter.drawRoundedRect(box, 12 + spread, 12 + spread)
