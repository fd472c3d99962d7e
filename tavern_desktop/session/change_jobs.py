"""Where the process that owns a data folder takes changes from others (decision D22)."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.changes import Change, from_plain, to_plain
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.file_jobs import FileJob, act_from_plain
from tavern_desktop.session.history_jobs import ReadJob, history_job, wish_from_plain
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.errors import StorageError

KEPT_JOBS = 50
"""Finished jobs whose outcome nobody has asked for yet."""

Message = dict[str, Any]


class GrowingJob(Protocol):
    """A job that has something to tell before it is finished: the text of a reply so far."""

    is_finished: bool
    error: StorageError | Refused | None

    @property
    def so_far(self) -> Message:
        """What has come."""

    def outcome(self) -> Message:
        """Return what there is to tell of a job that did not fail."""


Job = ChangeJob | FileJob | ReadJob | GrowingJob
Generate = Callable[[Message], GrowingJob]
"""Begins a reply that is described as plain data. Raises msgspec.ValidationError."""


class ChangeDesk:
    """Where the owner of a data folder takes changes from other processes."""

    def __init__(self, chats: OpenChats, acts: FileActs | None = None, generate: Generate | None = None) -> None:
        """`acts`: for requests that are about whole files, `generate` for replies; without, they are not known here."""
        self._chats = chats
        self._acts = acts
        self._generate = generate
        self._jobs: dict[str, Job] = {}

    def answer(self, request: Message) -> Message | None:
        """Begin a change or tell how it stands; None for a request that is about something else.

        Never waits: who asks does so again until the job is finished.
        """
        if "change" in request or "history" in request or ("act" in request and self._acts is not None):
            return self._begin(request)
        if "generate" in request and self._generate is not None:
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

    def _job(self, request: Message) -> Job:
        path = Path(str(request.get("file", "")))
        if self._generate is not None and "generate" in request:
            return self._generate(request["generate"])
        if self._acts is not None and "act" in request:
            return FileJob(self._acts, path, act_from_plain(request["act"]))
        if "history" in request:
            return history_job(self._chats, path, wish_from_plain(request["history"]))
        return ChangeJob(self._chats, path, from_plain(request["change"]))

    def _report(self, name: str) -> Message:
        job = self._jobs.get(name)
        if job is None:
            return _failed(StorageError("validation", "argument", "There is no such job"))
        if not job.is_finished:
            return {"state": "working", "job": name, **_so_far(job)}
        del self._jobs[name]
        if job.error is not None:
            return _failed(job.error)
        return {"state": "done", **_so_far(job), **job.outcome()}


def _so_far(job: Job) -> Message:
    return {} if isinstance(job, ChangeJob | FileJob | ReadJob) else {"so_far": job.so_far}


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
