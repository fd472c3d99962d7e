"""Bringing backups back: as a chat of their own, or in the place of the chat that they are of (contract B9).

Nothing is ever replaced without a copy of it: what stood there is backed up first, is a version in the chat's
history, and Undo brings it back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import recognise
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.commands import Command
from tavern_desktop.session.loading import Loaded, load_chat, with_known_keys
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.restoring import RestoreVersion
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.storage.directory import kind_of

Restored = Callable[[Outcome[int]], None]
"""Is told how many messages the chat has now."""


class BackupActs:
    """Belongs to the owner of `runner`, and so do the callbacks."""

    def __init__(self, runner: Runner, chats: OpenChats) -> None:
        self._runner = runner
        self._chats = chats
        self._running: set[_RestoreJob] = set()
        """Held until they are finished: what they listen to does not hold them."""

    def restore_over(self, path: Path, backup: Path, done: Restored) -> None:
        """Make the chat at `path` what `backup` says, and save that. The chat stays the same one, and can be undone.

        `done` is told StorageError or Refused where it could not be done; then the file is as it was.
        """
        session = self._chats.session_for(path)
        known = list(session.chat.messages) if session is not None and session.chat is not None else []

        def read() -> _Read:
            if session is None:
                back_up_first(path)  # of an open one the save itself sees to that
            header_for = self._chats.header_for_headerless
            loaded = load_chat(backup, kind_of(path), header_for, lambda: False, lambda _done, _total: None)
            # Messages that are the same keep their keys, and readers their place.
            records = [message.raw for message in loaded.messages]
            return _Read(loaded, known, recognise(known, records).messages if known else loaded.messages)

        self._runner.submit(read, partial(self._restore, path, done), lane=str(path))

    def _restore(self, path: Path, done: Restored, outcome: Outcome[_Read]) -> None:
        if outcome.error is not None:
            done(Outcome(error=outcome.error))
            return

        def finished(job: ChangeJob) -> None:
            if isinstance(job, _RestoreJob):
                self._running.discard(job)
            done(Outcome(job.messages, job.error))

        job = _RestoreJob(self._chats, path, outcome.result(), finished)
        if not job.is_finished:
            self._running.add(job)


@dataclass(frozen=True, slots=True)
class _Read:
    """What was read of a backup, and its messages with the keys by which `known` has them."""

    loaded: Loaded
    known: list[Message]
    messages: list[Message]


class _RestoreJob(ChangeJob):
    """Makes one chat what was read of a backup."""

    def __init__(self, chats: OpenChats, path: Path, read: _Read, done: Callable[[ChangeJob], object]) -> None:
        self._read = read
        super().__init__(chats, path, done=done)

    def _command(self) -> Command:
        chat = self._session.chat
        if chat is None:
            raise AssertionError("a backup is restored into a chat")
        read = self._read
        if read.known and list(chat.messages) == read.known:
            return RestoreVersion(read.loaded.header, read.messages)
        return RestoreVersion(read.loaded.header, with_known_keys(chat.messages, read.loaded.messages))
