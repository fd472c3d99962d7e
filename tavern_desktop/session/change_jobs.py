"""Carrying out changes that came as plain data: open the chat, do the command, wait until it is on disk.

The command line does so itself, or hands the change to the process that owns the data folder (decision D22).
"""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.library.data_root import root_of
from tavern_desktop.session.changes import Change, command_for, from_plain, to_plain
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.file_jobs import FileJob, act_from_plain
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.storage.errors import StorageError

KEPT_JOBS = 50
"""Finished jobs whose outcome nobody has asked for yet."""

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

Message = dict[str, Any]


class ChangeJob:
    """One change of one chat. It belongs to the owner of `chats` and goes on by itself until it is finished."""

    def __init__(self, chats: OpenChats, path: Path, change: Change) -> None:
        self.is_finished = False
        self.error: StorageError | Refused | None = None
        self.changed = False
        self.messages = 0
        """How many the chat has afterwards."""
        self._chats = chats
        self._change = change
        self._is_done = False
        self._session = chats.open(path)
        self._session.state_changed.connect(self._go_on)
        self._session.save_changed.connect(self._go_on)
        self._go_on()

    def outcome(self) -> Message:
        """Return what there is to tell of a job that did not fail."""
        return {"changed": self.changed, "messages": self.messages}

    def _go_on(self) -> None:
        if self.is_finished:
            return
        try:
            if not self._is_done and self._session.state != "loading":
                self._do()
            if self._is_done and self._is_saved():
                self._finish()
        except (StorageError, Refused) as error:
            self.error = error
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
        command = command_for(self._change, session.chat, session.path, root_of(session.path))
        self._is_done = True
        self.changed = session.do(command)
        self.messages = len(session.chat)
        session.save_now()

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

    def _changed_on_disk(self) -> StorageError:
        why = StorageError("io", "replace", _CHANGED_ON_DISK, chat_ref=self._session.path)
        return self._session.save_state.error or why

    def _finish(self) -> None:
        self.is_finished = True
        self._session.state_changed.disconnect(self._go_on)
        self._session.save_changed.disconnect(self._go_on)
        self._chats.release(self._session)


class ChangeDesk:
    """Where the owner of a data folder takes changes from other processes."""

    def __init__(self, chats: OpenChats, acts: FileActs | None = None) -> None:
        """`acts`: for requests that are about whole files; without, they are not known here."""
        self._chats = chats
        self._acts = acts
        self._jobs: dict[str, ChangeJob | FileJob] = {}

    def answer(self, request: Message) -> Message | None:
        """Begin a change or tell how it stands; None for a request that is about something else.

        Never waits: who asks does so again until the job is finished.
        """
        if "change" in request or ("act" in request and self._acts is not None):
            return self._begin(request)
        if "job" in request:
            return self._report(str(request["job"]))
        return None

    def _begin(self, request: Message) -> Message:
        try:
            job = self._job(request)
        except msgspec.ValidationError as error:
            return _failed(StorageError("validation", "argument", f"This change is not known here: {error}"))
        name = uuid.uuid4().hex
        self._jobs[name] = job
        for finished in [key for key, job in self._jobs.items() if job.is_finished][:-KEPT_JOBS]:
            del self._jobs[finished]
        return self._report(name)

    def _job(self, request: Message) -> ChangeJob | FileJob:
        path = Path(str(request.get("file", "")))
        if self._acts is not None and "act" in request:
            return FileJob(self._acts, path, act_from_plain(request["act"]))
        return ChangeJob(self._chats, path, from_plain(request["change"]))

    def _report(self, name: str) -> Message:
        job = self._jobs.get(name)
        if job is None:
            return _failed(StorageError("validation", "argument", "There is no such job"))
        if not job.is_finished:
            return {"state": "working", "job": name}
        del self._jobs[name]
        if job.error is not None:
            return _failed(job.error)
        return {"state": "done", **job.outcome()}


def change_request(path: Path, change: Change) -> Message:
    """Return what is asked of the owner's `ChangeDesk`."""
    return {"change": to_plain(change), "file": str(path)}


def error_of(report: Message) -> StorageError:
    """Return the error that a report in the state "failed" tells of."""
    told = report["error"]
    return StorageError(told["kind"], told["detail"], told["message"], **told["facts"])


def _failed(error: StorageError | Refused) -> Message:
    if isinstance(error, Refused):
        error = StorageError("validation", "argument", error.sentence)
    told = {"kind": error.kind, "detail": error.detail, "message": error.message, "facts": error.facts()}
    return {"state": "failed", "error": told}
