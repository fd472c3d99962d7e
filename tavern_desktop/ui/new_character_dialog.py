"""Makes a new character: a name, a picture, who they are, and what they say first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QKeySequence, QPainter, QPainterPath, QPaintEvent, QPixmap, QShortcut
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.character.picture import ask_for_picture, png_in
from tavern_desktop.ui.portrait import paint_portrait
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.widgets import TextField, label, push_button, set_tone

PICTURE = QSize(120, 180)
ROUND = 10

Make = Callable[[dict[str, str], "bytes | None"], object]
"""Takes the fields of the card and its picture as PNG, None for one that is drawn."""


class NewCharacterDialog(QDialog):
    """`make` is called with what was entered, once there is a name."""

    def __init__(self, parent: QWidget, runner: Runner, make: Make) -> None:
        super().__init__(parent)
        self.setObjectName("newCharacterDialog")
        self.setWindowTitle(self.tr("New Character"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._runner, self._make = runner, make
        self._picture: bytes | None = None
        self._is_asking = False
        self.portrait = Portrait()
        self.name = TextField("", self.tr("Name"))
        self.description = _text_field(self.tr("Description"), self.tr("Who they are, how they look and behave…"))
        self.greeting = _text_field(self.tr("First message"), self.tr("What they say when a chat begins…"))
        self.hint = label("", "muted", wrap=True)
        self.create_button = push_button(self.tr("Create and Start a Chat"), "primary", self._finish)
        self.create_button.setObjectName("createCharacter")
        self.create_button.setDefault(True)
        self.create_button.setEnabled(False)
        self._lay_out()
        self.name.textChanged.connect(self._name_changed)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._finish)

    def take_picture(self, path: Path) -> None:
        """Take a picture file for the portrait; what is no picture is refused with a sentence."""
        self._runner.submit(partial(png_in, path), self._show_picture)

    def reject(self) -> None:
        """Close; what was written is given up only when that is said twice."""
        typed = self.name.text() + self.description.toPlainText() + self.greeting.toPlainText()
        if typed.strip() and not self._is_asking:
            self._is_asking = True
            self._say(self.tr("Discard what you wrote? Esc or Cancel again discards it."), "danger")
            return
        super().reject()

    def _lay_out(self) -> None:
        picture = QVBoxLayout()
        picture.addWidget(self.portrait)
        choose = push_button(self.tr("Picture…"), "plain", self._choose)
        choose.setAccessibleName(self.tr("Choose a picture"))
        choose.setAutoDefault(False)
        picture.addWidget(choose)
        picture.addStretch(1)
        form = QFormLayout()
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        form.setVerticalSpacing(6)
        for text, field in (
            (self.tr("Name"), self.name),
            (self.tr("Description"), self.description),
            (self.tr("First message"), self.greeting),
        ):
            form.addRow(label(text), field)
        upper = QHBoxLayout()
        upper.setSpacing(20)
        upper.addLayout(picture)
        upper.addLayout(form, 1)
        foot = QHBoxLayout()
        foot.addWidget(self.hint, 1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        cancel.setAutoDefault(False)
        foot.addWidget(cancel)
        foot.addWidget(self.create_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 16)
        column.setSpacing(18)
        column.addLayout(upper)
        column.addLayout(foot)
        self.resize(640, 460)
        self.name.setFocus()

    def _name_changed(self, name: str) -> None:
        self.portrait.show_name(name.strip())
        self.create_button.setEnabled(bool(name.strip()))

    def _choose(self) -> None:
        ask_for_picture(self, self.take_picture)

    def _show_picture(self, outcome: Outcome[tuple[bytes, QImage]]) -> None:
        try:
            self._picture, image = outcome.result()
        except StorageError as error:
            self._say(error.message or sentence(error), "danger")
        else:
            self.portrait.show_picture(image)
            self._say("", "muted")

    def _finish(self) -> None:
        name = self.name.text().strip()
        if not name:
            return
        fields = {
            "name": name,
            "description": self.description.toPlainText().strip(),
            "first_mes": self.greeting.toPlainText().strip(),
        }
        self.accept()
        self._make(fields, self._picture)

    def _say(self, text: str, tone: str) -> None:
        self.hint.setText(text)
        set_tone(self.hint, tone)


class Portrait(QWidget):
    """The picture that the character will have: the chosen one, else the letter of its name."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(PICTURE)
        self.setAccessibleName(self.tr("Picture of the character"))
        self._name = ""
        self._picture: QPixmap | None = None

    def show_name(self, name: str) -> None:
        """Show the letter of this name, as long as there is no picture."""
        self._name = name
        self.update()

    def show_picture(self, image: QImage) -> None:
        """Show a picture, cut to the portrait's shape."""
        ratio = self.devicePixelRatioF()
        size = PICTURE * ratio
        whole = image.scaled(
            size, Qt.AspectRatioMode.KeepAspectRatioByExpanding, Qt.TransformationMode.SmoothTransformation
        )
        left, top = (whole.width() - size.width()) // 2, (whole.height() - size.height()) // 5
        self._picture = QPixmap.fromImage(whole.copy(left, top, size.width(), size.height()))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), ROUND, ROUND)
        painter.setClipPath(shape)
        if self._picture is not None:
            painter.drawPixmap(QRectF(self.rect()), self._picture, QRectF(self._picture.rect()))
        elif self._name:
            paint_portrait(painter, self.rect(), self._name)
        else:
            painter.fillPath(shape, themes().current.line)
        painter.end()


def _text_field(name: str, placeholder: str) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setAccessibleName(name)
    field.setPlaceholderText(placeholder)
    field.setTabChangesFocus(True)
    return field
