"""Who the person is in the chat in view: the persona's name, picture and description, to be chosen and written in."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMessageBox, QScrollArea, QSpinBox, QVBoxLayout, QWidget

from tavern_desktop.library.persona_files import (
    IN_CHAT,
    IN_PROMPT,
    NOTE_BOTTOM,
    NOTE_TOP,
    NOWHERE,
    PersonaFields,
    create_persona,
    read_persona,
    remove_persona,
    write_persona,
)
from tavern_desktop.library.personas import NOBODY, Persona
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.character.fields import GrowingField, Section
from tavern_desktop.ui.chat_header import AvatarBox
from tavern_desktop.ui.late_writer import LateWriter, why
from tavern_desktop.ui.lore.words import ROLES, tr
from tavern_desktop.ui.portrait import portrait
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.widgets import TextField, icon_button, inset, label, narrow, push_button, set_tone

if TYPE_CHECKING:
    from tavern_desktop.ui.desk import ChatDesk
    from tavern_desktop.ui.inspector.prompt_data import PromptData

T = TypeVar("T")
AVATAR = 72
LANE = "settings"


class PersonaTab(QScrollArea):
    """Owner: the inspector."""

    def __init__(self, services: Services, desk: ChatDesk, prompt: PromptData, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._services, self._desk, self._prompt = services, desk, prompt
        self.persona = Persona(NOBODY)
        self.fields: PersonaFields | None = None
        self._is_showing = False
        self._asks = False
        self.writer = LateWriter(services, LANE, self._write, self)
        self.avatar = AvatarBox(AVATAR)
        self.name = TextField("", self.tr("Name"))
        self.state = label("", "muted", wrap=True)
        self.told = label("", "muted", wrap=True)
        self.choose_button = push_button(self.tr("Choose…"), "plain", self._choose)
        self.new_button = push_button(self.tr("New Persona"), "plain", self.make)
        self.picture_button = icon_button("user", self.tr("Another Picture…"), self._choose_picture)
        self.remove_button = icon_button("trash", self.tr("Move This Persona to the Bin…"), self._ask_to_remove)
        self.description = GrowingField(self.tr("Who you are"), self.tr("What the character is told of you…"))
        self.place, self.role = QComboBox(), QComboBox()
        self.from_end = inset(QSpinBox())
        self._lay_out()
        self._connect()
        self._look()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    # -- how it is made ---------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        for text, position in (
            (self.tr("with the character"), IN_PROMPT),
            (self.tr("above the author’s note"), NOTE_TOP),
            (self.tr("below the author’s note"), NOTE_BOTTOM),
            (self.tr("in the chat"), IN_CHAT),
            (self.tr("nowhere"), NOWHERE),
        ):
            self.place.addItem(text, position)
        self.place.setAccessibleName(self.tr("Where the description stands"))
        self.role.addItems([tr(text) for text in ROLES])
        self.role.setAccessibleName(self.tr("Who says it"))
        self.from_end.setRange(0, 10_000)
        self.from_end.setSuffix(self.tr(" from the end"))
        self.from_end.setAccessibleName(self.tr("Messages from the end"))
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        for button in (self.picture_button, self.remove_button):
            buttons.addWidget(button)
        buttons.addStretch(1)
        beside = QVBoxLayout()
        beside.setSpacing(4)
        beside.addWidget(narrow(self.name))
        beside.addLayout(buttons)
        beside.addWidget(self.state)
        beside.addStretch(1)
        top = QHBoxLayout()
        top.setSpacing(14)
        top.addWidget(self.avatar, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(beside, 1)
        choice = QHBoxLayout()
        choice.setSpacing(6)
        choice.addWidget(self.choose_button)
        choice.addWidget(self.new_button)
        choice.addStretch(1)
        self.section = Section(self.tr("Who you are"), self.description)
        self.place_section = Section(self.tr("Where it stands"), self.place)
        self.in_chat = QWidget()
        inner = QVBoxLayout(self.in_chat)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        inner.addWidget(self.from_end)
        inner.addWidget(self.role)
        page = QWidget()
        page.setObjectName("scrolled")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 4, 8, 12)
        column.setSpacing(12)
        column.addLayout(top)
        column.addLayout(choice)
        column.addWidget(self.section)
        column.addWidget(self.place_section)
        column.addWidget(self.in_chat)
        column.addWidget(self.told)
        column.addStretch(1)
        self.setWidget(page)

    def _connect(self) -> None:
        self._desk.writing.persona_changed.connect(self._look)
        self._desk.chat_changed.connect(self._look)
        self._services.avatars.loaded.connect(self._show_picture)
        self.writer.state_changed.connect(self._show_state)
        self.writer.written.connect(lambda persona_id: self._written())
        self.name.textEdited.connect(lambda text: self._edit("name", text.strip() or NOBODY))
        self.name.editingFinished.connect(self.writer.flush)
        self.description.textChanged.connect(self._described)
        self.description.left.connect(self.writer.flush)
        self.place.activated.connect(lambda _: self._placed())
        self.role.activated.connect(lambda role: self._edit("role", role))
        self.from_end.valueChanged.connect(lambda depth: self._edit("depth", depth))

    # -- what is shown ----------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Read, away from the window, what is kept of the persona in the chat in view."""
        persona = self._desk.writing.persona
        if persona.id != self.persona.id:
            self.writer.flush()
            self.writer.say("")
        self.persona = persona
        if not persona.id:
            self.fields = None
            self._show()
            return
        work = partial(read_persona, self._services.root, persona.id)
        self._services.runner.submit(work, partial(self._take, persona.id), lane=LANE)

    def _take(self, persona_id: str, outcome: Outcome[PersonaFields]) -> None:
        if persona_id == self.persona.id:
            self.fields = outcome.result()
            self._show()

    def _show(self) -> None:
        fields, has_one = self.fields or PersonaFields(), self.fields is not None
        typed = self.writer.typed(self.persona.id)
        self._is_showing = True
        if "name" not in typed and not self.name.hasFocus():
            self.name.setText(fields.name or self.persona.name)
        if "description" not in typed:
            self.description.show_text(fields.description)
        self.place.setCurrentIndex(max(0, self.place.findData(fields.position)))
        self.from_end.setValue(fields.depth)
        self.role.setCurrentIndex(fields.role if 0 <= fields.role < self.role.count() else 0)
        self._is_showing = False
        may_write = self._services.may_write
        self.name.setReadOnly(not has_one or not may_write)
        self.description.setReadOnly(not may_write)
        shown: tuple[QWidget, ...] = (self.section, self.place_section, self.picture_button, self.remove_button)
        for widget in shown:
            widget.setVisible(has_one)
        for widget in (self.place, self.role, self.from_end, self.new_button, *shown[2:]):
            widget.setEnabled(may_write)
        self._show_place()
        theirs = self.tr("SillyTavern keeps personas in its settings and writes over them. Close it before a change.")
        nobody = self.tr("“{name}” is a name and no more. A persona has a description and a picture.")
        self.told.setText(theirs if has_one else nobody.format(name=self.persona.name))
        self.section.count(self.description.toPlainText())
        self._show_picture()

    def _show_place(self) -> None:
        self.in_chat.setVisible(self.fields is not None and self.place.currentData() == IN_CHAT)

    def _show_picture(self) -> None:
        picture = self._services.avatars.picture(self.persona.avatar, AVATAR, self.devicePixelRatioF())
        self.avatar.show_avatar(self.persona.name, picture)

    def _show_state(self) -> None:
        failed = self.tr("Not saved. {reason}").format(reason=self.writer.failure)
        texts = {"": "", "changed": self.tr("Saving…"), "saved": self.tr("Saved"), "failed": failed}
        self.state.setText(texts[self.writer.state])
        set_tone(self.state, "danger" if self.writer.state == "failed" else "muted")

    # -- what is done -----------------------------------------------------------------------------------------

    def _write(self, persona_id: str, changes: dict[str, Any]) -> None:
        write_persona(self._services.root, persona_id, changes)

    def _edit(self, name: str, value: Any) -> None:
        if not self._is_showing and self.fields is not None:
            self.writer.edit(self.persona.id, {name: value})

    def _described(self) -> None:
        self.section.count(self.description.toPlainText())
        self._edit("description", self.description.toPlainText())

    def _placed(self) -> None:
        self._show_place()
        self._edit("position", self.place.currentData())

    def _written(self) -> None:
        self._find_again()
        self._prompt.build_soon()

    def _find_again(self) -> None:
        session = self._desk.session
        if session is not None:
            self._desk.writing.find_persona(session)
        self._look()

    def _choose(self) -> None:
        self._desk.personas.pop_up(self.choose_button.mapToGlobal(QPoint(0, self.choose_button.height())))

    def make(self) -> None:
        """Write a new persona, and be it in the chat in view."""
        name = self.tr("New persona") if self.persona.id else self.persona.name
        root = self._services.root

        def made(persona_id: str) -> None:
            self._desk.personas.choose(Persona(name, root.personas / persona_id, persona_id))
            self._find_again()

        self._do(lambda: create_persona(root, name, portrait(name)), made)

    def _choose_picture(self) -> None:
        from tavern_desktop.ui.character.picture import ask_for_picture

        ask_for_picture(self, self.take_picture)

    def take_picture(self, source: Path) -> None:
        """Give the persona the picture in a file."""
        from tavern_desktop.storage.publish import write_small_file
        from tavern_desktop.ui.character.picture import png_in

        target = self._services.root.personas / self.persona.id

        def done(_: None) -> None:
            self._services.avatars.read_again({str(target)})

        self._do(lambda: write_small_file(target, png_in(source)[0]), done)

    def _ask_to_remove(self) -> None:
        box = QMessageBox(self.window())
        box.setObjectName("removePersona")
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(self.tr("Move Persona to the Bin"))
        box.setText(self.tr("Move the persona {name} to the bin?").format(name=self.persona.name))
        box.setInformativeText(self.tr("Its picture goes to the bin, its description is gone. Chats stay as they are."))
        move = box.addButton(self.tr("Move to the Bin"), QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole))
        move.clicked.connect(self.remove)
        box.finished.connect(box.deleteLater)
        box.open()

    def remove(self) -> None:
        """Move the persona to the bin; the chat is as whoever wrote last then."""
        persona_id = self.persona.id
        self._do(partial(remove_persona, self._services.root, persona_id), lambda _: self._find_again())

    def _do(self, work: Callable[[], T], done: Callable[[T], object]) -> None:
        def take(outcome: Outcome[T]) -> None:
            if isinstance(outcome.error, StorageError | OSError):
                self.writer.say("failed", why(outcome.error))
                return
            done(outcome.result())
            self.writer.say("saved")

        self._services.runner.submit(work, take, lane=LANE)
