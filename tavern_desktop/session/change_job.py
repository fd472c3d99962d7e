"""One change of one chat that came as plain data: open the chat, do the command, wait until it is on disk."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tavern_desktop.library.data_root import root_of
from tavern_desktop.session.changes import Change, command_for
from tavern_desktop.session.commands import Command
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.wide_commands import MANY, RewriteEach
from tavern_desktop.storage.errors import StorageError

_READ_ONLY = {
    "not_a_chat": "This file holds no messages: it is not a chat, and nothing was changed.",
    "owned_elsewhere": "Another program has this data folder open and does not answer; nothing was changed.",
    "old_form": "This group chat has no header and shall keep its old form; nothing was changed.",
}
_NEEDS_HEADER = (
    "Saving would give this group chat a header line, which the SillyTavern of this folder (older than 1.16) shows "
    "as an empty message; agree to it in the window first. Nothing was changed."
)
_CHANGED_ON_DISK = "another program changed the chat meanwhile, try again"


class ChangeJob:
    """One change of one chat. It belongs to the owner of `chats` and goes on by itself until it is finished."""

    def __init__(
        self,
        chats: OpenChats,
        path: Path,
        change: Change | None = None,
        done: Callable[[ChangeJob], object] | None = None,
    ) -> None:
        """`change`: None where a job of another kind knows what to do. `done` is told when it is finished, which may
        be at once."""
        self.is_finished = False
        self.error: StorageError | Refused | None = None
        self.changed = False
        self.messages = 0
        """How many the chat has afterwards."""
        self._chats = chats
        self._change = change
        self._told = done
        self._is_done = self._is_preparing = False
        self._done_command: Command | None = None
        self._session = chats.open(path)
        self._session.state_changed.connect(self._go_on)
        self._session.save_changed.connect(self._go_on)
        self._go_on()

    def outcome(self) -> dict[str, Any]:
        """Return what there is to tell of a job that did not fail."""
        return {"changed": self.changed, "messages": self.messages}

    def _go_on(self) -> None:
        if self.is_finished:
            return
        try:
            if not self._is_done and not self._is_preparing and self._session.state != "loading":
                self._do()
            if self._is_done and self._is_saved():
                self._finish()
        except (StorageError, Refused) as error:
            self.error = error
            self._take_back()
            self._finish()

    def _do(self) -> None:
        session = self._session
        if session.chat is None:
            raise session.error or StorageError("io", "read", chat_ref=session.path)
        if session.needs_header_consent:
            raise CommandRefused(_NEEDS_HEADER)
        if session.read_only is not None:
            raise CommandRefused(_READ_ONLY[session.read_only])
        if session.trouble is not None:  # what cannot be saved is not changed in memory either
            raise self._changed_on_disk()
        command = self._command()
        if isinstance(command, RewriteEach) and len(session.chat) >= MANY:
            self._is_preparing = True
            messages = list(session.chat.messages)
            self._chats.runner.submit(lambda: command.prepare(messages), partial(self._prepared, command))
        else:
            self._carry_out(command)

    def _prepared(self, command: Command, outcome: Outcome[None]) -> None:
        outcome.result()
        self._is_preparing = False
        try:
            self._carry_out(command)
        except (StorageError, Refused) as error:
            self.error = error
            self._finish()
        else:
            self._go_on()

    def _carry_out(self, command: Command) -> None:
        session = self._session
        self._done_command = command
        self._is_done = True
        self.changed = session.do(command)
        self.messages = len(session.chat or ())
        session.save_now()

    def _command(self) -> Command:
        """Return what carries the change out on the chat as it is now. Raises CommandRefused."""
        if self._change is None or self._session.chat is None:
            raise AssertionError("a change is carried out on a chat")
        return command_for(self._change, self._session.chat, self._session.path, root_of(self._session.path))

    def _is_saved(self) -> bool:
        """Say whether the file has the change. Raises StorageError, CommandRefused if it is not going to."""
        state = self._session.save_state
        if state.kind == "changed_on_disk":
            raise self._changed_on_disk()
        if state.kind == "needs_header_consent":
            raise CommandRefused(_NEEDS_HEADER)
        if state.error is not None:
            raise state.error
        return state.kind == "saved"

    def _take_back(self) -> None:
        """Undo a change that could not be saved: who is told of a failure shall not find it done later on.

        Where something else was done meanwhile it stays, and is saved with that.
        """
        session, command = self._session, self._done_command
        self.is_finished = True  # what the undo says of itself is no news
        if self.changed and session.can_change and session.commands.next_undo is command:
            session.undo()
            self.changed = False

    def _changed_on_disk(self) -> StorageError:
        why = StorageError("io", "replace", _CHANGED_ON_DISK, chat_ref=self._session.path)
        return self._session.save_state.error or why

    def _finish(self) -> None:
        self.is_finished = True
        self._session.state_changed.disconnect(self._go_on)
        self._session.save_changed.disconnect(self._go_on)
        self._chats.release(self._session)
        if self._told is not None:
            self._told(self)
