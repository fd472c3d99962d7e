"""The versions of the chat in view, read off the window's thread when somebody looks, and compared when asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from tavern_desktop.chat import facts
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.history import (
    Comparison,
    Past,
    Snapshot,
    compare_change,
    compare_with_present,
    list_backups,
    list_versions,
)
from tavern_desktop.session.message_history import EarlierText, earlier_texts
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.journal import Journal

T = TypeVar("T")

LANE = "history"
PAUSE = 250
"""Milliseconds after a change before the list is read again: several come at once."""

Compared = Callable[[Comparison | None, str], object]
"""Told a comparison, or None and why there is none."""


class ChatHistory(QObject):
    """Owner: the inspector. `versions` are newest first."""

    changed = Signal()
    """`versions`, `problem` or `is_loading` changed."""

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.versions: list[Past] = []
        self.problem = ""
        self.is_loading = False
        self.session: ChatSession | None = None
        self._runner = runner
        self._is_watched = False
        self._is_stale = True
        self._token = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE)
        self._timer.timeout.connect(self.refresh)

    @property
    def is_there(self) -> bool:
        """Say whether there is a chat whose versions can be shown."""
        return self.session is not None and self.session.chat is not None

    def show_session(self, session: ChatSession | None) -> None:
        """Follow another chat."""
        if session is not self.session:
            self._follow(False)
            self.session = session
            self._follow(True)
            self.versions, self.problem, self.is_loading = [], "", False
            self._token += 1
            self.changed.emit()
        self._note_change()

    def set_watched(self, watched: bool) -> None:
        """Say whether somebody looks at the versions: else nothing is read."""
        self._is_watched = watched
        if watched and self._is_stale:
            self.refresh()

    def refresh(self) -> None:
        """Read the list again."""
        session = self.session
        if not self._is_watched or session is None or session.chat is None:
            self._is_stale = True
            return
        self._is_stale = False
        self._token += 1
        token, path = self._token, session.path
        if not self.versions:
            self.is_loading = True
            self.changed.emit()

        def listed(outcome: Outcome[list[Past]]) -> None:
            if token == self._token:
                self._runner.submit(partial(list_backups, path), partial(self._listed, token, outcome), lane=LANE)

        session.read_journal(list_versions, listed)

    def take(self, versions: Iterable[Past]) -> None:
        """Show these versions."""
        self.versions = sorted(versions, key=lambda past: -past.at_ms)
        self.changed.emit()

    def compare(self, past: Past, done: Compared, *, with_present: bool) -> None:
        """Compare a version with the one before it, or with the chat as it is now."""
        session = self.session
        if session is None or session.chat is None:
            return
        present = Snapshot(*session.chat.snapshot())
        work = compare_with_present if with_present else compare_change

        def compared(outcome: Outcome[Comparison]) -> None:
            if session is not self.session or session.chat is None:
                return
            problem = _problem(outcome)
            if problem and Snapshot(*session.chat.snapshot()) != present:  # the journal had gone on already
                self.compare(past, done, with_present=with_present)
            else:
                done(outcome.value, problem)

        session.read_journal(lambda journal: work(journal, present, past), compared)

    def newest(self, kinds: Collection[str], done: Callable[[Past | None, str], object]) -> None:
        """Find the newest version of one of these kinds. `done` is told it, or None and why it cannot be had."""
        session = self.session
        if session is None or session.chat is None:
            return

        def listed(outcome: Outcome[list[Past]]) -> None:
            if session is self.session:
                found = (past for past in outcome.value or () if past.kind in kinds and past.before)
                done(next(found, None), _problem(outcome))

        session.read_journal(list_versions, listed)

    def texts_of(self, index: int, done: Callable[[list[EarlierText] | None, str], object]) -> None:
        """Find what a message said before. `done` is told the texts and what it says now, or None and why not."""
        session = self.session
        if session is None or session.chat is None:
            return
        present = Snapshot(*session.chat.snapshot())

        def found(outcome: Outcome[_Texts]) -> None:
            problem, texts = _problem(outcome), outcome.value
            done(None if texts is None else texts.earlier, problem if texts is None else texts.now)

        session.read_journal(lambda journal: _texts(journal, present, index), found)

    def _listed(self, token: int, states: Outcome[list[Past]], backups: Outcome[list[Past]]) -> None:
        if token != self._token:
            return
        self.is_loading, self.problem = False, ""
        try:
            found = states.result()
            found += backups.result()
        except StorageError as error:
            self.problem = sentence(error)
            self.changed.emit()
        else:
            self.take(found)

    def _follow(self, on: bool) -> None:
        session = self.session
        if session is None:
            return
        for signal in (session.state_changed, session.journal_changed):
            (signal.connect if on else signal.disconnect)(self._note_change)
        for told in (session.published, session.path_changed):
            (told.connect if on else told.disconnect)(self._note_file)

    def _note_file(self, _: object) -> None:
        self._note_change()

    def _note_change(self) -> None:
        self._is_stale = True
        if self._is_watched and not self._timer.isActive():
            self._timer.start()


def _problem(outcome: Outcome[T]) -> str:
    """Return the sentence that says why there is no value, "" where there is one."""
    try:
        outcome.result()
    except Refused as refusal:
        return refusal.sentence
    except StorageError as error:
        return sentence(error)
    return ""


class _Texts(NamedTuple):
    """What a message said before, the newest first, and what it says now."""

    earlier: list[EarlierText]
    now: str


def _texts(journal: Journal | None, present: Snapshot, index: int) -> _Texts:
    return _Texts(earlier_texts(journal, present, index), facts.text(present.messages[index].seen_data()))
