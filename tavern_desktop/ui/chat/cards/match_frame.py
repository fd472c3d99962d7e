"""Columns being matched: for each one that is wanted, which of those that were found it is."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QWidget
from typing_extensions import override

from tavern_desktop.cards.envelope import Card
from tavern_desktop.cards.forms import Option, shown
from tavern_desktop.session.card_commands import with_mapping
from tavern_desktop.ui.chat.cards.faces import entries_of, list_of, required_columns
from tavern_desktop.ui.chat.cards.fields import Choice
from tavern_desktop.ui.chat.cards.frame import CardFrame
from tavern_desktop.ui.chat.cards.words import tr
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.widgets import label


class MatchFrame(CardFrame):
    """A combo box for each wanted column."""

    def __init__(self, card: Card, look: Look, width: int, parent: QWidget) -> None:
        super().__init__(card, look, width, parent)
        columns = found_columns(card)
        chosen = {entry.get("required"): entry.get("column") for entry in entries_of(card, "mappings")}
        self.choices: list[Choice] = []
        for wanted in required_columns(card):
            field = replace(wanted, kind="select", value=chosen.get(wanted.name))
            choice = Choice(field, columns, tr("None"))
            self.choices.append(choice)
            self.add_row(choice)
            choice.changed.connect(self._changed)
        self._missing = label("", "danger", wrap=True)
        self._missing.hide()
        self.column.addWidget(self._missing)
        self.add_foot(("primary", tr("Confirm"), self.submit), ("plain", tr("Cancel"), self.cancel))

    def mapping(self) -> dict[str, str | None]:
        """Return the column for each wanted one, None for none."""
        return {choice.field.name: choice.value() for choice in self.choices}

    @override
    def focus_on(self, name: str) -> None:
        chosen = [choice for choice in self.choices if choice.field.name == name] or self.choices
        (chosen[0].focus if chosen else self).setFocus()

    @override
    def finish(self) -> None:
        former = {entry.get("required"): entry.get("column") for entry in self.payload.get("mappings") or ()}
        mapping = self.mapping()
        if any(former.get(name) != column for name, column in mapping.items()):
            self.keep(with_mapping(self.payload, mapping))

    @override
    def submit(self) -> None:
        mapping = self.mapping()
        missing = [choice for choice in self.choices if choice.field.required and mapping[choice.field.name] is None]
        self._missing.setVisible(bool(missing))
        if missing:
            names = ", ".join(choice.field.label for choice in missing)
            self._missing.setText(tr("Choose a column for {names}.").format(names=names))
            missing[0].focus.setFocus()
            return
        self.submitted.emit(mapping)

    def cancel(self) -> None:
        """Give the matching up."""
        self.requested.emit("cancel")

    def _changed(self) -> None:
        if self._missing.isVisible():
            missing = [c.field.label for c in self.choices if c.field.required and c.value() is None]
            self._missing.setText(tr("Choose a column for {names}.").format(names=", ".join(missing)))
            self._missing.setVisible(bool(missing))


def found_columns(card: Card) -> list[Option]:
    """Return the columns that were found, each with what stands in its first cells."""
    found = []
    for entry in list_of(card, "previewColumns"):
        name = entry.get("name") if isinstance(entry, dict) else entry
        if isinstance(name, str):
            samples = entry.get("samples") if isinstance(entry, dict) else None
            shown_samples = ", ".join(shown(value)[:24] for value in (samples or ())[:3])
            found.append(Option(name, f"{name}  ·  {shown_samples}" if shown_samples else name))
    return found
