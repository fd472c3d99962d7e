"""A chat that is opened again: what its journal knows that its file does not (conversation entry §8, D3, D18).

The file may be as it was left, or the program may have died before it saved, or another program may have written the
file meanwhile, perhaps an older copy over messages of ours. Runs in the chat's lane, once the file was read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.delta_net import between_records
from tavern_desktop.chat.deltas import Delta, DeltaMismatch
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import recognise
from tavern_desktop.session.backup_texts import texts_of_backup
from tavern_desktop.session.chat_journal import ChatJournal, Note, now_ms
from tavern_desktop.session.commands import Command, Mark
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.journal_steps import go
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.lost import Reunion, reunite
from tavern_desktop.session.pending import PendingVersions
from tavern_desktop.session.steps import Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.journal import Journal, Published
from tavern_desktop.storage.journal_owner import identity_of
from tavern_desktop.storage.journal_state import digests_at, digests_of, state_of

UNSAVED, SAVED_OVER = "Changes that were not saved", "Messages that were saved over"
"""Labels of what is brought back."""
WHILE_CLOSED = "Changed elsewhere while closed"


@dataclass(frozen=True, slots=True)
class Recovery:
    """What the journal knows that the file does not.

    unsaved: `count` changes that were done up to `at_ms` and never saved; saved_over: `count` messages that another
    program saved an older copy over; shrunk: most of what was the chat, `count` messages, is gone.
    """

    kind: Literal["unsaved", "saved_over", "shrunk"]
    at_ms: int
    count: int
    steps: tuple[Step, ...]
    """How the file becomes what it should be, none where that is not known."""
    first: int | None
    """The key of the first message that is back or changed."""
    is_in_journal: bool
    """The newest state of the journal is what it should be; else it is the file."""


class BringBack(Command):
    """The file becomes what it should be. Taking it back leaves the chat as the file was."""

    kind = "recovered"

    def __init__(self, recovery: Recovery) -> None:
        super().__init__()
        self.label = UNSAVED if recovery.kind == "unsaved" else SAVED_OVER
        self._recovery = recovery

    def _plan(self, chat: Chat) -> list[Step]:
        return list(self._recovery.steps)


@dataclass(frozen=True, slots=True)
class Opened:
    """A journal at its newest state, and what may be brought back. Without a journal none is kept."""

    journal: ChatJournal | None
    recovery: Recovery | None = None
    number: int = 0
    """The state that the file is in."""
    warning: str = ""
    former: Path | None = None
    """What the chat was called when it was last open here, where another program gave it another name since."""


def open_journal(place: JournalPlace, chat: Path, kind: str, loaded: Loaded) -> Opened:
    """Open the journal of a chat that was just read."""
    journal = ChatJournal(place, chat, kind)
    try:
        let_go = place.lock(chat)
        if let_go is None:
            return Opened(None)  # another process has the chat open too, and writes down what it does
        journal.let_go = let_go
        former = None if journal.journal.number else _take_along(place, chat, loaded)
        if former is not None:
            journal = ChatJournal(place, chat, kind)
            journal.let_go = let_go
        if _is_of(journal.journal, loaded):
            with contextlib.suppress(DeltaMismatch):  # it tells of something else: begin anew
                opened = _reopened(journal, chat, loaded)
                if former is not None and opened.recovery is not None:
                    place.note_unsaved(chat, kind, opened.recovery.at_ms)
                return replace(opened, former=former)
        if journal.journal.number:
            place.removed(chat)
            journal = ChatJournal(place, chat, kind)
            journal.let_go = let_go
    except StorageError as error:
        journal.let_go()
        return Opened(None, warning=f"The history of this chat cannot be read, so none is kept. {sentence(error)}")
    journal.begin(loaded.messages, loaded.header.integrity(), is_known=False)
    try:
        return Opened(journal, _pending(place, chat, loaded))
    except StorageError as error:
        return Opened(journal, warning=_put_aside(place, chat, error))


def _pending(place: JournalPlace, chat: Path, loaded: Loaded) -> Recovery | None:
    """Return what leads to a version that waits to be saved, where the journal does not have it."""
    waiting = PendingVersions(place)
    version = waiting.version(chat, loaded)
    if version is None:
        return None
    messages = recognise(loaded.messages, [message.raw for message in version.messages]).messages
    steps = steps_between(Version(loaded.header, loaded.messages), Version(version.header, messages))
    if not steps:
        waiting.forget(chat)
        return None
    return Recovery("unsaved", now_ms(), len(steps), tuple(steps), _first(loaded, messages), False)


def _put_aside(place: JournalPlace, chat: Path, error: StorageError) -> str:
    """Keep a version that waits and cannot be read from the next save, which would end it; say where it is."""
    told = "A version of this chat that was still to be saved cannot be read"
    try:
        return f"{told}; it is kept as {PendingVersions(place).set_aside(chat)}. {sentence(error)}"
    except StorageError as other:
        return f"{told}. {sentence(other)}"


def _take_along(place: JournalPlace, chat: Path, loaded: Loaded) -> Path | None:
    """Give a chat without a journal the one of the chat that it was before another program renamed it.

    Return where it was. A copy may have the identity too, so the file has to go on from what was last saved there.
    Raises StorageError.
    """
    if loaded.identity is None:
        return None
    records = [message.raw for message in loaded.messages]
    found = [
        former for former in place.left_behind(chat, loaded.identity) if _continues(place.journal(former), records)
    ]
    if len(found) != 1:
        return None
    place.moved(found[0], chat)
    return found[0]


def _continues(journal: Journal, records: Sequence[bytes]) -> bool:
    published = journal.published
    saved = digests_at(journal, journal.number if published is None else published.number)
    return saved is not None and saved == digests_of(records[: len(saved)])


def _is_of(journal: Journal, loaded: Loaded) -> bool:
    """Say whether a journal is of the chat that the file holds."""
    identity = identity_of(journal) if journal.number else None
    return identity is not None and loaded.identity in (None, identity)


def _reopened(journal: ChatJournal, chat: Path, loaded: Loaded) -> Opened:
    kept = journal.journal
    published = kept.published
    saved = kept.oldest if published is None else published.number
    number = _state_of_file(kept, published, loaded)
    if number is None or number < saved:
        return _written_elsewhere(journal, chat, saved, loaded)
    journal.begin(loaded.messages, identity_of(kept), is_known=True)
    recovery = _unsaved(kept, number, loaded) if number < kept.number else None
    if recovery is None:
        number = kept.number
        if published is None or (published.signature, published.number) != (loaded.signature, number):
            journal.published(loaded.signature, len(loaded.messages), identity_of(kept))
    return Opened(journal, recovery, number)


def _state_of_file(journal: Journal, published: Published | None, loaded: Loaded) -> int | None:
    if published is not None and (published.signature, published.count) == (loaded.signature, len(loaded.messages)):
        return published.number
    return state_of(journal, [message.raw for message in loaded.messages])


def _unsaved(journal: Journal, number: int, loaded: Loaded) -> Recovery | None:
    """Return what leads from the file, which is in the state `number`, to the newest state. Raises DeltaMismatch."""
    header, messages = loaded.header, list(loaded.messages)
    changes = list(journal.deltas_back(number))
    for _, delta in reversed(changes):
        header = go(delta, header, messages)
    steps = steps_between(Version(loaded.header, loaded.messages), Version(header, messages))
    if not steps:
        return None
    return Recovery("unsaved", changes[0][0].at_ms, len(changes), tuple(steps), _first(loaded, messages), True)


def _written_elsewhere(journal: ChatJournal, chat: Path, saved: int, loaded: Loaded) -> Opened:
    """Another program wrote the file: bring back what it cannot have seen. Raises DeltaMismatch."""
    kept = journal.journal
    newest = kept.metas()[0]
    reunion = reunite(kept, saved, loaded, partial(texts_of_backup, chat))
    delta = _to_file(reunion.ours, loaded)
    is_known = digests_at(kept, kept.number) is not None
    journal.begin(loaded.messages, identity_of(kept), is_known=True)
    journal.append([Note("outside", WHILE_CLOSED, delta, Mark(), now_ms())])
    journal.begin(loaded.messages, identity_of(kept), is_known=is_known)
    journal.published(loaded.signature, len(loaded.messages), loaded.identity or identity_of(kept))
    return Opened(journal, _reunited(reunion, newest.number - saved, newest.at_ms, loaded), kept.number)


def _reunited(reunion: Reunion, unsaved: int, at_ms: int, loaded: Loaded) -> Recovery | None:
    if reunion.shrank_from:
        steps = () if reunion.messages is None else _steps(loaded, reunion.messages)
        first = None if reunion.messages is None else _first(loaded, reunion.messages)
        return Recovery("shrunk", at_ms, reunion.shrank_from, steps, first, False)
    steps = _steps(loaded, reunion.messages or loaded.messages)
    if not steps:
        return None
    first = _first(loaded, reunion.messages or loaded.messages)
    if reunion.restored:
        return Recovery("saved_over", at_ms, reunion.restored, steps, first, False)
    return Recovery("unsaved", at_ms, max(unsaved, 1), steps, first, False)


def _steps(loaded: Loaded, messages: list[Message]) -> tuple[Step, ...]:
    return tuple(steps_between(Version(loaded.header, loaded.messages), Version(loaded.header, messages)))


def _first(loaded: Loaded, messages: list[Message]) -> int | None:
    known = {message.key: message for message in loaded.messages}
    return next((message.key for message in messages if known.get(message.key) is not message), None)


def _to_file(ours: Sequence[Message], loaded: Loaded) -> Delta:
    """Return what leads from the newest state to the file."""
    before: list[object] = [message.raw or object() for message in ours]  # what is not known is like nothing else
    after = [message.raw for message in loaded.messages]
    return between_records(before, after, lambda index: ours[index].raw, after.__getitem__, loaded.header.raw)
