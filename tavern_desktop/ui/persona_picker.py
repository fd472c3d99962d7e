"""Who the person is in the chat in view: shown beside the ＋, chosen from the personas of the data folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu

from tavern_desktop.chat.chat import Chat
from tavern_desktop.library.personas import PERSONA, Persona, personas
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.avatars import paint_avatar
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.writing import Writing

SIDE = 20


class PersonaPicker(QObject):
    """Owner: the desk. What is chosen stands in the chat, where SillyTavern has it, and can be undone."""

    refused = Signal(str)
    """A sentence why no other persona was chosen."""

    def __init__(
        self,
        services: Services,
        area: ComposerArea,
        session: Callable[[], ChatSession | None],
        commands: MessageCommands,
        writing: Writing,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._area = area
        self._session = session
        self._commands = commands
        self._writing = writing
        self._known: tuple[Persona, ...] = ()
        self._chat: Chat | None = None
        self._chosen = ""
        """The id that stands in the chat in view, "" for none."""
        self._menu = QMenu(area)
        self._menu.setObjectName("personaMenu")
        self._menu.aboutToShow.connect(self._open)
        area.persona.setMenu(self._menu)
        area.persona.setIconSize(QSize(SIDE, SIDE))
        writing.persona_changed.connect(self.show_now)
        writing.persona_requested.connect(self.choose_named)
        services.avatars.loaded.connect(self.show_now)

    def watch(self, chat: Chat | None) -> None:
        """See it when this chat, and no longer the one before, names another persona."""
        if self._chat is not None:
            self._chat.header_changed.disconnect(self._look_again)
        self._chat = chat
        if chat is not None:
            chat.header_changed.connect(self._look_again)
            self._chosen = self._in_chat()

    def _look_again(self) -> None:
        session = self._session()
        if session is not None and self._in_chat() != self._chosen:
            self._chosen = self._in_chat()
            self._writing.find_persona(session)

    def show_now(self) -> None:
        """Show the picture of who the person is."""
        persona = self._writing.persona
        self._area.persona.setIcon(self._icon(persona))

    def choose(self, persona: Persona | None) -> bool:
        """Write as this persona in the chat in view from now on; None leaves it to who wrote last."""
        session = self._session()
        if session is None or session.chat is None or not session.can_change:
            self.refused.emit(self.tr("This chat cannot be changed right now, so its persona stays."))
            return False
        metadata = {name: value for name, value in session.chat.header.metadata().items() if name != PERSONA}
        command = SetMetadata(metadata | ({PERSONA: persona.id} if persona is not None else {}))
        command.label = "Choose persona"
        return self._commands.run(command)

    def pop_up(self, place: QPoint) -> None:
        """Offer the personas at a place on the screen."""
        self._menu.popup(place)

    def choose_named(self, name: str, chosen: Callable[[], object]) -> None:
        """Choose the persona of this name, then call `chosen`; where there is none, say so."""

        def take(outcome: Outcome[tuple[Persona, ...]]) -> None:
            self._known = outcome.result()
            wanted = name.casefold()
            found = next((one for one in self._known if wanted in (one.name.casefold(), _stem(one).casefold())), None)
            if found is None:
                self.refused.emit(self.tr("There is no persona called “{name}” in this folder.").format(name=name))
            elif self.choose(found):
                chosen()

        self._read(take)

    def _in_chat(self) -> str:
        chosen = self._chat.header.metadata().get(PERSONA) if self._chat is not None else None
        return chosen if isinstance(chosen, str) else ""

    def _read(self, take: Callable[[Outcome[tuple[Persona, ...]]], None]) -> None:
        self._services.runner.submit(partial(personas, self._services.root), take)

    def _open(self) -> None:
        self._fill()

        def take(outcome: Outcome[tuple[Persona, ...]]) -> None:
            known = outcome.result()
            if known != self._known:
                self._known = known
                self._fill()

        self._read(take)

    def _fill(self) -> None:
        self._menu.clear()
        current = self._in_chat()
        for persona in self._known:
            act = self._menu.addAction(self._icon(persona), persona.name)
            act.setCheckable(True)
            act.setChecked(persona.id == (current or self._writing.persona.id))
            font = act.font()
            font.setBold(act.isChecked())  # where an icon is, no tick is shown
            act.setFont(font)
            act.triggered.connect(partial(self._pick, persona))
        if self._known:
            self._menu.addSeparator()
        last = self._menu.addAction(self.tr("As Whoever Wrote Last"))
        last.setToolTip(self.tr("The chat names no persona of its own"))
        last.setEnabled(bool(current))
        last.triggered.connect(partial(self._pick, None))

    def _pick(self, persona: Persona | None, _checked: bool = False) -> None:
        self.choose(persona)

    def _icon(self, persona: Persona) -> QIcon:
        ratio = self._area.devicePixelRatioF()
        picture = self._services.avatars.picture(persona.avatar, SIDE, ratio)
        made = QPixmap(QSize(SIDE, SIDE) * ratio)
        made.setDevicePixelRatio(ratio)
        made.fill(Qt.GlobalColor.transparent)
        painter = QPainter(made)
        paint_avatar(painter, QRectF(0, 0, SIDE, SIDE), persona.name, picture)
        painter.end()
        return QIcon(made)


def _stem(persona: Persona) -> str:
    return Path(persona.id).stem
