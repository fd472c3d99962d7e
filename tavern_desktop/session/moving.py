"""How an open chat goes over to another file, or lets go of one that is gone."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.session.chat_journal import ChatJournal
from tavern_desktop.session.loading import READ_ONLY_REFUSALS, Setup
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.save_queue import Save
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.session.writing import logged
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, sentence
from tavern_desktop.storage.savelog import Attempt
from tavern_desktop.storage.signature import Signature

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession


class Moving:
    """Part of one session. While `is_busy` nothing is saved: the file is being moved, or another one written."""

    def __init__(self, session: ChatSession, setup: Setup, begin_save: Callable[[], Save]) -> None:
        self.is_busy = False
        self._session = session
        self._runner = setup.runner
        self._save_log = setup.save_log
        self._begin_save = begin_save

    def save_as_new(self, name: str) -> Path:
        """See `ChatSession.save_as_new`."""
        session, chat = self._session, self._session.chat
        if chat is None or session.state != "ready" or session.is_writing:
            raise StorageError("not_found", "chat", chat_ref=session.path, message="This chat is not loaded")
        target = session.path.with_name(names.normalize_name(name)[0])
        if os.path.lexists(target):
            raise StorageError("already_exists", "target", chat_ref=target)
        session.journaling.note_rest()
        session.queue.pause()
        self.is_busy = True
        header = chat.header
        if target != session.path:
            # Another chat has another identity, or the two files would be taken for one (contract 6.2).
            header = header.with_metadata(header.metadata() | {"integrity": str(uuid.uuid4())})
        version = Version(header, list(chat.messages))
        ours, saved = Version(chat.header, version.messages), session.file.saved
        path, journal, log = session.path, session.journaling.journal, self._save_log

        def work() -> tuple[Signature, ChatJournal | None]:
            count = len(version.messages)
            with logged(log, target, Attempt("save_as", new_count=count, caller="save_as_new")) as attempt:
                signature = attempt.new = write_new(target, version)
            if journal is None or target != path:
                return signature, None if journal is None else journal.left_for(target, version, ours, saved)
            journal.published(signature, count, version.header.integrity())
            return signature, journal

        self._runner.submit(work, partial(self._saved_as_new, target, version), lane=session.lane)
        return target

    def begin(self, *, saving: bool) -> Save | None:
        """See `ChatSession.begin_move`."""
        session = self._session
        if session.state == "loading" or session.is_writing:
            raise CommandRefused("The chat is still being read; try again when it is there.")
        if session.read_only == "owned_elsewhere":
            raise CommandRefused(READ_ONLY_REFUSALS["owned_elsewhere"])
        is_due = saving and session.is_dirty
        if is_due and session.queue.is_busy:  # its end will be known here only after the next save has begun
            raise CommandRefused("The chat is just being saved; try again in a moment.")
        if is_due and session.needs_header_consent:
            raise CommandRefused("This group chat has changes that wait for your consent to a header line.")
        save = self._begin_save() if is_due else None
        session.queue.pause()
        self.is_busy = True
        return save

    def end(self, target: Path | None, signature: Signature | None) -> None:
        """See `ChatSession.end_move`."""
        session = self._session
        self.is_busy = False
        if target is None or target == session.path:
            self._stay()
            return
        known = session.signature
        # Only if it is the file we know: what somebody else wrote shall be noticed at the next save.
        if known and signature and (known.size, known.mtime_ns) == (signature.size, signature.mtime_ns):
            session.file.signature = signature
        former, session.path = session.path, target
        session.queue.restart(str(target))
        session.journaling.moved(target)
        session.journaling.flush()
        session.path_changed.emit(former)

    def end_removed(self) -> None:
        """See `ChatSession.end_removed`."""
        session = self._session
        self.is_busy = session.file.is_lost = False
        if session.chat is not None:
            session.file.saved = Version.of(session.chat)
        session.journaling.stop()
        session.close()
        session.state, session.error = "failed", StorageError("not_found", "chat", chat_ref=session.path)
        session.removed.emit()

    def let_go(self, keep: Callable[[], Path | None], done: Callable[[Path | None], object]) -> None:
        """See `ChatSession.let_go`."""

        def kept(outcome: Outcome[Path | None]) -> None:
            try:
                copy = outcome.result()
            except StorageError as error:
                reason = sentence(error)
                session.notice.emit(f"Your unsaved changes could not be put aside, so the chat stays. {reason}")
                return
            self.end_removed()
            done(copy)

        session = self._session
        self._runner.submit(keep, kept, lane=session.lane)

    def _stay(self) -> None:
        self._session.queue.resume()
        self._session.journaling.flush()
        self._session.save_changed.emit()

    def _saved_as_new(
        self, target: Path, version: Version, outcome: Outcome[tuple[Signature, ChatJournal | None]]
    ) -> None:
        session = self._session
        self.is_busy = False
        try:
            signature, journal = outcome.result()
        except (StorageError, ChangedOnDisk) as error:
            reason = sentence(error) if isinstance(error, StorageError) else "a chat with this name already exists."
            session.notice.emit(f"Not saved as a new chat: {reason}")
            self._stay()
            return
        except BaseException:
            session.queue.resume()
            raise
        former, session.path = session.path, target
        session.file.begin_anew(version)
        session.journaling.go_over(journal)
        session.needs_header_consent = False
        session.note_published(version, signature)
        if session.chat is not None:
            metadata = session.chat.header.metadata() | {"integrity": version.header.integrity()}
            session.chat.set_header(session.chat.header.with_metadata(metadata))
            session.journaling.skip()
        session.queue.restart(str(target), is_saved=True)
        session.journaling.flush()
        session.path_changed.emit(former)
