"""An answer to a special message: done as one command, saved at once, and taken back where that save fails (§10)."""

from __future__ import annotations

from collections.abc import Callable

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import UndoRefused
from tavern_desktop.storage.errors import StorageError

Done = Callable[[StorageError | None], object]
"""Called once: with None when the answer is on disk, with the error when the message is open again."""


class Submission:
    """One answer on its way to the disk. Belongs to the session's owner."""

    def __init__(self, session: ChatSession, command: Command, done: Done) -> None:
        self._session = session
        self._command = command
        self._done = done
        # No method: those are held weakly, and nobody else need hold an answer that is on its way.
        self._heard = lambda: self._look()

    def start(self) -> None:
        """Carry the command out and save. Raises CommandRefused; then nothing was done and `done` is not called."""
        session = self._session
        session.do(self._command)
        session.save_changed.connect(self._heard)
        session.save_now()
        self._look()

    def _look(self) -> None:
        state = self._session.save_state
        if state.kind == "failed":
            self._end(state.error)
        elif state.kind == "saved" and not self._session.is_dirty:
            self._end(None)

    def _end(self, error: StorageError | None) -> None:
        session = self._session
        session.save_changed.disconnect(self._heard)
        # What somebody did after it keeps it: then it is saved with that, later.
        if error is not None and session.commands.next_undo is self._command:
            try:
                session.undo()
            except UndoRefused:
                error = None
        self._done(error)
