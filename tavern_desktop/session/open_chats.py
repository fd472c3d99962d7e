"""All open chats of a program: one session for each file, shared by its views."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.backing_up import Backups
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.loading import ChatKind, HeaderForHeaderless, Setup, in_memory
from tavern_desktop.session.pending import PendingVersions
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.locks import FileKey, file_key, same_file
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.storage.reader import MessagesOf
from tavern_desktop.storage.savelog import SaveLog
from tavern_desktop.storage.signature import Signature

SAVE_LOG = "savelog"
"""Where in our own folder the log of saves is."""


@dataclass(slots=True)
class _Open:
    session: ChatSession
    key: FileKey
    """Of its file, as it was found when opened or moved: folders may come and go meanwhile."""
    views: int = 0


class OpenChats:
    """Opens chats and keeps each open until its last view let go and everything is saved."""

    def __init__(
        self,
        runner: Runner,
        recovery_folder: Path,
        *,
        header_for_headerless: HeaderForHeaderless | None = None,
        read_only: bool = False,
        preview_limit: int = 100,
        backups: Backups | None = None,
        own_folder: Path | None = None,
        root: Path | None = None,
        folders: OwnFolders | None = None,
        messages_of: Callable[[Path], MessagesOf] = in_memory,
    ) -> None:
        """`recovery_folder`: in our own folder, for unsaved states; made when needed.

        `header_for_headerless`: called off the owner for group chats without a header. `read_only`: another process
        owns the data folder. `preview_limit`: see `Setup`; 0 for the command line. `backups`: who backs up what is
        saved, else as a program does that stays open. `own_folder`: ours for the data root `root`, for journals, the
        log of saves and copies of chats outside of it; without it there are none.
        `folders`: all of ours, for the journals of chats outside of that root. `messages_of`: decides what of a chat
        is kept in memory.
        """
        self.unsaved_changed: Signal[()] = Signal()
        """`unsaved()` may have changed."""
        self.is_generating: Callable[[ChatSession], bool] = lambda session: False
        """Whether a reply is being written in a chat; who writes replies puts its answer here."""
        self._runner = runner
        self.backups = backups or Backups(runner)
        self.header_for_headerless = header_for_headerless or _no_metadata
        self.journals = JournalPlace(own_folder, root, folders) if own_folder is not None and not read_only else None
        self._setup = Setup(
            runner,
            recovery_folder,
            self.header_for_headerless,
            read_only,
            preview_limit,
            own_folder,
            SaveLog(own_folder / SAVE_LOG) if own_folder is not None else None,
            self.journals,
            messages_of,
        )
        self._open: list[_Open] = []
        self._has_thinned = False

    @property
    def is_read_only(self) -> bool:
        """Say whether another process has the data folder, so that nothing in it may be changed here."""
        return self._setup.read_only

    @property
    def runner(self) -> Runner:
        """Where the work for these chats runs."""
        return self._runner

    def open(self, path: Path, kind: ChatKind | None = None) -> ChatSession:
        """Return the session of this file for one more view, which must `release` it; loading starts by itself.

        Without `kind`, a file in a folder called `group chats` is a group's.
        """
        key = file_key(path)
        entry = self._entry(path, key)
        is_new = entry is None
        if entry is None:
            session = ChatSession(path, kind or kind_of(path), self._setup)
            entry = _Open(session, key)
            self._open.append(entry)
            for signal in (session.save_changed, session.state_changed):
                signal.connect(self._watcher(entry))
            session.path_changed.connect(partial(self._moved, entry))
            session.published.connect(partial(self._published, session))
        entry.views += 1
        if is_new:
            entry.session.load()
        return entry.session

    def release(self, session: ChatSession) -> None:
        """Let go of a session for one view; the last one's leaving saves at once and then closes it."""
        for entry in tuple(self._open):
            if entry.session is session:
                entry.views -= 1
                session.save_now()
                self._close_if_done(entry)

    def hold(self, session: ChatSession) -> None:
        """Keep an open session open for one more, which must `release` it, as a reply that is being written."""
        for entry in self._open:
            if entry.session is session:
                entry.views += 1

    def save_pending(self) -> None:
        """Try again to save what an earlier run of the program could not put in the place of its file (D14)."""
        if self.journals is not None:
            waiting = PendingVersions(self.journals)
            self._runner.submit(lambda: [chat for chat in waiting.chats() if chat.is_file()], self._open_waiting)

    def _open_waiting(self, outcome: Outcome[list[Path]]) -> None:
        for path in outcome.result():
            session = self.open(path)

            def let_go(session: ChatSession = session) -> None:
                if session.state != "loading":
                    session.state_changed.disconnect(let_go)
                    self._runner.post(lambda: self.release(session))  # once its changes are back

            session.state_changed.connect(let_go)
            let_go()

    def session_for(self, path: Path) -> ChatSession | None:
        """Return the session of this file if it is open, under whatever spelling."""
        entry = self._entry(path, file_key(path))
        return entry.session if entry else None

    def refuse_while_generating(self, session: ChatSession | None) -> None:
        """Raise busy/generating where a reply is being written in a chat (contract D2)."""
        if session is not None and self.is_generating(session):
            raise StorageError("busy", "generating", chat_ref=session.path)

    def open_in(self, folder: Path) -> list[ChatSession]:
        """Return the sessions of the files in a folder."""
        return [entry.session for entry in self._open if entry.session.path.parent == folder]

    def look_at_files(self) -> None:
        """See whether other programs wrote any of the open chats: one stat for each where they did not."""
        for entry in tuple(self._open):
            entry.session.look_at_file()

    def unsaved(self) -> list[ChatSession]:
        """Return the sessions whose changes are not in their file."""
        return [entry.session for entry in self._open if entry.session.is_dirty]

    def flush_all(self, timeout: float) -> list[str]:
        """Save everything, waiting at most `timeout` seconds; return the titles of what is still not saved.

        For the end of a program: nothing but saving goes on meanwhile.
        """
        for entry in tuple(self._open):
            entry.session.save_now()
        deadline = time.monotonic() + timeout
        self._runner.run_until(self._nothing_runs, timeout)
        self.backups.flush()
        self._runner.run_until(self._nothing_runs, max(0.0, deadline - time.monotonic()))
        return [session.title for session in self.unsaved()]

    def _nothing_runs(self) -> bool:
        return not self.backups.is_busy and not any(entry.session.is_saving for entry in self._open)

    def _entry(self, path: Path, key: FileKey) -> _Open | None:
        alike = (entry for entry in self._open if entry.key == key)
        return next((entry for entry in alike if same_file(entry.session.path, path)), None)

    def _published(self, session: ChatSession, signature: Signature) -> None:
        self.backups.published(session.path, signature.size, session.notice.emit)

    def _watcher(self, entry: _Open) -> Callable[[], None]:
        def watch() -> None:
            self._close_if_done(entry)
            self.unsaved_changed.emit()

        return watch

    def _close_if_done(self, entry: _Open) -> None:
        """Close a session that nobody looks at, unless it still holds what its file does not."""
        session = entry.session
        if entry.views or session.is_saving or session.is_dirty:
            return
        if entry in self._open:
            self._open.remove(entry)
            session.close()
            self._thin(session.path)

    def _thin(self, closed: Path) -> None:
        """Once in the life of the program, when there is time: thin the journals of chats that are not open."""
        if self.journals is not None and not self._has_thinned:
            self._has_thinned = True
            used = [closed, *(entry.session.path for entry in self._open)]
            self._runner.submit(partial(self.journals.thin_all, used), Outcome.result)

    def _moved(self, entry: _Open, _former: Path) -> None:
        entry.key = file_key(entry.session.path)
        self._close_if_done(entry)


def _no_metadata(_chat: Path) -> tuple[dict[str, Any], bool]:
    return {}, False
