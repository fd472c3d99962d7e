"""A form being filled in, and parameters being set."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QLabel, QWidget
from typing_extensions import override

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.forms import FormField, Values, allowed_fields, check, field_of, filled_in, shown
from tavern_desktop.cards.registry import FormDefinition
from tavern_desktop.ui.chat.cards.faces import entries_of, submit_label, text_of
from tavern_desktop.ui.chat.cards.fields import FieldEditor, make_editor
from tavern_desktop.ui.chat.cards.frame import CardFrame
from tavern_desktop.ui.chat.cards.words import problem_words, tr
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.widgets import set_tone


class FormFrame(CardFrame):
    """The fields of a form. What is wrong is said below a field once it was touched, and of all when submitting."""

    def __init__(
        self, card: Card, form: FormDefinition, look: Look, width: int, parent: QWidget, folder: Path | None = None
    ) -> None:
        """`folder`: the data folder, in which files are chosen."""
        super().__init__(card, look, width, parent)
        self.editors: list[FieldEditor] = []
        self._notes: dict[str, QLabel] = {}
        self._is_sent = False
        for field in allowed_fields(card.payload, form.fields):
            editor = make_editor(field, folder)
            self.editors.append(editor)
            self._notes[field.name] = self.add_row(editor)
            editor.changed.connect(self._check_of(editor))
        self.add_foot(("primary", submit_label(card, form), self.submit), ("plain", tr("Cancel"), self.cancel))

    def values(self) -> Values:
        """Return what is filled in, by the names of the fields."""
        pairs = ((editor.field.name, editor.value()) for editor in self.editors)
        return {name: value for name, value in pairs if value is not None}

    @override
    def focus_on(self, name: str) -> None:
        chosen = next((editor for editor in self.editors if editor.field.name == name), None)
        if chosen is None and self.editors:
            chosen = self.editors[0]
        (chosen.focus if chosen is not None else self).setFocus()

    @override
    def finish(self) -> None:
        values = {editor.field.name: editor.value() for editor in self.editors if editor.field.kind != "secret"}
        kept = {name: value for name, value in values.items() if value is not None}
        if any(_differs(editor) for editor in self.editors if editor.field.kind != "secret"):
            self.keep(filled_in(self.payload, kept))
            for editor in self.editors:
                editor.field = replace(editor.field, value=editor.value())

    @override
    def submit(self) -> None:
        wrong = [editor for editor in self.editors if not self._says_all_is_well(editor)]
        if wrong:
            wrong[0].focus.setFocus()
            return
        if not self._is_sent:
            self._is_sent = True
            self.submitted.emit(self.values())

    def cancel(self) -> None:
        """Give the form up."""
        self.requested.emit("cancel")

    def let_submit_again(self) -> None:
        """After a submission that was not accepted."""
        self._is_sent = False

    def _check_of(self, editor: FieldEditor) -> Any:
        def check_it() -> None:
            self._says_all_is_well(editor)

        return check_it

    def _says_all_is_well(self, editor: FieldEditor) -> bool:
        """Say below a field what is wrong with it; return whether nothing is."""
        field, note = editor.field, self._notes[editor.field.name]
        value = editor.value()
        is_kept_secret = field.kind == "secret" and field.filled and value is None
        error = None if is_kept_secret else check(field, value)
        text = problem_words(error) if error is not None else field.help
        note.setText(text)
        note.setVisible(bool(text))
        set_tone(note, "danger" if error is not None else "muted")
        editor.focus.setAccessibleDescription(text)
        return error is None


class ParameterFrame(CardFrame):
    """Parameters, changed in place: they have no state, so there is nothing to submit."""

    def __init__(self, card: Card, look: Look, width: int, parent: QWidget) -> None:
        super().__init__(card, look, width, parent)
        self.editors: list[FieldEditor] = []
        for item in entries_of(card, "items"):
            editor = make_editor(_as_text(item))
            self.editors.append(editor)
            self.add_row(editor, text_of(item, "unit"))
        self.add_foot(("plain", tr("Use These Values"), self.use_values), ("plain", tr("Done"), self.done))

    @override
    def focus_on(self, name: str) -> None:
        chosen = [editor for editor in self.editors if editor.field.name == name] or self.editors
        (chosen[0].focus if chosen else self).setFocus()

    @override
    def finish(self) -> None:
        typed = {editor.field.name: shown(editor.value()) for editor in self.editors}
        items = []
        for item in self.payload.get("items") or ():
            text = typed.get(item.get("name"), "")
            items.append(item if text == (item.get("valueText") or "") else item | {"valueText": text})
        self.keep(self.payload | {"items": items} if self.payload.get("items") else self.payload)

    @override
    def submit(self) -> None:
        self.done()

    def use_values(self) -> None:
        """Have the values told in the conversation."""
        self.finish()
        self.requested.emit("values")

    def done(self) -> None:
        """Go back to reading."""
        self.left.emit()


def _as_text(item: dict[str, Any]) -> FormField:
    """Return an item as a field: its value is a text as displayed, whatever its type; choices stay choices."""
    field = field_of(item)
    value = text_of(item, "valueText")
    if field.kind == "select" and value in [option.value for option in field.options]:
        return replace(field, value=value, required=True, help=text_of(item, "description"))
    kind = "multiline" if field.kind == "multiline" else "text"
    return replace(field, kind=kind, value=value, help=text_of(item, "description"))


def _differs(editor: FieldEditor) -> bool:
    return bool(editor.value() != editor.field.value) and (editor.value(), editor.field.value) != (False, None)
