"""How an open chat is written to its file: plainly, or merged with what another program wrote there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.merging import AdoptMerge, Lineage, Merged, MergeRefused, caught_up, merge_into_file
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.save_queue import Save
from tavern_desktop.session.versions import Version, write_over
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, sentence
from tavern_desktop.storage.signature import Signature

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession


class Saving:
    """Part of one session. `is_merging`: nothing is saved meanwhile."""

    def __init__(self, session: ChatSession, runner: Runner) -> None:
        self.is_merging = False
        self._session = session
        self._runner = runner

    def begin(self) -> Save:
        """Return the save of the chat as it is now."""
        session, file = self._session, self._session.file
        if session.chat is None:
            raise AssertionError("a chat that was not read is never saved")
        version = Version(session.chat.header, list(session.chat.messages))
        write = partial(write_over, session.path, session.kind, version, file.saved, file.signature)
        copied = session.path if file.saves_over_theirs else None
        return Save(partial(_write, write, file.lineage, version, copied), partial(session.note_published, version))

    def merge(self) -> None:
        """See `ChatSession.merge`."""
        session, chat = self._session, self._session.chat
        if chat is None or session.state != "ready" or session.is_writing:
            return
        session.queue.pause()
        self.is_merging = True
        ours = Version(chat.header, list(chat.messages))
        read = session.reading.work(session.path)
        work = partial(merge_into_file, session.path, read, session.file.lineage, session.file.saved, ours)
        self._runner.submit(work, partial(self._merged, ours), lane=session.lane)

    def _merged(self, ours: Version, outcome: Outcome[Merged]) -> None:
        session = self._session
        self.is_merging = False
        try:
            merged = outcome.result()
        except (StorageError, MergeRefused, ChangedOnDisk) as error:
            session.notice.emit(f"Not merged. {_reason(error)}")
            session.queue.resume()
            session.save_changed.emit()
            return
        except BaseException:
            session.queue.resume()
            raise
        if session.chat is None:
            raise AssertionError("there is a chat once it was read")
        adoption = AdoptMerge(caught_up(merged, ours, session.chat))
        session.note_published(merged.version, merged.signature)
        if adoption.do(session.chat):
            session.commands.add(adoption)
        session.queue.restart(session.lane, is_saved=True)
        session.undo_changed.emit()
        session.merged.emit(merged.result)


def _write(write: Callable[[], Signature], lineage: Lineage, version: Version, copied: Path | None) -> Signature:
    """Write a version, after a copy of `copied`, and remember that the file may descend from it."""
    if copied is not None:
        back_up_first(copied)
    signature = write()
    lineage.record(version.messages)
    return signature


def _reason(error: StorageError | MergeRefused | ChangedOnDisk) -> str:
    if isinstance(error, ChangedOnDisk):
        return "The file was changed again meanwhile; try once more."
    return sentence(error) if isinstance(error, StorageError) else error.sentence
