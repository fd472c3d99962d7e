"""The author's note of the chat in view: a text that is said near its end, to be written in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QComboBox, QSpinBox, QVBoxLayout, QWidget

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.injections import AFTER_MAIN, BEFORE_MAIN, IN_CHAT
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.ui.character.fields import GrowingField, Section
from tavern_desktop.ui.lore.words import ROLES, tr
from tavern_desktop.ui.widgets import inset, narrow

if TYPE_CHECKING:
    from tavern_desktop.ui.desk import ChatDesk

TEXT, PLACE, DEPTH, ROLE, INTERVAL = "note_prompt", "note_position", "note_depth", "note_role", "note_interval"
"""What a chat's metadata calls it."""
USUAL: dict[str, Any] = {TEXT: "", PLACE: IN_CHAT, DEPTH: 4, ROLE: 0, INTERVAL: 1}


class NoteEditor(QWidget):
    """Every change is one command of the chat, so that Undo takes it back. Owner: the Lore tab."""

    def __init__(self, desk: ChatDesk) -> None:
        super().__init__()
        self._desk = desk
        self._chat: Chat | None = None
        self._is_showing = False
        self.text = GrowingField(self.tr("Author’s note"), self.tr("What the model is reminded of in this chat…"))
        self.place, self.role = QComboBox(), QComboBox()
        for told, position in (
            (self.tr("in the chat"), IN_CHAT),
            (self.tr("after the instruction"), AFTER_MAIN),
            (self.tr("before the instruction"), BEFORE_MAIN),
        ):
            self.place.addItem(told, position)
        self.place.setAccessibleName(self.tr("Where the note stands"))
        self.role.addItems([tr(told) for told in ROLES])
        self.role.setAccessibleName(self.tr("Who says the note"))
        self.from_end, self.interval = inset(QSpinBox()), inset(QSpinBox())
        self.from_end.setRange(0, 10_000)
        self.from_end.setSuffix(self.tr(" from the end"))
        self.from_end.setAccessibleName(self.tr("Messages from the end"))
        self.interval.setRange(0, 1000)
        self.interval.setSpecialValueText(self.tr("never"))
        self.interval.setPrefix(self.tr("every "))
        self.interval.setSuffix(self.tr(" of mine"))
        self.interval.setAccessibleName(self.tr("How often: with every so many of your messages"))
        self._lay_out()
        self.text.left.connect(self.keep)
        for box in (self.place, self.role):
            box.activated.connect(lambda _: self.keep())
        for spin in (self.from_end, self.interval):
            spin.editingFinished.connect(self.keep)
        self.place.currentIndexChanged.connect(self._show_needed)
        self.text.textChanged.connect(lambda: self.section.count(self.text.toPlainText()))

    def follow(self) -> None:
        """Show the note of the chat that is in view now."""
        session = self._desk.session
        chat = session.chat if session is not None else None
        if chat is not self._chat:
            self.keep()
            if self._chat is not None:
                self._chat.header_changed.disconnect(self._show)
            self._chat = chat
            if chat is not None:
                chat.header_changed.connect(self._show)
        self._show()

    def keep(self) -> None:
        """Make of what is typed a change of the chat, if it is one."""
        session, chat = self._desk.session, self._chat
        if self._is_showing or chat is None or session is None or session.chat is not chat or not session.can_change:
            return
        metadata = chat.header.metadata()
        before, now = _note(metadata), self._typed()
        changes = {name: value for name, value in now.items() if value != before[name]}
        if changes:
            command = SetMetadata({**metadata, **changes})
            command.label = "Author’s note"
            self._desk.commands.run(command)

    def _lay_out(self) -> None:
        self.section = Section(self.tr("Author’s note of this chat"), self.text)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.section)
        for widget in (self.place, self.from_end, self.role, self.interval):
            column.addWidget(narrow(widget))

    def _typed(self) -> dict[str, Any]:
        return {
            TEXT: self.text.toPlainText(),
            PLACE: self.place.currentData(),
            DEPTH: self.from_end.value(),
            ROLE: self.role.currentIndex(),
            INTERVAL: self.interval.value(),
        }

    def _show(self) -> None:
        note = _note(self._chat.header.metadata()) if self._chat is not None else USUAL
        self._is_showing = True
        self.text.show_text(note[TEXT])
        self.place.setCurrentIndex(max(0, self.place.findData(note[PLACE])))
        self.from_end.setValue(note[DEPTH])
        self.role.setCurrentIndex(note[ROLE])
        self.interval.setValue(note[INTERVAL])
        self._is_showing = False
        session = self._desk.session
        self.setEnabled(session is not None and session.can_change)
        self._show_needed()

    def _show_needed(self) -> None:
        for widget in (self.from_end, self.role):
            widget.setVisible(self.place.currentData() == IN_CHAT)


def _note(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the note as a chat says it, what it does not say as it is usual."""
    text = metadata.get(TEXT)
    found: dict[str, Any] = {TEXT: text if isinstance(text, str) else ""}
    for name in (PLACE, DEPTH, ROLE, INTERVAL):
        value = index_of(metadata.get(name))
        found[name] = USUAL[name] if value is None or value < 0 else value
    if found[ROLE] >= len(ROLES):
        found[ROLE] = 0
    return found
