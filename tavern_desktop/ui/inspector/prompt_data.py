"""The prompt that the chat in view would send now, built away from the window's thread when somebody looks."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.services import Services

if TYPE_CHECKING:
    from tavern_desktop.prompt.messages import Prompt
    from tavern_desktop.session.generating.scenes import Asked

PAUSE = 400
"""Milliseconds after a change before the prompt is built again."""


class PromptData(QObject):
    """Owner: the inspector."""

    changed = Signal()
    """`prompt`, `text`, `problem` or `is_building` changed."""

    def __init__(self, services: Services, ask: Callable[[], Asked | None], parent: QObject | None = None) -> None:
        """`ask` returns what a reply would be asked with now, None while there is no chat."""
        super().__init__(parent)
        self.prompt: Prompt | None = None
        self.text = ""
        """The whole prompt as one text, for servers that take one; "" for those that take messages."""
        self.problem = ""
        self.is_building = False
        self._services = services
        self._ask = ask
        self._chat: Chat | None = None
        self._watching: set[QObject] = set()
        self._number = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self.build)

    def show_session(self, session: ChatSession | None) -> None:
        """Follow another chat."""
        chat = session.chat if session is not None else None
        if chat is not self._chat:
            self._connect(False)
            self._chat = chat
            self._connect(True)
            self._number += 1
            self.prompt, self.text, self.problem, self.is_building = None, "", "", False
            self.changed.emit()
        self._due()

    def watch(self, who: QObject, on: bool) -> None:
        """Somebody looks, or no longer: nothing is built for nobody."""
        (self._watching.add if on else self._watching.discard)(who)
        if on:
            self.build()

    def build(self) -> None:
        """Build the prompt anew."""
        asked = self._ask()
        if asked is None or not self._watching:
            return
        self._number += 1
        servers = self._services.model_servers
        future = servers.submit(servers.requests.prompt(asked))
        self.is_building = True
        self.changed.emit()
        future.add_done_callback(partial(self._built_elsewhere, self._number))

    def _built_elsewhere(self, number: int, future: Future[Any]) -> None:
        self._services.runner.post(partial(self._built, number, future))

    def _built(self, number: int, future: Future[Any]) -> None:
        from tavern_desktop.backends.errors import BackendError
        from tavern_desktop.prompt.messages import PromptError

        if number != self._number or future.cancelled():
            return
        self.is_building = False
        try:
            self.prompt, request = future.result()
            self.text, self.problem = request.prompt, ""
        except (BackendError, PromptError) as error:
            self.prompt, self.problem = None, error.sentence
        except StorageError as error:
            self.prompt, self.problem = None, sentence(error)
        self.changed.emit()

    def _connect(self, on: bool) -> None:
        if self._chat is None:
            return
        chat = self._chat
        for signal in (chat.inserted, chat.removed, chat.moved, chat.changed, chat.was_reset, chat.header_changed):
            (signal.connect if on else signal.disconnect)(self._due)

    def build_soon(self) -> None:
        """Something that is not of the chat has changed, as which model answers."""
        self._due()

    def _due(self, *_: int) -> None:
        if self._watching:
            self._timer.start()
