"""How an open chat is read from its file, for the first time and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.following import DAMAGE
from tavern_desktop.session.loading import Loaded, Setup, write_recovery_copy
from tavern_desktop.session.past import Past, past_of
from tavern_desktop.session.reopening import BringBack, Opened, Recovery, open_journal
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.versions import Version
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.spool import SpoolFile

if TYPE_CHECKING:
    from tavern_desktop.session.chat_session import ChatSession

SPOOL = "spool"
"""Where in our own folder texts go that are too many for memory."""


class Opening:
    """Part of one session."""

    def __init__(self, session: ChatSession, setup: Setup) -> None:
        self._session = session
        self._setup = setup
        self._attempt = 0
        self._spool: SpoolFile | None = None

    def load(self) -> None:
        """See `ChatSession.load`."""
        session = self._session
        session.state, session.error = "loading", None
        session.reading.start(session.path, session.lane, self._loaded)
        session.state_changed.emit()

    def reload(self) -> None:
        """See `ChatSession.reload`."""
        session = self._session
        if session.chat is None:
            self.load()
        elif session.state == "ready" and not session.is_writing:
            session.queue.pause()
            session.state, session.error = "loading", None
            known = list(session.chat.messages)
            session.reading.again(session.path, session.lane, self.keeping(session.chat), known, self._reloaded)
            session.state_changed.emit()

    def keeping(self, chat: Chat) -> Callable[[], Path | None]:
        """Return what puts unsaved changes aside and says where."""
        session = self._session
        is_in_history = session.trouble is None or session.journaling.journal is not None
        if not session.is_dirty and is_in_history:
            return lambda: None
        return partial(write_recovery_copy, self._setup.recovery_folder, session.title, *chat.snapshot())

    def close(self) -> None:
        """Let nothing come of what is being read."""
        self._attempt += 1
        self._session.reading.forget()
        if self._spool is not None:
            self._setup.runner.submit(self._spool.close, Outcome.result, lane=self._session.lane)

    def _loaded(self, outcome: Outcome[Loaded]) -> None:
        session, place = self._session, self._setup.journals
        try:
            loaded = outcome.result()
        except StorageError as error:
            self._fail(error)
            return
        except BaseException as fault:  # of ours: nobody shall wait for it for ever, and it is for all to see
            self._fail(StorageError("io", "read", str(fault), chat_ref=session.path))
            raise
        if place is None or session.read_only is not None or not loaded.is_chat:
            self._opened(loaded, Opened(None))
            return
        self._attempt += 1
        path, kind = session.path, session.kind

        @gcpause.paused()
        def work() -> Opened:
            return open_journal(place, path, kind, loaded)

        self._setup.runner.submit(work, partial(self._found, self._attempt, loaded), lane=session.lane)

    def _found(self, attempt: int, loaded: Loaded, outcome: Outcome[Opened]) -> None:
        if attempt != self._attempt:
            return
        try:
            opened = outcome.result()
        except BaseException:  # a fault of ours, for all to see: the chat is there without a history
            self._opened(loaded, Opened(None))
            raise
        self._opened(loaded, opened)

    def _opened(self, loaded: Loaded, opened: Opened) -> None:
        session = self._session
        session.chat = Chat(loaded.header, loaded.messages)
        session.journaling.start(opened.journal)
        self._adopt(session.chat, loaded)
        if opened.former is not None:
            session.path_changed.emit(opened.former)
        if opened.warning:
            session.notice.emit(opened.warning)
        if opened.recovery is not None:
            session.recovery = opened.recovery
            if opened.recovery.kind != "shrunk":
                self.bring_back(session.chat, opened.recovery)
            session.recovered.emit(opened.recovery)
        self._remember_past(loaded, opened.number)

    def bring_back(self, chat: Chat, recovery: Recovery) -> None:
        """Make of the chat what it should be; it is then saved."""
        session, command = self._session, BringBack(recovery)
        try:
            command.do(chat)
            session.commands.add(command)
        finally:
            if recovery.is_in_journal:
                session.journaling.skip()
            else:
                session.journaling.note_done(command)
                session.file.saves_over_theirs = True
            session.note_change()

    def _remember_past(self, loaded: Loaded, number: int | None) -> None:
        """Let be undone what was done before; `number` is the state that the file is in, None: the newest."""
        session, journal = self._session, self._session.journaling.journal
        if journal is None or number == 0:
            return
        self._attempt += 1
        attempt, version = self._attempt, Version(loaded.header, loaded.messages)

        @gcpause.paused()
        def work() -> Past:
            return past_of(journal.journal, journal.journal.number if number is None else number, version)

        def found(outcome: Outcome[Past]) -> None:
            past = outcome.result()
            if attempt == self._attempt:
                session.commands.put_below(past.done, past.undone)
                session.undo_changed.emit()

        self._setup.runner.submit(work, found, lane=session.lane)

    def _fail(self, error: StorageError) -> None:
        session = self._session
        session.state, session.error = "failed", error
        if error.kind in DAMAGE:
            session.reading.recover(session.path)
        session.state_changed.emit()

    def _reloaded(self, outcome: Outcome[tuple[Path | None, Loaded]]) -> None:
        session = self._session
        if session.chat is None:
            raise AssertionError("only what was read is read again")
        try:
            kept, loaded = outcome.result()
        except StorageError as error:
            self._stay(error)
            return
        except BaseException as fault:
            self._stay(StorageError("io", "read", str(fault), chat_ref=session.path))
            raise
        session.journaling.note_rest()
        session.chat.reset(loaded.header, loaded.messages)
        session.journaling.note("reload", "Reload")
        session.journaling.note_file(loaded)
        self._adopt(session.chat, loaded)
        self._remember_past(loaded, None)
        if kept is not None:
            session.notice.emit(f"Your version was put aside in {kept}.")

    def _stay(self, error: StorageError) -> None:
        """Go on with what is in memory after a reload that failed."""
        session = self._session
        session.state = "ready"
        session.file.is_lost |= error.kind in DAMAGE or error.kind == "not_found"
        session.queue.resume()
        session.state_changed.emit()
        if error.kind != "cancelled":
            session.notice.emit(f"The chat was not reloaded. {sentence(error)}")

    def _adopt(self, chat: Chat, loaded: Loaded) -> None:
        """Take what is in the chat now for what is on disk, as it was just read."""
        session = self._session
        session.file.begin_anew(Version.of(chat), self._new_spool())
        session.commands.clear()
        session.state, session.error = "ready", None
        session.epoch += 1
        session.know(loaded)
        session.state_changed.emit()
        session.undo_changed.emit()

    def _new_spool(self) -> SpoolFile | None:
        """Return where the texts of earlier states may go; those of a lineage that is given up are deleted."""
        former, own = self._spool, self._setup.own_folder
        if former is not None:
            self._setup.runner.submit(former.close, Outcome.result, lane=self._session.lane)
        self._spool = SpoolFile(own / SPOOL) if own is not None else None
        return self._spool
