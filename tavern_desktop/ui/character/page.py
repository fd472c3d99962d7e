"""A character's page: the whole card, to be read and written in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from tavern_desktop.library.card_fields import ROLES, CardFields
from tavern_desktop.ui.character.data import CharacterData
from tavern_desktop.ui.character.fields import Greetings, GrowingField, Section
from tavern_desktop.ui.chat_header import AvatarBox
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import TextField, icon_button, inset, label, narrow, set_tone

AVATAR = 72


class CharacterPage(QScrollArea):
    """Owner: the inspector. Says what is wanted of the character as a whole; what is typed it keeps itself."""

    menu_requested = Signal(str, QPoint)
    """(stem, global position for the menu)"""
    rename_requested = Signal(str)
    written = Signal()

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._services = services
        self.data = CharacterData(services, self)
        self._is_showing = False
        self.avatar = AvatarBox(AVATAR)
        self.name = label(tone="strong", wrap=True)
        self.state = label("", "muted", wrap=True)
        self.problem = label(tone="danger", wrap=True)
        self.favourite = icon_button("star", self.tr("Favourite"))
        self.favourite.setCheckable(True)
        self.rename = icon_button("pencil", self.tr("Rename…"), self._rename)
        self.picture = icon_button("user", self.tr("Another Picture…"), self._choose_picture)
        self.more = icon_button("more", self.tr("More"), self._more)
        self.body = QWidget()
        self.fields: dict[str, GrowingField] = {}
        self.lines: dict[str, TextField] = {}
        self.sections: dict[str, Section] = {}
        self.greetings = Greetings()
        self.note_depth, self.note_role = inset(QSpinBox()), QComboBox()
        self.talkativeness = inset(QDoubleSpinBox())
        self._make_fields()
        self._lay_out()
        self._connect()
        self._show()

    def show_character(self, stem: str) -> None:
        """Show the card of another character; "" shows that there is none."""
        self.data.show_character(stem)

    # -- how it is made ---------------------------------------------------------------------------------------

    def _make_fields(self) -> None:
        for name, title, hint in (
            ("description", self.tr("Description"), self.tr("Who they are, how they look and behave…")),
            ("first_mes", self.tr("First message"), self.tr("What they say when a chat begins…")),
            ("personality", self.tr("Personality"), self.tr("In a few words…")),
            ("scenario", self.tr("Scenario"), self.tr("Where and when it happens…")),
            ("mes_example", self.tr("Examples"), self.tr("<START>\n{{user}}: …\n{{char}}: …")),
            ("system_prompt", self.tr("Instruction"), self.tr("In place of the usual one; {{original}} is that…")),
            ("post_history_instructions", self.tr("Instruction at the end"), self.tr("Behind the last message…")),
            ("note", self.tr("Character’s note"), self.tr("Said in the chat, near its end…")),
            ("creator_notes", self.tr("Notes of the maker"), self.tr("For people; no model reads them…")),
        ):
            field = GrowingField(title, hint)
            field.textChanged.connect(partial(self._text_changed, name))
            field.left.connect(self.data.writer.flush)
            self.fields[name] = field
            self.sections[name] = Section(title, field)
        for name, title in (
            ("tags", self.tr("Tags, with commas between")),
            ("creator", self.tr("Made by")),
            ("character_version", self.tr("Version")),
            ("nickname", self.tr("Nickname")),
        ):
            line = TextField("", title)
            line.editingFinished.connect(self.data.writer.flush)
            line.textEdited.connect(partial(self._line_edited, name))
            self.lines[name] = line
            self.sections[name] = Section(title, line)
        self.sections["alternate_greetings"] = Section(self.tr("Other greetings"), self.greetings)
        self.note_depth.setRange(0, 10_000)
        self.note_depth.setAccessibleName(self.tr("Messages before the end"))
        self.note_depth.setSuffix(self.tr(" from the end"))
        for role, text in zip(
            ROLES, (self.tr("as the system"), self.tr("as me"), self.tr("as the character")), strict=True
        ):
            self.note_role.addItem(text, role)
        self.note_role.setAccessibleName(self.tr("Who says the note"))
        self.talkativeness.setRange(0, 1)
        self.talkativeness.setSingleStep(0.05)
        self.talkativeness.setAccessibleName(self.tr("How often they speak up in groups"))
        self.sections["talkativeness"] = Section(self.tr("How often they speak up in groups"), self.talkativeness)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(2)
        for button in (self.favourite, self.rename, self.picture, self.more):
            buttons.addWidget(button)
        buttons.addStretch(1)
        beside = QVBoxLayout()
        beside.setSpacing(4)
        beside.addWidget(self.name)
        beside.addLayout(buttons)
        beside.addWidget(self.state)
        beside.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self.avatar, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(beside, 1)
        note = QVBoxLayout()
        note.setSpacing(6)
        for widget in (self.note_depth, self.note_role):
            note.addWidget(narrow(widget))
        inner = QVBoxLayout(self.body)
        inner.setContentsMargins(0, 8, 0, 0)
        inner.setSpacing(14)
        for name in (
            "description", "first_mes", "alternate_greetings", "personality", "scenario", "mes_example",
            "system_prompt", "post_history_instructions", "note",
        ):  # fmt: skip
            inner.addWidget(self.sections[name])
            if name == "note":
                inner.addLayout(note)
        for name in ("tags", "creator", "character_version", "nickname", "creator_notes", "talkativeness"):
            inner.addWidget(self.sections[name])
        page = QWidget()
        page.setObjectName("scrolled")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 8, 12)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.problem)
        column.addWidget(self.body)
        column.addStretch(1)
        self.setWidget(page)

    def _connect(self) -> None:
        data = self.data
        data.changed.connect(self._show)
        data.writer.state_changed.connect(self._show_state)
        data.written.connect(self.written)
        self._services.avatars.loaded.connect(self._show_picture)
        self.greetings.changed.connect(self._greetings_changed)
        self.greetings.left.connect(data.writer.flush)
        self.favourite.clicked.connect(lambda on: self._edit("favourite", on))
        self.note_depth.valueChanged.connect(lambda value: self._edit("note_depth", value))
        self.note_role.currentIndexChanged.connect(lambda: self._edit("note_role", self.note_role.currentData()))
        self.talkativeness.valueChanged.connect(lambda value: self._edit("talkativeness", round(value, 3)))

    # -- what is shown ----------------------------------------------------------------------------------------

    def _show(self) -> None:
        data, fields = self.data, self.data.fields
        self._is_showing = True
        try:
            self._show_values(fields or CardFields())
        finally:
            self._is_showing = False
        self.name.setText(
            fields.name if fields is not None and fields.name else data.stem or self.tr("No character in this chat.")
        )
        self.problem.setText(data.problem)
        self.problem.setVisible(bool(data.problem))
        self.body.setVisible(fields is not None)
        for button in (self.favourite, self.rename, self.picture):
            button.setVisible(fields is not None)
        self.more.setVisible(bool(data.stem))
        self._show_locked()
        self._show_picture()
        self._show_state()

    def _show_values(self, fields: CardFields) -> None:
        def there(name: str) -> Any:
            return None if self.data.is_pending(name) else getattr(fields, name)

        for name, field in self.fields.items():
            if (text := there(name)) is not None:
                field.show_text(text)
            self.sections[name].count(field.toPlainText())
        for name, line in self.lines.items():
            value = there(name)
            text = ", ".join(value) if isinstance(value, tuple) else value
            if text is not None and not (line.hasFocus() and _words(line.text()) == value):
                line.setText(text)
        if (greetings := there("alternate_greetings")) is not None:
            self.greetings.show_texts(greetings)
        self.sections["alternate_greetings"].count(*self.greetings.texts)
        for name, put in self._plain():
            if (value := there(name)) is not None:
                put(value)

    def _plain(self) -> tuple[tuple[str, Callable[[Any], object]], ...]:
        return (
            ("favourite", self.favourite.setChecked),
            ("note_depth", self.note_depth.setValue),
            ("note_role", lambda role: self.note_role.setCurrentIndex(ROLES.index(role))),
            ("talkativeness", self.talkativeness.setValue),
        )

    def _show_locked(self) -> None:
        locked = not self._services.may_write
        for field in self.fields.values():
            field.setReadOnly(locked)
        for line in self.lines.values():
            line.setReadOnly(locked)
        self.greetings.set_read_only(locked)
        for widget in (self.favourite, self.rename, self.picture, self.note_depth, self.note_role, self.talkativeness):
            widget.setEnabled(not locked)

    def _show_state(self) -> None:
        data = self.data
        failed = self.tr("Not saved. {reason} It is tried again with the next change.")
        is_locked = not self._services.may_write and data.fields is not None
        texts = {
            "": self.tr("Another program has this folder open.") if is_locked else "",
            "changed": self.tr("Saving…"),
            "saved": self.tr("Saved"),
            "failed": failed.format(reason=data.writer.failure),
        }
        self.state.setText(texts[data.writer.state])
        self.state.setVisible(bool(self.state.text()))
        set_tone(self.state, "danger" if data.writer.state == "failed" else "muted")

    def _show_picture(self) -> None:
        self.avatar.setVisible(bool(self.data.stem))
        path = self.data.path if self.data.stem else None
        picture = self._services.avatars.picture(path, AVATAR, self.devicePixelRatioF())
        self.avatar.show_avatar(self.name.text(), picture)

    # -- what is changed --------------------------------------------------------------------------------------

    def _text_changed(self, name: str) -> None:
        text = self.fields[name].toPlainText()
        self.sections[name].count(text)
        self._edit(name, text)

    def _line_edited(self, name: str, text: str) -> None:
        self._edit(name, _words(text) if name == "tags" else text)

    def _greetings_changed(self) -> None:
        self.sections["alternate_greetings"].count(*self.greetings.texts)
        self._edit("alternate_greetings", self.greetings.texts)

    def _edit(self, name: str, value: Any) -> None:
        if not self._is_showing:
            self.data.edit(name, value)

    def _rename(self) -> None:
        self.data.writer.flush()
        self.rename_requested.emit(self.data.stem)

    def _more(self) -> None:
        self.menu_requested.emit(self.data.stem, self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _choose_picture(self) -> None:
        from tavern_desktop.ui.character.picture import ask_for_picture

        ask_for_picture(self, self.take_picture)

    def take_picture(self, source: Path) -> None:
        """Give the character the picture in a file; the card stays as it is."""
        from tavern_desktop.ui.character.picture import with_picture

        self.data.change_picture(partial(with_picture, source))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in (part.strip() for part in text.split(",")) if word)
