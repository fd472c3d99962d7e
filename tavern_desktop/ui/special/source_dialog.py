"""The source of a special message: written or shown as YAML, checked as you type, with a view of what it will be."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QPainter, QPaintEvent, QResizeEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.cards.envelope import Card, new_record, read_card
from tavern_desktop.cards.errors import PayloadError
from tavern_desktop.cards.payload import Outcome, parse
from tavern_desktop.cards.registry import FormDefinition
from tavern_desktop.ui.chat.cards.face import Face, paint_face
from tavern_desktop.ui.chat.cards.faces import Showing, make_face
from tavern_desktop.ui.chat.cards.words import tr
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import label, push_button, set_tone

FormOf = Callable[[dict[str, object]], FormDefinition | None]
PAUSE = 120
"""Milliseconds without a key before the source is checked."""


class FacePreview(QWidget):
    """A special message painted as it will stand in the chat; nothing in it can be used."""

    def __init__(self, form_of: FormOf) -> None:
        super().__init__()
        self.setAccessibleName(tr("Preview"))
        self._form_of = form_of
        self._card: Card | None = None
        self._face: Face | None = None
        self._look = Look(themes().current, self.font())

    def show_card(self, card: Card | None) -> None:
        """Show another special message, or nothing."""
        self._card = card
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self._face.height if self._face is not None else 60)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._face is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            paint_face(painter, self._face, QRect(0, 0, self._face.width, self._face.height), self._look, "")

    def _lay_out(self) -> None:
        card = self._card
        if card is None:
            self._face = None
        else:
            form = self._form_of(card.payload) if card.type == "Form" else None
            width = max(200, self.width())
            self._face = make_face(card, Showing(self._look, width, self.locale(), True, form=form))
        self.setMinimumHeight(self.minimumSizeHint().height())
        self.update()


class SourceDialog(QDialog):
    """Write a payload, or see one. Insert or Save is offered only for what is valid as a whole."""

    accepted_source = Signal(str)
    """The payload as it is written is to be inserted, or to replace the one that was shown."""

    def __init__(
        self,
        parent: QWidget,
        form_of: FormOf,
        *,
        source: str = "",
        templates: Sequence[tuple[str, str]] = (),
        writable: bool = True,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sourceDialog")
        self.setWindowTitle(tr("Insert Special Message") if templates else tr("Source of Special Message"))
        self._source = source
        self.templates = QComboBox()
        self.templates.setObjectName("templates")
        self.templates.setAccessibleName(tr("Begin with"))
        self._payloads = [text for _, text in templates]
        self.templates.addItems([name for name, _ in templates])
        self.templates.activated.connect(self._begin_with)
        self.editor = QPlainTextEdit()
        self.editor.setObjectName("sourceEditor")
        self.editor.setAccessibleName(tr("Source (YAML)"))
        self.editor.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.editor.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.editor.setReadOnly(not writable)
        self.preview = FacePreview(form_of)
        self.state = label("", "muted", wrap=True)
        self.state.setObjectName("sourceState")
        self._accept_text = tr("Insert") if templates else tr("Save")
        self._lay_out(with_templates=bool(templates), writable=writable)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE)
        self._pause.timeout.connect(self.check)
        self.editor.textChanged.connect(self._pause.start)
        self.finished.connect(self.deleteLater)
        self.resize(860, 560)
        self.editor.setPlainText(source or (self._payloads[0] if self._payloads else ""))
        self.check()

    def offer(self, templates: Sequence[tuple[str, str]]) -> None:
        """Offer other things to begin with; what was written stays."""
        is_untouched = self.editor.toPlainText() in ("", *self._payloads)
        self._payloads = [text for _, text in templates]
        self.templates.clear()
        self.templates.addItems([name for name, _ in templates])
        if is_untouched and self._payloads:
            self._begin_with(0)

    def check(self) -> None:
        """See what the source is now, and show it."""
        self._pause.stop()
        text = self.editor.toPlainText()
        try:
            outcome = parse(text)
            self.preview.show_card(read_card(new_record(text)))
        except PayloadError as error:
            self.preview.show_card(None)
            self._say(error.sentence, is_well=False)
            return
        self._say(_sentence(outcome), is_well=outcome.state == "full")

    def accept(self) -> None:
        """Hand the source over, if it is valid as it stands now."""
        self.check()
        if self._button is not None and self._button.isEnabled():
            self.accepted_source.emit(self.editor.toPlainText())
            super().accept()

    def _begin_with(self, number: int) -> None:
        self.editor.setPlainText(self._payloads[number])
        self.editor.moveCursor(QTextCursor.MoveOperation.Start)
        self.check()

    def _say(self, text: str, *, is_well: bool) -> None:
        self.state.setText(text)
        set_tone(self.state, "ok" if is_well else "danger")
        if self._button is not None:
            self._button.setEnabled(is_well)

    def _lay_out(self, *, with_templates: bool, writable: bool) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setWidget(self.preview)
        scroll.viewport().setAutoFillBackground(False)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.setObjectName("quietSplitter")
        halves.addWidget(self.editor)
        halves.addWidget(scroll)
        halves.setSizes([400, 420])
        halves.setChildrenCollapsible(False)
        self._button: QPushButton | None = None
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.state, 1)
        leave = push_button(tr("Cancel") if writable else tr("Close"), "plain", self.reject)
        leave.setAutoDefault(False)
        foot.addWidget(leave)
        if writable:
            self._button = push_button(self._accept_text, "primary", self.accept)
            self._button.setObjectName("sourceAccept")
            foot.addWidget(self._button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        if with_templates:
            top = QHBoxLayout()
            name = label(tr("Begin with"))
            name.setBuddy(self.templates)
            top.addWidget(name)
            top.addWidget(self.templates, 1)
            column.addLayout(top)
        column.addWidget(halves, 1)
        column.addLayout(foot)


def _sentence(outcome: Outcome) -> str:
    if outcome.reason == "unknown_type":
        return tr("There is no type “{name}”.").format(name=outcome.type)
    if outcome.reason == "newer_schema":
        return tr("This schema is newer than this program knows.")
    if outcome.reason == "field":
        return tr("There is an error at {path}.").format(path=outcome.path)
    if outcome.unknown_fields:
        return tr("Valid. Not known and kept: {names}.").format(names=", ".join(outcome.unknown_fields[:8]))
    return tr("Valid.")
