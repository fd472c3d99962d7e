"""Offers the part of a reply that was being written when the program died."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.reply_stream import InterruptedReply, forget, interrupted_replies
from tavern_desktop.ui.banner import Banner, Notice
from tavern_desktop.ui.message_commands import MessageCommands
from tavern_desktop.ui.services import Services

STREAMS = "streams"
KEY = "interrupted"
SHOWN = 60


class InterruptedNotice(QObject):
    """Owner: the desk."""

    def __init__(
        self,
        services: Services,
        banner: Banner,
        session: Callable[[], ChatSession | None],
        commands: MessageCommands,
        to_composer: Callable[[str], object],
        parent: QObject,
    ) -> None:
        """`to_composer` takes what was being written for the person."""
        super().__init__(parent)
        self._services = services
        self._banner = banner
        self._session = session
        self._commands = commands
        self._to_composer = to_composer
        self._found: list[InterruptedReply] | None = None
        services.root_changed.connect(self._forget_root)

    def take_up(self) -> None:
        """Look, the first time in the folder, whether the chat that has come into view has such a part."""
        if self._found is not None:
            self._offer()
            return
        self._found = []
        folder = self._services.own_data / STREAMS
        self._services.runner.submit(partial(interrupted_replies, folder), self._take)

    def _take(self, outcome: Outcome[list[InterruptedReply]]) -> None:
        # What this program itself is writing is no leftover.
        running = {task.id for task in self._services.generations.running()}
        self._found = [reply for reply in outcome.result() if reply.path.stem not in running]
        self._offer()

    def _offer(self) -> None:
        session = self._session()
        if not self._found or session is None or not session.can_change:
            return
        from tavern_desktop.session.generating.interrupted import belongs_to

        reply = next((reply for reply in self._found if belongs_to(reply, session.path)), None)
        if reply is None:
            return
        words = " ".join(reply.text.split())
        words = words if len(words) <= SHOWN else words[:SHOWN].rstrip() + "…"
        buttons = (
            (self.tr("Insert"), partial(self._insert, session, reply)),
            (self.tr("Discard"), partial(self._drop, reply)),
        )
        sentence = self.tr("A reply was being written when the program ended: “{words}”").format(words=words)
        if reply.others:
            more = self.tr("{count} other alternatives of it come along.").format(count=len(reply.others))
            sentence += " " + (self.tr("Another alternative of it comes along.") if len(reply.others) == 1 else more)
        self._banner.show_notice(Notice(sentence, buttons, key=KEY))

    def _insert(self, session: ChatSession, reply: InterruptedReply) -> None:
        from tavern_desktop.session.generating.interrupted import command_for

        if session is not self._session() or session.chat is None:
            return
        if reply.head.action == "impersonate":
            self._to_composer(reply.text)
            self._drop(reply)
        elif self._commands.run(command_for(reply, session.chat)):
            session.make_durable(partial(self._drop, reply))
        else:
            self._offer()

    def _drop(self, reply: InterruptedReply) -> None:
        self._found = [other for other in self._found or () if other is not reply]
        self._services.runner.submit(partial(forget, reply.path), Outcome.result)
        self._offer()

    def _forget_root(self) -> None:
        self._found = None
