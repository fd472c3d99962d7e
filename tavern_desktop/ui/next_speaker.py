"""In a group the person says who speaks next; until they do it is whose turn it is by the group's own order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from tavern_desktop.library.characters import SUFFIX as CARD
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.composer import ComposerArea
from tavern_desktop.ui.services import Services

if TYPE_CHECKING:
    from tavern_desktop.library.groups import Group
    from tavern_desktop.session.generating.reply import Speaker
    from tavern_desktop.session.generating.speaking import Voices


class NextSpeaker(QObject):
    """Owner: the desk."""

    refused = Signal(str)
    """A sentence: why the group could not be changed."""

    def __init__(
        self, services: Services, area: ComposerArea, session: Callable[[], ChatSession | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._area = area
        self._session = session
        self._speakers: tuple[Speaker, ...] = ()
        self._group: Group | None = None
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

    @property
    def is_asked(self) -> bool:
        """Whether a group's own order decides who answers: the person has picked nobody."""
        session = self._session()
        return session is not None and session.kind == "group" and session.chat is not None and self._picked is None

    def take_up(self) -> None:
        """Look who may speak in the chat in view now; a choice counts for one message."""
        self._picked = None
        session = self._session()
        if session is None or session.kind != "group" or session.chat is None:
            self._speakers, self._group = (), None
            self._show()
            return
        self._look(session, lambda voices: None)

    def ask_due(self, then: Callable[[Sequence[Speaker]], object]) -> None:
        """Tell who speaks now by the group's order, with what was said last."""
        session = self._session()
        if session is not None:
            self._look(session, lambda voices: then(voices.due if voices.group is not None else voices.speakers[:1]))

    def _look(self, session: ChatSession, then: Callable[[Voices], object]) -> None:
        assert session.chat is not None
        from tavern_desktop.session.generating.speaking import voices_of

        header, messages = session.chat.snapshot()
        work = partial(voices_of, session.path, header.metadata(), messages)
        self._services.runner.submit(work, partial(self._take, session, then))

    def _take(self, session: ChatSession, then: Callable[[Voices], object], outcome: Outcome[Voices]) -> None:
        voices = outcome.result()
        if session is self._session():
            self._speakers, self._group = voices.speakers, voices.group
            self._show()
            then(voices)

    def _fill(self) -> None:
        self._menu.clear()
        for speaker in self._speakers:
            act = self._menu.addAction(speaker.name)
            act.setCheckable(True)
            act.setChecked(speaker is self.speaker)
            act.triggered.connect(partial(self._pick, speaker))
        if self._group is not None:
            self._fill_group(self._group)

    def _fill_group(self, group: Group) -> None:
        from tavern_desktop.library.records import mute, set_order

        self._menu.addSeparator()
        order = self._menu.addMenu(self.tr("Who Speaks"))
        for number, text in enumerate(self._orders()):
            act = order.addAction(text)
            act.setCheckable(True)
            act.setChecked(number == group.order)
            act.triggered.connect(partial(self._change, partial(set_order, self._services.root, group.id, number)))
        quiet = self._menu.addMenu(self.tr("Muted"))
        for member in group.members:
            is_muted = member in group.muted
            act = quiet.addAction(self._name_of(member))
            act.setCheckable(True)
            act.setChecked(is_muted)
            act.triggered.connect(
                partial(self._change, partial(mute, self._services.root, group.id, member, is_muted=not is_muted))
            )

    def _orders(self) -> tuple[str, ...]:
        """Return what the orders are called, by their numbers in a group's record."""
        return (
            self.tr("Who is spoken of, then by chance"),
            self.tr("All, in the order of the list"),
            self.tr("Whom I choose"),
            self.tr("By chance, everybody once"),
        )

    def _name_of(self, member: str) -> str:
        card = member if member.endswith(CARD) else f"{member}{CARD}"
        return next((speaker.name for speaker in self._speakers if speaker.card == card), member.removesuffix(CARD))

    def _change(self, change: Callable[[], bool], _checked: bool = False) -> None:
        """Change the group's record, away from the window, and look again who speaks."""

        def done(outcome: Outcome[bool]) -> None:
            try:
                outcome.result()
            except (StorageError, OSError) as error:
                self.refused.emit(sentence(error) if isinstance(error, StorageError) else str(error))
            self.take_up()

        self._services.runner.submit(change, done)

    def _pick(self, speaker: Speaker, _checked: bool = False) -> None:
        self._picked = speaker
        self._show()

    def _show(self) -> None:
        speaker = self.speaker if len(self._speakers) > 1 else None
        self._area.show_next_speaker(speaker.name if speaker is not None else "")
