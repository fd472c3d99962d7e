"""In a group the person says who speaks next; until they do it is whose turn it is by the group's own order."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.runner import Outcome
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.services import Services

if TYPE_CHECKING:
    from tavern_desktop.session.generating.reply import Speaker
    from tavern_desktop.session.generating.speaking import Voices


class NextSpeaker(QObject):
    """Owner: the desk."""

    def __init__(
        self, services: Services, area: ComposerArea, session: Callable[[], ChatSession | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._area = area
        self._session = session
        self._speakers: tuple[Speaker, ...] = ()
        self._picked: Speaker | None = None
        self._menu = QMenu(area)
        self._menu.aboutToShow.connect(self._fill)
        area.speaker.setMenu(self._menu)

    @property
    def speaker(self) -> Speaker | None:
        """Who speaks next, None where that is not known or nobody has to be chosen."""
        if self._picked is not None:
            return self._picked
        return self._speakers[0] if self._speakers else None

    def take_up(self) -> None:
        """Look who may speak in the chat in view now; a choice counts for one message."""
        self._picked = None
        session = self._session()
        if session is None or session.kind != "group" or session.chat is None:
            self._speakers = ()
            self._show()
            return
        from tavern_desktop.session.generating.speaking import voices_of

        header, messages = session.chat.snapshot()
        work = partial(voices_of, session.path, header.metadata(), messages)
        self._services.runner.submit(work, partial(self._take, session))

    def _take(self, session: ChatSession, outcome: Outcome[Voices]) -> None:
        if session is self._session():
            self._speakers = outcome.result().speakers
            self._show()

    def _fill(self) -> None:
        self._menu.clear()
        for speaker in self._speakers:
            act = self._menu.addAction(speaker.name)
            act.setCheckable(True)
            act.setChecked(speaker is self.speaker)
            act.triggered.connect(partial(self._pick, speaker))

    def _pick(self, speaker: Speaker, _checked: bool = False) -> None:
        self._picked = speaker
        self._show()

    def _show(self) -> None:
        speaker = self.speaker if len(self._speakers) > 1 else None
        self._area.show_next_speaker(speaker.name if speaker is not None else "")
