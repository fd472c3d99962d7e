"""How an open chat is saved, and what it takes in from a save that found another program's version."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.commands import Mark
from tavern_desktop.session.loading import Setup
from tavern_desktop.session.merging import AdoptMerge, Merge, steps_to
from tavern_desktop.session.pending import PendingVersions
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.save_queue import Save
from tavern_desktop.session.steps import Step
from tavern_desktop.session.versions import Version
from tavern_desktop.session.writing import Writing, Written
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, sentence

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession


class Saving:
    """Part of one session. `is_busy`: a version is being written besides the saves of the queue."""

    def __init__(self, session: ChatSession, setup: Setup) -> None:
        self.is_busy = False
        self._session = session
        self._setup = setup

    def begin(self) -> Save:
        """Return the save of the chat as it is now."""
        file = self._session.file
        writing = self._writing(overrides=file.overrides, copies_first=file.saves_over_theirs)
        return Save(writing, partial(self._adopt, writing), self._session.following.take_refusal)

    def keep_mine(self) -> None:
        """See `ChatSession.keep_mine`."""
        session = self._session
        if session.chat is None or not session.is_at_rest or session.read_only is not None:
            return
        writing = self._writing(overrides=True)
        session.queue.pause()
        self.is_busy = True
        self._setup.runner.submit(writing, partial(self._kept, writing), lane=session.lane)

    def _writing(self, *, overrides: bool, copies_first: bool = False) -> Writing:
        session, file = self._session, self._session.file
        session.journaling.note_rest()
        journals = self._setup.journals
        return Writing(
            path=session.path,
            kind=session.kind,
            ours=self._now(),
            saved=file.saved,
            signature=file.signature,
            identity=file.identity,
            lineage=file.lineage,
            read=session.reading.work(session.path),
            own_folder=self._setup.own_folder,
            save_log=self._setup.save_log,
            pending=PendingVersions(journals) if journals is not None else None,
            journal=session.journaling.journal,
            mark=Mark(),
            may_merge=lambda: not session.following.has_editors,
            copies_first=copies_first,
            overrides=overrides,
        )

    def _kept(self, writing: Writing, outcome: Outcome[Written]) -> None:
        session = self._session
        self.is_busy = False
        try:
            written = outcome.result()
        except (StorageError, ChangedOnDisk) as error:
            session.notice.emit(f"Your version was not saved. {_reason(error)}")
            session.queue.resume()
            session.save_changed.emit()
            return
        except BaseException:
            session.queue.resume()
            raise
        session.queue.restart(session.lane, is_saved=True)
        self._adopt(writing, written)
        session.queue.note_change()

    def _adopt(self, writing: Writing, written: Written) -> None:
        """Take notice of a save, and take in what it merged; what was changed meanwhile is merged with that."""
        session, merge = self._session, written.merge
        if merge is None:
            session.note_published(written.version, written.signature)
            return
        now = self._now()
        if session.is_moving or writing.ours.equals(now):
            self._take_in(writing, written, steps_to(merge, writing.ours, now))
        else:
            session.queue.pause()
            self.is_busy = True
            self._catch_up(writing, written, merge)

    def _catch_up(self, writing: Writing, written: Written, merge: Merge) -> None:
        """Find out in the lane how the chat, which was changed since, takes a merge in; again if it changes on."""
        now = self._now()

        def caught_up(outcome: Outcome[list[Step]]) -> None:
            if outcome.error is None and not now.equals(self._chat()):
                self._catch_up(writing, written, merge)
                return
            self.is_busy = False
            try:
                self._take_in(writing, written, outcome.result())
            finally:
                self._session.queue.resume()
                self._session.journaling.flush()

        @gcpause.paused()
        def work() -> list[Step]:
            return steps_to(merge, writing.ours, now)

        self._setup.runner.submit(work, caught_up, lane=self._session.lane)

    def _take_in(self, writing: Writing, written: Written, steps: list[Step]) -> None:
        session, merge = self._session, written.merge
        adoption = AdoptMerge(steps, writing.mark)
        changed = adoption.do(self._chat())
        session.epoch += changed
        session.journaling.took_in(written.version)
        session.note_published(written.version, written.signature)
        if merge is None or merge.outside is None:  # only the header is theirs: nothing a person would undo
            return
        if changed:
            session.commands.add(adoption)
            session.undo_changed.emit()
        if merge.is_told:
            session.merged.emit(merge.result)

    def _now(self) -> Version:
        return Version.of(self._chat())

    def _chat(self) -> Chat:
        if self._session.chat is None:
            raise AssertionError("a chat that was not read is never saved")
        return self._session.chat


def _reason(error: StorageError | ChangedOnDisk) -> str:
    if isinstance(error, StorageError):
        return sentence(error)
    return "The file was changed again meanwhile; try once more."
