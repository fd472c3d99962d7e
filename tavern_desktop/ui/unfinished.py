"""Edits of messages that were typed and not saved: on disk while they are typed, offered once their editor is gone.

An editor loses its text to nobody: a program that dies, a message deleted underneath, a chat that may not be changed
just then all leave an unfinished edit, with a way to go on with it (B-29, B-47).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from tavern_desktop.chat import facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.message_refs import find_message, ref_of
from tavern_desktop.storage.drafts import Edit, MessageRef
from tavern_desktop.ui.banner import Banner, Button, Notice
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.spelling import SpellMarks

UNFINISHED = "unfinished"


class UnfinishedEdits(QObject):
    """Those of the chat in view. Owner: the desk."""

    def __init__(
        self,
        services: Services,
        view: ChatView,
        banner: Banner,
        session: Callable[[], ChatSession | None],
        commands: MessageCommands,
        to_composer: Callable[[str], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._view = view
        self._banner = banner
        self._session = session
        self._to_composer = to_composer
        self._edited: MessageRef | None = None
        """The message in the editor, or that was in it last."""
        self._offered: tuple[Edit, int | None] | None = None
        view.editing_changed.connect(self._note_editor)
        view.edit_typed.connect(self._note_text)
        view.edit_orphaned.connect(self._keep)
        commands.edit_refused.connect(lambda key, text: self._keep(text))

    def offer(self) -> None:
        """Say which edit waits for a decision, if there is one; what was said is not said again."""
        session = self._session()
        chat = session.chat if session is not None else None
        if session is None or chat is None or self._view.is_editing:
            return
        found = next(self._waiting(session, chat), None)
        if found == self._offered:
            return
        self._offered = found
        if found is None:
            self._banner.take_away(UNFINISHED)
        else:
            self._banner.show_notice(self._notice(session, *found))

    def take_up(self) -> None:
        """Another chat comes into view."""
        self._offered = self._edited = None
        if not self._services.drafts.is_loaded:
            self._services.drafts.loaded.connect(self.offer)

    def _waiting(self, session: ChatSession, chat: Chat) -> Iterator[tuple[Edit, int | None]]:
        """Yield the unfinished edits, each with the key of its message, None where that is gone."""
        for edit in self._services.drafts.unfinished(session.path):
            key = find_message(chat, edit.message)
            if key is not None and _text_of(chat, key) == edit.text:
                self._services.drafts.drop_edit(session.path, edit.message)  # it was saved after all
            else:
                yield edit, key

    def _notice(self, session: ChatSession, edit: Edit, key: int | None) -> Notice:
        discard = (self.tr("Discard"), partial(self._discard, session, edit))
        copy = (self.tr("Copy My Text"), partial(self._copy, edit))
        if key is not None and session.can_change and session.chat is not None:
            number = session.chat.find(key)
            go_on = (self.tr("Continue"), partial(self._continue, session, edit, key))
            text = self.tr("An edit of #{number} was not saved.").format(number=number)
            return Notice(text, (go_on, discard), "warning", UNFINISHED)
        buttons: list[Button] = [copy, discard]
        if session.can_change:
            buttons.insert(0, (self.tr("Put into Composer"), partial(self._move_to_composer, session, edit)))
        text = self.tr("The message you were editing is gone. What you typed is kept here.")
        if key is not None:
            text = self.tr("An edit was not saved, and this chat cannot be changed now. What you typed is kept here.")
        return Notice(text, buttons, "warning", UNFINISHED, (copy[0],))

    def _continue(self, session: ChatSession, edit: Edit, key: int) -> None:
        self._offered = None
        self._services.drafts.drop_edit(session.path, edit.message)
        if not self._view.begin_edit(key, edit.text):
            self._services.drafts.keep_edit(session.path, edit)
            self.offer()

    def _move_to_composer(self, session: ChatSession, edit: Edit) -> None:
        self._to_composer(edit.text)
        self._discard(session, edit)

    def _copy(self, edit: Edit) -> None:
        """Copying decides nothing: it may be copied to nowhere."""
        QGuiApplication.clipboard().setText(edit.text)

    def _discard(self, session: ChatSession, edit: Edit) -> None:
        self._services.drafts.drop_edit(session.path, edit.message)
        self.offer()

    # -- the editor -------------------------------------------------------------------------------------

    def _note_editor(self, is_open: bool) -> None:
        session, key, frame = self._session(), self._view.editing.key, self._view.editing.frame
        if frame is not None:
            SpellMarks(frame.field, self._services.spelling)
        if is_open and session is not None and session.chat is not None and key is not None:
            self._edited = ref_of(session.chat, key)
            self._banner.take_away(UNFINISHED)
            self._offered = None
        elif session is not None and self._edited is not None:
            self._services.drafts.drop_edit(session.path, self._edited)
            self.offer()

    def _note_text(self) -> None:
        session, frame = self._session(), self._view.editing.frame
        if session is None or frame is None or self._edited is None:
            return
        self._services.drafts.note_edit(session.path, self._edited, lambda: frame.text if frame.is_changed else "")

    def _keep(self, text: str) -> None:
        session = self._session()
        if session is not None and self._edited is not None:
            self._services.drafts.keep_edit(session.path, Edit(self._edited, text))
            self.offer()


def _text_of(chat: Chat, key: int) -> str:
    index = chat.find(key)
    return facts.text(chat.messages[index].seen_data()) if index is not None else ""
