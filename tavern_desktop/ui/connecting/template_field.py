"""Which template writes prompts out for servers that take text; one's own is edited and checked here."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from tavern_desktop.prompt.messages import PromptMessage
from tavern_desktop.prompt.templates import known_templates, read_template
from tavern_desktop.resources import resource_path
from tavern_desktop.session.generating.text_templates import FALLBACK, is_own
from tavern_desktop.ui.widgets import label, push_button, set_tone

OWN = "own"
"""Data of the combo box's entry for a template in one's own words."""

SAMPLE = (
    PromptMessage("system", "You are Aria."),
    PromptMessage("user", "Hello!"),
    PromptMessage("assistant", "You came back."),
    PromptMessage("user", "Go on."),
)


class TemplateField(QWidget):
    """A choice as `session.generating.text_templates` describes it."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._own = ""
        self.choice = QComboBox()
        self.choice.setAccessibleName(self.tr("Template"))
        self.setFocusProxy(self.choice)
        self.choice.addItem("", "")
        for id, template in known_templates().items():
            self.choice.addItem(template.name, id)
        self.choice.addItem(self.tr("My own words"), OWN)
        self.edit_button = push_button(self.tr("Edit…"), "plain", self._edit)
        self.edit_button.setAutoDefault(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.choice, 1)
        row.addWidget(self.edit_button)
        self.show_words(self.tr("The server’s own, else ChatML"))
        self.choice.currentIndexChanged.connect(self._chosen)
        self._chosen()

    @property
    def template(self) -> str:
        """What is chosen."""
        data = str(self.choice.currentData())
        return self._own if data == OWN else data

    def show_template(self, template: str) -> None:
        """Show a choice; one that is not known counts as none."""
        if is_own(template):
            self._own, template = template, OWN
        self.choice.setCurrentIndex(max(0, self.choice.findData(template)))

    def show_words(self, words: str) -> None:
        """Say what it means to choose none."""
        self.choice.setItemText(0, words)

    def _chosen(self) -> None:
        self.edit_button.setVisible(self.choice.currentData() == OWN)
        if self.choice.currentData() == OWN and not self._own:
            self._own = _text_of(FALLBACK)
            self._edit()
        self.changed.emit()

    def _edit(self) -> None:
        if self.isVisible():
            TemplateEditor(self, self._own, self._take).open()

    def _take(self, text: str) -> None:
        self._own = text if is_own(text) else f"{text}\n"
        self.changed.emit()


class TemplateEditor(QDialog):
    """The text of a template, what is wrong with it, and a small conversation written out by it."""

    def __init__(self, parent: QWidget, text: str, take: Callable[[str], object]) -> None:
        super().__init__(parent)
        self.setObjectName("templateEditor")
        self.setWindowTitle(self.tr("Template"))
        self._take = take
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(self.tr("Template"))
        self.sample = QPlainTextEdit()
        self.sample.setReadOnly(True)
        self.sample.setAccessibleName(self.tr("A conversation written out"))
        for field in (self.text, self.sample):
            field.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            field.setTabChangesFocus(True)
        self.said = label("", "muted", wrap=True)
        self.save_button = push_button(self.tr("Use It"), "primary", self._save)
        start = QComboBox()
        start.setAccessibleName(self.tr("Begin with"))
        start.addItem(self.tr("Begin with…"), "")
        for id, template in known_templates().items():
            start.addItem(template.name, id)
        start.activated.connect(lambda: self._begin_with(str(start.currentData())))
        self._lay_out(start)
        self.text.textChanged.connect(self._check)
        self.text.setPlainText(text)

    def _begin_with(self, id: str) -> None:
        if id:
            self.text.setPlainText(_text_of(id))

    def _check(self) -> None:
        try:
            template = read_template(self.text.toPlainText())
        except ValueError as error:
            self._say(str(error), "danger")
            self.save_button.setEnabled(False)
            return
        self.sample.setPlainText(template.render(SAMPLE, char="Aria", user="Wanderer"))
        stops = " ".join(template.stop_texts("Wanderer"))
        self._say(self.tr("A reply ends at: {stops}").format(stops=stops.replace("\n", "⏎")) if stops else "", "muted")
        self.save_button.setEnabled(True)

    def _save(self) -> None:
        self._take(self.text.toPlainText())
        self.accept()

    def _say(self, text: str, tone: str) -> None:
        self.said.setText(text)
        set_tone(self.said, tone)

    def _lay_out(self, start: QComboBox) -> None:
        fields = QHBoxLayout()
        fields.setSpacing(12)
        for field in (self.text, self.sample):
            fields.addWidget(field, 1)
        foot = QHBoxLayout()
        foot.addWidget(start)
        foot.addStretch(1)
        cancel = push_button(self.tr("Cancel"), "plain", self.reject)
        cancel.setAutoDefault(False)
        foot.addWidget(cancel)
        foot.addWidget(self.save_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(22, 18, 22, 16)
        column.setSpacing(12)
        column.addLayout(fields, 1)
        column.addWidget(self.said)
        column.addLayout(foot)
        self.resize(820, 480)


def _text_of(id: str) -> str:
    return resource_path("templates", f"{id}.toml").read_text("utf-8")
