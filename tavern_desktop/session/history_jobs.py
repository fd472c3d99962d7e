"""What is asked about the versions of a chat as plain data: as with changes, here or in the window's process."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.session.change_job import ChangeJob
from tavern_desktop.session.commands import Command
from tavern_desktop.session.history import Past, Snapshot, list_backups, list_versions, version_at
from tavern_desktop.session.history_copy import write_copy
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.restoring import RestoreVersion
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal

Message = dict[str, Any]


class List(msgspec.Struct, frozen=True, tag="list"):
    """All versions, newest first."""


class Restore(msgspec.Struct, frozen=True, tag="restore"):
    """The chat shall be as in a version."""

    id: str


class Copy(msgspec.Struct, frozen=True, tag="copy"):
    """A version shall be written into a new file; the chat is not touched."""

    id: str
    out: str


Wish = List | Restore | Copy


class ReadJob:
    """Reads the versions of a chat, or copies one. It goes on by itself until it is finished."""

    def __init__(self, chats: OpenChats, path: Path, wish: List | Copy) -> None:
        self.is_finished = False
        self.error: StorageError | Refused | None = None
        self._answer: Message = {}
        self._chats = chats
        self._wish = wish
        self._is_asked = False
        self._session = chats.open(path)
        self._session.state_changed.connect(self._go_on)
        self._go_on()

    def outcome(self) -> Message:
        """Return what there is to tell of a job that did not fail."""
        return self._answer

    def _go_on(self) -> None:
        session, wish = self._session, self._wish
        if self._is_asked or session.state == "loading":
            return
        self._is_asked = True
        if session.chat is None:
            self._finish(session.error or StorageError("io", "read", chat_ref=session.path))
            return
        present = Snapshot(*session.chat.snapshot())
        if isinstance(wish, List):
            session.read_journal(partial(_list, session.path), self._done)
        else:
            session.read_journal(partial(_copy, session.path, present, wish), self._done)

    def _done(self, outcome: Outcome[Message]) -> None:
        try:
            self._answer = outcome.result()
        except (StorageError, Refused) as error:
            self._finish(error)
        else:
            self._finish(None)

    def _finish(self, error: StorageError | Refused | None) -> None:
        self.is_finished, self.error = True, error
        self._session.state_changed.disconnect(self._go_on)
        self._chats.release(self._session)


class RestoreJob(ChangeJob):
    """Makes a chat what it was in a version."""

    def __init__(self, chats: OpenChats, path: Path, wish: Restore) -> None:
        self._wish = wish
        self._version: Snapshot | None = None
        self._is_asked = False
        super().__init__(chats, path)

    def _do(self) -> None:
        chat = self._session.chat
        if self._version is not None or chat is None:
            super()._do()
        elif not self._is_asked:
            self._is_asked = True
            work = partial(_find, self._session.path, Snapshot(*chat.snapshot()), self._wish.id)
            self._session.read_journal(work, self._found)

    def _command(self) -> Command:
        if self._version is None:
            raise AssertionError("a version is restored once it was found")
        return RestoreVersion(self._version.header, self._version.messages)

    def _found(self, outcome: Outcome[Snapshot]) -> None:
        try:
            self._version = outcome.result()
        except (StorageError, Refused) as error:
            self.error = error
            self._finish()
        else:
            self._go_on()


def history_job(chats: OpenChats, path: Path, wish: Wish) -> ReadJob | RestoreJob:
    """Begin what is wished."""
    return RestoreJob(chats, path, wish) if isinstance(wish, Restore) else ReadJob(chats, path, wish)


def history_request(path: Path, wish: Wish) -> Message:
    """Return what is asked of the owner's `ChangeDesk`."""
    return {"history": msgspec.to_builtins(wish), "file": str(path)}


def wish_from_plain(plain: object) -> Wish:
    """Return the wish that these values stand for. Raises msgspec.ValidationError."""
    wish: Wish = msgspec.convert(plain, Wish)
    return wish


def _list(path: Path, journal: Journal | None) -> Message:
    versions = sorted([*list_versions(journal), *list_backups(path)], key=lambda past: -past.at_ms)
    return {"file": str(path), "versions": [_plain(past) for past in versions]}


def _plain(past: Past) -> Message:
    plain: Message = {"id": past.id, "kind": past.kind, "at_ms": past.at_ms, "label": past.label}
    plain |= {"messages": past.messages, "size": past.size}
    return plain | {name: getattr(past, name) for name in ("added", "removed", "edited", "moved", "joined")}


def _find(path: Path, present: Snapshot, name: str, journal: Journal | None) -> Snapshot:
    """Return the version of this id. Raises CommandRefused, VersionUnreachable, StorageError."""
    known = (past for list_them in _lists(path, journal) for past in list_them())
    past = next((past for past in known if past.id == name), None)
    if past is None:
        raise CommandRefused(f"There is no version {name} of this chat.")
    return version_at(journal, present, past)


def _lists(path: Path, journal: Journal | None) -> tuple[Callable[[], list[Past]], ...]:
    return partial(list_versions, journal), partial(list_backups, path)


def _copy(path: Path, present: Snapshot, wish: Copy, journal: Journal | None) -> Message:
    messages = write_copy(Path(wish.out), _find(path, present, wish.id, journal))
    return {"file": str(path), "out": wish.out, "messages": messages}
