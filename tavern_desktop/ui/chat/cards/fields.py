"""Real controls for the fields of forms: one for each kind, each with a name, a value and a word when it changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.cards.forms import FormField, Option, read_typed, shown
from tavern_desktop.ui.chat.cards.words import tr
from tavern_desktop.ui.widgets import TextField, never_scroll_sideways, push_button


class FieldEditor(QObject):
    """What a field is filled in with. `focus` is what takes the keyboard."""

    changed = Signal()

    def __init__(self, field: FormField, widget: QWidget, focus: QWidget | None = None) -> None:
        super().__init__(widget)
        self.field = field
        self.widget = widget
        self.focus = focus or widget
        widget.setObjectName(f"field_{field.name}")
        self.focus.setAccessibleName(field.label)
        self.focus.setAccessibleDescription(field.help)
        widget.setEnabled(not field.read_only)

    def value(self) -> Any:
        """Return what is filled in, None for nothing."""
        raise NotImplementedError


class _Line(FieldEditor):
    """A line of text: texts, numbers, dates, files and secrets."""

    def __init__(self, field: FormField) -> None:
        self.line = TextField(_PLACEHOLDERS.get(field.kind, ""), field.label)
        if field.kind == "secret":
            self.line.setEchoMode(QLineEdit.EchoMode.Password)
            if field.filled:
                self.line.setPlaceholderText(tr("filled in before; not kept"))
        else:
            self.line.setText(shown(field.value))
        super().__init__(field, self.line)
        self.line.textChanged.connect(self.changed)

    def value(self) -> Any:
        text = self.line.text()
        return text or None if self.field.kind == "secret" else read_typed(self.field, text)


class _File(FieldEditor):
    """A file of the data folder: its path from there, typed or chosen. No file is read."""

    def __init__(self, field: FormField, folder: Path | None) -> None:
        self._folder = folder
        self.line = TextField(_PLACEHOLDERS["file"], field.label)
        self.line.setText(shown(field.value))
        self.button = push_button(tr("Choose…"), "plain", self._choose)
        self.button.setAccessibleName(tr("Choose a file: {field}").format(field=field.label))
        self.button.setEnabled(folder is not None and not field.read_only)
        group = QFrame()
        row = QHBoxLayout(group)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        super().__init__(field, group, self.line)
        self.line.textChanged.connect(self.changed)

    def value(self) -> Any:
        return read_typed(self.field, self.line.text())

    def _choose(self) -> None:
        dialog = QFileDialog(self.widget.window(), tr("Choose a File of the Data Folder"), str(self._folder))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.take)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, path: str) -> None:
        """Take a file that was chosen; one from elsewhere stands as it is, and the form says what is wrong with it."""
        chosen = Path(path)
        is_inside = self._folder is not None and chosen.is_relative_to(self._folder)
        self.line.setText(chosen.relative_to(self._folder).as_posix() if is_inside and self._folder else str(chosen))
        self.line.setFocus()


class _Lines(FieldEditor):
    """A text of several lines."""

    def __init__(self, field: FormField) -> None:
        self.text = QPlainTextEdit(shown(field.value))
        self.text.setTabChangesFocus(True)
        never_scroll_sideways(self.text)
        self.text.setFixedHeight(4 * self.text.fontMetrics().lineSpacing() + 12)
        super().__init__(field, self.text)
        self.text.textChanged.connect(self.changed)

    def value(self) -> Any:
        return read_typed(self.field, self.text.toPlainText())


class _Check(FieldEditor):
    """Yes or no."""

    def __init__(self, field: FormField) -> None:
        self.box = QCheckBox(tr("Yes"))
        self.box.setChecked(field.value is True)
        super().__init__(field, self.box)
        self.box.toggled.connect(self.changed)

    def value(self) -> Any:
        return self.box.isChecked()


class Choice(FieldEditor):
    """One of several choices; the first line is none of them where nothing needs to be chosen."""

    def __init__(self, field: FormField, options: Sequence[Option] = (), none: str = "") -> None:
        self.combo = QComboBox()
        self._values: list[Any] = [None, *(option.value for option in options or field.options)]
        self.combo.addItem(none or ("—" if not field.required else tr("Choose…")))
        self.combo.addItems([option.label for option in options or field.options])
        self.combo.setCurrentIndex(self._values.index(field.value) if field.value in self._values else 0)
        super().__init__(field, self.combo)
        self.combo.currentIndexChanged.connect(self.changed)

    def value(self) -> Any:
        return self._values[self.combo.currentIndex()]


class _Choices(FieldEditor):
    """Any number of several choices."""

    def __init__(self, field: FormField) -> None:
        group = QFrame()
        column = QVBoxLayout(group)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(3)
        chosen = field.value if isinstance(field.value, list) else [field.value]
        self.boxes = [QCheckBox(option.label) for option in field.options]
        for box, option in zip(self.boxes, field.options, strict=True):
            box.setChecked(option.value in chosen)
            box.toggled.connect(self._toggled)
            column.addWidget(box)
        super().__init__(field, group, self.boxes[0] if self.boxes else None)

    def _toggled(self) -> None:
        self.changed.emit()

    def value(self) -> Any:
        pairs = zip(self.boxes, self.field.options, strict=True)
        return [option.value for box, option in pairs if box.isChecked()] or None


_PLACEHOLDERS = {"date": "2026-03-14", "datetime": "2026-03-14 18:30", "file": "user/files/…"}
_KINDS: dict[str, type[FieldEditor]] = {
    "multiline": _Lines,
    "boolean": _Check,
    "select": Choice,
    "multiselect": _Choices,
}


def make_editor(field: FormField, folder: Path | None = None) -> FieldEditor:
    """Return the control for a field, with what is filled in. `folder`: the data folder, in which files are chosen."""
    if field.kind == "file":
        return _File(field, folder)
    return _KINDS.get(field.kind, _Line)(field)  # type: ignore[call-arg]
