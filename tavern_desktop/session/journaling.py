"""What happens in an open chat goes into its journal: each command as it is done, each version that a merge took in.

On the owner this costs references to what changed. Everything else is done in the chat's lane, behind what was done
before, so that a save finds the journal at the very state that it writes. While a save is under way nothing is
written down: should it merge, what was done meanwhile follows the merged version and not ours.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tavern_desktop.chat.delta_net import between
from tavern_desktop.chat.recorder import Recorder
from tavern_desktop.session.chat_journal import ChatJournal, Note, now_ms
from tavern_desktop.session.commands import Command, Mark
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_format import JournalKind

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession

T = TypeVar("T")

BESIDE = "Other changes"
"""The label of what changed without a command: a header that another program wrote."""


class Journaling:
    """Part of one session. `journal` is None where none is kept."""

    def __init__(self, session: ChatSession, runner: Runner) -> None:
        self.journal: ChatJournal | None = None
        self._session = session
        self._runner = runner
        self._recorder: Recorder | None = None
        self._held: list[Note] = []
        self._waiting: list[Callable[[], object]] = []
        """What is to be done in the lane once everything that was done is written down."""
        self._is_ahead = False
        """Something was written down since memory and file were last known to be the same."""
        session.queue.changed.connect(self.flush)

    def start(self, journal: ChatJournal | None) -> None:
        """Begin with a chat that is in the newest state of its journal, None: keep none."""
        self.journal, chat = journal, self._session.chat
        self._recorder = Recorder(chat) if journal is not None and chat is not None else None

    def note(self, kind: JournalKind, label: str, mark: Mark | None = None, undoes: Mark | None = None) -> None:
        """Write down what changed since the last time; nothing did: nothing is."""
        pending = self._recorder.take() if self._recorder is not None else None
        if pending is not None:
            self._held.append(Note(kind, label, pending, mark or Mark(), now_ms(), undoes))
            self.flush()

    def note_done(self, command: Command) -> None:
        """Write down a command that was done for the first time."""
        self.note(command.kind, command.label, command.mark)

    def note_step(self, command: Command, kind: JournalKind) -> None:
        """Write down that a command was taken back, or done again."""
        former, command.mark = command.mark, Mark()
        if kind == "undo":  # what takes it back is no command of its own
            self.note(kind, command.label, None, former)
            command.mark = former
        else:
            self.note(kind, command.label, command.mark, former)

    def note_rest(self) -> None:
        """Write down what changed without a command."""
        self.note("outside", BESIDE)

    def note_file(self, loaded: Loaded) -> None:
        """Write down that the file, as it was read, holds the chat as it is now."""
        if self.journal is not None:
            work = partial(self.journal.published, loaded.signature, len(loaded.messages), loaded.identity)
            self._when_written(lambda: self._submit(work))

    def skip(self) -> None:
        """Let what just changed be no change: the journal begins with it."""
        if self._recorder is not None:
            self._recorder.take()

    def took_in(self, merged: Version) -> None:
        """Take notice that a save merged: the journal is at `merged`, and the chat has taken it in.

        What was done meanwhile is written down as what it made of the merged version.
        """
        chat = self._session.chat
        if self._recorder is None or self.journal is None or chat is None:
            return
        self._recorder.take()
        self._session.journal_changed.emit()
        labels = [note.label for note in self._held]
        self._held.clear()
        if labels and not merged.equals(chat):
            now = Version.of(chat)
            work = partial(self._append_difference, self.journal, labels[-1], merged, now)
            self._submit(work)

    def flush(self) -> None:
        """Give to the lane what is to be written down, unless a save is under way."""
        session = self._session
        if session.queue.is_busy or session.is_writing:
            return
        if self._held and self.journal is not None:
            self._submit(partial(self.journal.append, tuple(self._held)))
            self._is_ahead = True
            session.journal_changed.emit()
        self._held.clear()
        self._note_agreement()
        waiting, self._waiting = self._waiting, []
        for submit in waiting:
            submit()

    def make_durable(self, done: Callable[[], object]) -> None:
        """Call `done` once everything that was done is on the disk, or cannot be written."""
        self.note_rest()
        self._when_written(lambda: self._submit(self.journal.sync if self.journal else lambda: None, done))

    def read(self, work: Callable[[Journal | None], T], done: Callable[[Outcome[T]], None]) -> None:
        """See `ChatSession.read_journal`."""
        self.note_rest()

        def submit() -> None:
            journal = self.journal.journal if self.journal is not None else None
            self._runner.submit(partial(work, journal), done, lane=self._session.lane)

        self._when_written(submit)

    def moved(self, path: Path) -> None:
        """Go on under the chat's new name, to which its journal was moved."""
        if self.journal is not None:
            self._submit(partial(self.journal.moved, path))

    def go_over(self, journal: ChatJournal | None) -> None:
        """Go on in the journal of another file, which was written as the chat was when its save began."""
        self.journal = journal

    def stop(self) -> None:
        """Write down nothing more: the chat is no longer the one of the journal."""
        self.journal = self._recorder = None
        self._held.clear()

    def close(self) -> None:
        """Write down what is left, and no more."""
        self.note_rest()
        self.flush()
        signature = self._session.signature
        if self.journal is not None:
            self._submit(partial(self.journal.close, signature.size if signature is not None else 0))
        self.stop()

    def _note_agreement(self) -> None:
        """Write down that memory and file are the same, also without a save: what was done was taken back."""
        session, file = self._session, self._session.file
        if self._is_ahead and session.save_state.kind == "saved" and not session.is_dirty and file.signature:
            self._is_ahead = False
            if self.journal is not None:
                count = len(file.saved.messages)
                self._submit(partial(self.journal.published, file.signature, count, file.identity))

    def _when_written(self, submit: Callable[[], object]) -> None:
        self._waiting.append(submit)
        self.flush()

    def _submit(self, work: Callable[[], object], done: Callable[[], object] = lambda: None) -> None:
        journal = self.journal

        def both() -> list[str]:
            work()
            return journal.fetch_warnings() if journal is not None else []

        def finished(outcome: Outcome[list[str]]) -> None:
            try:
                for text in outcome.result():
                    self._session.notice.emit(text)
            finally:
                done()

        self._runner.submit(both, finished, lane=self._session.lane)

    @staticmethod
    def _append_difference(journal: ChatJournal, label: str, before: Version, after: Version) -> None:
        delta = between(before.header, before.messages, after.header, after.messages)
        journal.append([Note("command", label, delta, Mark(), now_ms())])
