"""What the person writes in a window: as whom, the draft of each chat, and sending it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.library.personas import Persona, persona_for
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.attaching import Attaching
from tavern_desktop.ui.attachments import Attached
from tavern_desktop.ui.banner import Notice
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.sending import command_for
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.slash import SlashCommand, SlashError, is_slash, parse_slash
from tavern_desktop.ui.spelling import SpellMarks

if TYPE_CHECKING:
    from tavern_desktop.session.drafts import Drafts

USER_SEARCHED = 500
"""Messages from the end among which the person's last one is looked for."""
SEND_NOTICE = "send"


class Writing(QObject):
    """Owner: the desk."""

    persona_changed = Signal()
    sent = Signal()
    message_sent = Signal()
    """The person's message is in the chat, for somebody to answer."""
    continue_requested = Signal()
    """The newest message is to go on."""
    persona_requested = Signal(str, object)
    """(name, done): the person wants to write as this persona; `done` is called once they do."""
    noticed = Signal(object)
    """A Notice for the banner."""
    notice_withdrawn = Signal(str)

    def __init__(
        self,
        services: Services,
        area: ComposerArea,
        session: Callable[[], ChatSession | None],
        commands: MessageCommands,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.persona = services.persona
        self._is_showing = False
        self._pictures_of: dict[Path, list[tuple[Attached, QImage]]] = {}
        """Pictures attached in other chats and not sent."""
        self._services = services
        self._area = area
        self._session = session
        self._commands = commands
        self.attaching = Attaching(services, area, self)
        self.attaching.refused.connect(self._say)
        SpellMarks(area.text, services.spelling)
        area.text.send_requested.connect(self.send)
        area.text.textChanged.connect(self._note_text)
        self._drafts: Drafts | None = None
        commands.undone.connect(lambda: self.notice_withdrawn.emit(SEND_NOTICE))
        area.text.edit_last_requested.connect(commands.edit_my_last)
        area.text.swipe_requested.connect(commands.swipe_newest)

    def take_up(self, session: ChatSession) -> None:
        """Show the draft of the chat that has come into view."""
        self.persona = self._services.persona
        if self._drafts is not self._services.drafts:
            self._drafts = self._services.drafts
            self._drafts.composer_changed.connect(self._take_draft)
        self._show_draft(self._drafts.composer(session.path))
        self._area.attachments.put_on(self._pictures_of.pop(session.path, []))

    def lay_down(self, session: ChatSession) -> None:
        """Keep what is written but not sent."""
        self._area.text.finish_composing()
        text = self._area.text.toPlainText()
        self._services.drafts.note_composer(session.path, lambda: text, self)
        self._pictures_of[session.path] = self._area.attachments.take_off()
        self._show_draft("")

    def forget_sent(self, session: ChatSession) -> None:
        """Take out of the composer what an earlier run left there though it had become the newest message."""
        chat = session.chat
        if chat is not None and len(chat) and self._services.drafts.is_left_behind(session.path):
            newest = chat.messages[-1].data()
            if facts.role(newest) == "user" and facts.text(newest) == self._area.text.toPlainText():
                self._area.text.clear()

    def find_persona(self, session: ChatSession) -> None:
        """Look up, off the window's thread, who the person is in a chat that has been read."""
        if session.chat is None:
            return
        root, metadata, last = self._services.root, session.chat.header.metadata(), _last_by_user(session.chat)

        def keep(outcome: Outcome[Persona]) -> None:
            if self._session() is session and outcome.error is None:
                self.persona = self._services.persona = outcome.result()
                self.persona_changed.emit()

        self._services.runner.submit(lambda: persona_for(root, metadata, last), keep)

    def type_through(self, text: str) -> None:
        """Take letters that were typed while the keyboard was on the surface."""
        self._area.text.setFocus()
        self._area.text.insertPlainText(text)

    def put_behind(self, text: str) -> None:
        """Put text behind what stands in the composer."""
        self._area.text.finish_composing()
        self._area.text.show_text("\n".join(filter(None, (self._area.text.toPlainText(), text))))
        self._area.text.setFocus()

    def send(self) -> None:
        """Make the text a message of the chat in view, or do the `/` command it is; else it stays, and why is said."""
        session, text = self._session(), self._area.text.toPlainText()
        attached = bool(self._area.attachments.items) and not is_slash(text)
        if session is None or not (text.strip() or attached):
            return
        if session.chat is None or not session.can_change:
            self._say(self.tr("This chat cannot be changed right now. Your text stays here."))
            return
        if attached:
            owner = self._services.root.character_of(session.path) or session.title
            self.attaching.store(owner, lambda media: self._send(session, text, media))
        else:
            self._send(session, text)

    def _send(self, session: ChatSession, text: str, media: Sequence[dict[str, Any]] = ()) -> None:
        if session is not self._session() or session.chat is None:
            return  # the person went elsewhere meanwhile; text and pictures stayed with the chat
        try:
            if is_slash(text) and self._ask(parse_slash(text), text):
                return
            command = command_for(text, session.chat, self.persona, media)
        except SlashError as error:
            self._say(str(error))
            return
        if not self._commands.run(command):
            return
        self._area.text.clear()
        if media:
            self._area.attachments.clear()
        self.notice_withdrawn.emit(SEND_NOTICE)
        self.sent.emit()
        if not is_slash(text):
            self.message_sent.emit()

    def _ask(self, command: SlashCommand, text: str) -> bool:
        """Ask others for what no message comes of; False for any other command."""

        def done() -> None:
            if self._area.text.toPlainText() == text:
                self._area.text.clear()
            self.notice_withdrawn.emit(SEND_NOTICE)

        if command.name == "continue":
            done()
            self.continue_requested.emit()
        elif command.name == "persona":
            self.persona_requested.emit(command.text, done)
        return command.name in ("continue", "persona")

    def _note_text(self) -> None:
        session = self._session()
        if session is not None and not self._is_showing:
            self._services.drafts.note_composer(session.path, self._area.text.toPlainText, self)

    def _take_draft(self, chat: Path, source: object) -> None:
        """Show what was typed in another window, or left by an earlier run of the program."""
        session = self._session()
        if source is self or session is None or session.path != chat:
            return
        text = self._services.drafts.composer(chat)
        if text != self._area.text.toPlainText():
            self._show_draft(text)
        if source is None:
            self.forget_sent(session)

    def _show_draft(self, text: str) -> None:
        self._is_showing = True
        self._area.text.show_text(text)
        self._is_showing = False

    def _say(self, text: str) -> None:
        self.noticed.emit(Notice(text, key=SEND_NOTICE))


def _last_by_user(chat: Chat) -> dict[str, Any] | None:
    for message in reversed(chat.messages[-USER_SEARCHED:]):
        data = message.data()
        if facts.role(data) == "user":
            return data
    return None
