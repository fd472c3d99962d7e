"""Real controls for the fields of forms: one for each kind, each with a name, a value and a word when it changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from tavern_desktop.cards.forms import FormField, Option, read_typed, shown
from tavern_desktop.ui.chat.cards.words import tr
from tavern_desktop.ui.widgets import TextField, never_scroll_sideways


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


def make_editor(field: FormField) -> FieldEditor:
    """Return the control for a field, with what is filled in."""
    return _KINDS.get(field.kind, _Line)(field)  # type: ignore[call-arg]
