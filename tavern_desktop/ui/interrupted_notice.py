"""Offers the part of a reply that was being written when the program died."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.reply_stream import InterruptedReply, forget, interrupted_replies
from tavern_desktop.ui.banner import Banner, Notice
from tavern_desktop.ui.message_commands import MessageCommands

if TYPE_CHECKING:
    from tavern_desktop.ui.services import Services

STREAMS = "streams"
KEY = "interrupted"
SHOWN = 60


class InterruptedReplies(QObject):
    """The parts that an earlier run of the program left in a data root; each is offered until somebody decided on it.

    Owner: the services of all windows.
    """

    changed = Signal()

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self._services = services
        self._found: list[InterruptedReply] | None = None
        services.root_changed.connect(self._forget_root)

    def look(self) -> None:
        """Look for them, the first time in the folder; `changed` tells once they are known."""
        if self._found is None:
            self._found = []
            folder = self._services.own_data / STREAMS
            self._services.runner.submit(partial(interrupted_replies, folder), self._take)

    def of(self, chat: Path) -> InterruptedReply | None:
        """Return one of the parts of a chat, None where there is none."""
        if not self._found:
            return None
        from tavern_desktop.session.generating.interrupted import belongs_to

        return next((reply for reply in self._found if belongs_to(reply, chat)), None)

    def decide(self, reply: InterruptedReply) -> None:
        """Offer a part no more."""
        self._found = [other for other in self._found or () if other is not reply]
        self.changed.emit()

    def offer_again(self, reply: InterruptedReply) -> None:
        """Take that back: nothing could be done with it."""
        self._found = [*(self._found or ()), reply]
        self.changed.emit()

    def drop(self, reply: InterruptedReply) -> None:
        """Forget a part for good."""
        self.decide(reply)
        self._services.runner.submit(partial(forget, reply.path), Outcome.result)

    def _take(self, outcome: Outcome[list[InterruptedReply]]) -> None:
        # What this program itself is writing is no leftover.
        running = {task.id for task in self._services.generations.running()}
        self._found = [reply for reply in outcome.result() if reply.path.stem not in running]
        self.changed.emit()

    def _forget_root(self) -> None:
        self._found = None


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
        services.interrupted.changed.connect(self._offer)

    def take_up(self) -> None:
        """See whether the chat that has come into view has such a part."""
        self._services.interrupted.look()
        self._offer()

    def _offer(self) -> None:
        session = self._session()
        can_take = session is not None and session.can_change
        reply = self._services.interrupted.of(session.path) if session is not None and can_take else None
        if session is None or reply is None:
            self._banner.take_away(KEY)
            return
        words = " ".join(reply.text.split())
        words = words if len(words) <= SHOWN else words[:SHOWN].rstrip() + "…"
        buttons = (
            (self.tr("Insert"), partial(self._insert, session, reply)),
            (self.tr("Discard"), partial(self._services.interrupted.drop, reply)),
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
        interrupted = self._services.interrupted
        if reply.head.action == "impersonate":
            self._to_composer(reply.text)
            interrupted.drop(reply)
            return
        interrupted.decide(reply)
        if self._commands.run(command_for(reply, session.chat)):
            session.make_durable(partial(interrupted.drop, reply))
        else:
            interrupted.offer_again(reply)
