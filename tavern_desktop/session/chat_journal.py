"""The journal of one open chat, as its lane writes it: what was done, what was published, what is not saved yet.

A journal that cannot be written stops nothing: what could not be written waits and is tried again with the next
change, and the person is told once.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.delta_net import between
from tavern_desktop.chat.deltas import Delta, DeltaMismatch
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recorder import Pending
from tavern_desktop.session.commands import Mark
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.journal import Entry, Journal
from tavern_desktop.storage.journal_format import JournalKind
from tavern_desktop.storage.journal_owner import IDENTITY, keep_identity
from tavern_desktop.storage.journal_state import digests_at, digests_of, kept_state, save_state
from tavern_desktop.storage.journal_thinning import thin
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.signature import Signature

STATE_BYTES = 1024 * 1024
"""The digests of a state are written anew once the journal has grown by so much since."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Note:
    """A change to be written down. `mark` gets its number; `undoes` has that of what it takes back or does again."""

    kind: JournalKind
    label: str
    change: Pending | Delta
    mark: Mark
    at_ms: int
    undoes: Mark | None = None


class ChatJournal:
    """Confined to the chat's lane, but for being made. Raises nothing."""

    def __init__(self, place: JournalPlace, chat: Path, kind: str) -> None:
        self.place = place
        self.journal = place.journal(chat)
        self.let_go: Callable[[], object] = lambda: None
        """Called when it is closed: another process may have the journal then."""
        self._chat = chat
        self._kind = kind
        self._warnings: list[str] = []
        self._waiting: list[Note] = []
        self._first: Sequence[Message] | None = None
        self._identity: str | None = None
        self._is_broken = self._has_warned = False
        self._note: Literal["none", "there", "perhaps"] = "perhaps"
        """That the chat is ahead of its file; perhaps: left by a process that died."""

    def begin(self, messages: Sequence[Message], identity: str | None, *, is_known: bool) -> None:
        """Begin with a chat that is in the newest state; `is_known`: its digests can be told from the journal."""
        self._identity = identity
        self._first = None if is_known else messages

    # -- writing ----------------------------------------------------------------------------------------

    def append(self, notes: Sequence[Note]) -> None:
        """Write changes down, behind those that wait."""
        self._waiting += notes
        self._guarded(self._append_waiting)

    def sync(self) -> bool:
        """Make everything durable that was appended; return whether it is."""
        return self._guarded(self._append_waiting) and self._guarded(self.journal.sync)

    def left_for(self, target: Path, new: Version, ours: Version, file: Version) -> ChatJournal:
        """Return the journal of a new chat, which was written as `new`; the old one's file stays as it is known."""
        delta = between(ours.header, ours.messages, file.header, file.messages)
        self.append([Note("reload", "Saved as a new chat", delta, Mark(), now_ms())])
        if self._guarded(self._append_waiting):
            self._guarded(self._forget_note)
        journal = ChatJournal(self.place, target, self._kind)
        journal._guarded(lambda: self.place.removed(target))  # of another chat that once had this name
        journal.begin(new.messages, new.header.integrity(), is_known=False)
        journal._take_lock()
        self.let_go()
        return journal

    def published(self, signature: Signature, count: int, identity: str | None) -> None:
        """Take notice that the newest state is the file now."""
        self._guarded(lambda: self._note_published(signature, count, identity))

    def merged(self, ours: Version, found: Version, merged: Version, mark: Mark) -> None:
        """Write down a version of another program's, and what became of it and ours."""
        now = now_ms()
        theirs = between(ours.header, ours.messages, found.header, found.messages)
        united = between(found.header, found.messages, merged.header, merged.messages)
        self._waiting.append(Note("found", "Version of another program", theirs, Mark(), now))
        self._waiting.append(Note("merge", "Merge", united, mark, now))
        self._guarded(self._append_waiting)

    def moved(self, chat: Path) -> None:
        """Go on under another name of the chat, to which its journal was moved."""
        self._chat = chat
        self.journal = self.place.journal(chat)
        self.let_go()
        self._take_lock()
        self._note = "perhaps"

    def fetch_warnings(self) -> list[str]:
        """Return sentences for the person, each once."""
        told, self._warnings = [*self._warnings, *self.journal.warnings], []
        self.journal.warnings.clear()
        return told

    def close(self, chat_bytes: int) -> None:
        """Leave the journal as it is good to find: digests of a late state, thinned, no note where all is saved."""
        if self._waiting and not self._is_broken:
            self._break()
        self._guarded(lambda: self._tidy(chat_bytes))
        self.let_go()

    # -- how it is done ---------------------------------------------------------------------------------

    def _take_lock(self) -> None:
        """Take the journal of a name that is new for this process; nobody can have it yet."""

        def take() -> None:
            self.let_go = self.place.lock(self._chat) or self.let_go

        self._guarded(take)

    def _append_waiting(self) -> None:
        if self._is_broken:
            self._waiting.clear()
        if not self._waiting:
            return
        self._keep_first()
        entries: list[Entry] = []
        marked: list[Mark] = []
        for note in self._waiting:
            entry = _entry(note, self.journal.number + len(entries) + 1)
            if entry.delta.ops:
                entries.append(entry)
                note.mark.number = entry.number
                marked.append(note.mark)
        try:
            self.journal.append(entries)
        except StorageError:
            for mark in marked:
                mark.number = None
            raise
        self._waiting.clear()
        if entries and self._note != "there":
            self.place.note_unsaved(self._chat, self._kind, entries[0].at_ms)
            self._note = "there"

    def _keep_first(self) -> None:
        """Before the first change: keep that by which the chat and its first state are known again."""
        if self._first is not None:
            digests = digests_of(message.raw for message in self._first)
            save_state(self.journal.folder, self.journal.number, digests)
            self._keep_identity(self._identity)
            self._first = None

    def _keep_identity(self, identity: str | None) -> None:
        make_folder(self.journal.folder)
        keep_identity(self.journal.folder, identity)
        self._identity = identity

    def _note_published(self, signature: Signature, count: int, identity: str | None) -> None:
        self._append_waiting()
        if self.journal.number == 0 or self._is_broken:
            return  # only the file of a chat of which nothing is written down
        published = self.journal.published
        if published is None or (published.signature, published.number) != (signature, self.journal.number):
            self.journal.note_published(signature, self.journal.number, count)
        if identity not in (None, self._identity):
            self._keep_identity(identity)
        self._forget_note()

    def _forget_note(self) -> None:
        if self._note != "none":
            self.place.forget_unsaved(self._chat)
            self._note = "none"

    def _tidy(self, chat_bytes: int) -> None:
        journal = self.journal
        if journal.number == 0:
            return
        kept = kept_state(journal.folder)
        if kept is not None and _bytes_since(journal, kept[0]) > STATE_BYTES:
            digests = digests_at(journal, journal.number)
            if digests is not None:
                save_state(journal.folder, journal.number, digests)
        thin(journal, chat_bytes, now_ms())

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Do some of it; where that fails the person is told once, and it is tried again with the next change."""
        try:
            work()
        except StorageError as error:
            self._warn(f"The history of this chat cannot be written; it is saved all the same. {sentence(error)}")
            return False
        except DeltaMismatch:  # a fault of ours
            log.exception("a change does not fit the journal")
            self._break()
            self._warn("The history of this chat has a gap; the chat itself is saved.")
            return False
        return True

    def _break(self) -> None:
        """Write nothing more: what is written down leads to no state that the chat will be in. It is begun anew."""
        self._is_broken = True
        self._waiting.clear()
        with contextlib.suppress(OSError):
            (self.journal.folder / IDENTITY).unlink(missing_ok=True)

    def _warn(self, text: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            self._warnings.append(text)


def now_ms() -> int:
    """Return the time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def _entry(note: Note, number: int) -> Entry:
    delta = note.change if isinstance(note.change, Delta) else note.change.delta()
    undoes = note.undoes.number if note.undoes is not None else None
    return Entry(number, note.at_ms, note.kind, note.label, delta, undoes)


def _bytes_since(journal: Journal, number: int) -> int:
    return sum(segment.end for segment in journal.segments if segment.last > number)
