"""The versions of a chat: what is known of each, and one compared with another.

A version is a state in the chat's journal, reached backwards from the chat as it is now, or one of its backups.
Everything here runs off the owner, in the file's lane, on frozen values; messages have the keys that the open chat
has for them, so that what is chosen in a comparison can be brought back into it.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tavern_desktop.chat.content import Digests
from tavern_desktop.chat.deltas import UNKNOWN, DeltaMismatch, apply_to_messages
from tavern_desktop.chat.differences import Difference, Kind, Row, compare, is_known
from tavern_desktop.chat.field_differences import metadata_changes
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recognition import keys_among, recognise
from tavern_desktop.session.backup_list import backups_for
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.backups import Backup
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal_format import JournalKind, Meta
from tavern_desktop.storage.reader import load

if TYPE_CHECKING:
    from tavern_desktop.storage.journal import Journal

PastKind = JournalKind | Literal["start", "backup"]
"""How a version came about: as in the journal; `start` is the oldest that is known, `backup` a copy in a file."""

OUT_OF_REACH = "This version can no longer be reached: the history of the chat has a gap."


class VersionUnreachable(Refused):
    """A version that the list told of cannot be made any more."""


@dataclass(frozen=True, slots=True)
class Past:
    """One version as a list shows it."""

    id: str
    """The number of the state, or the name of the backup's file."""
    kind: PastKind
    at_ms: int
    label: str = ""
    messages: int | None = None
    """How many the chat had; not known of a backup, which has to be read for it."""
    added: int = 0
    removed: int = 0
    edited: int = 0
    moved: int = 0
    joined: int = 1
    """How many changes it stands for, where the journal was thinned."""
    before: str = ""
    """The id of the state before, "" where it has none."""
    size: int | None = None
    """Of a backup, in bytes."""
    path: Path | None = None
    """Of a backup."""


@dataclass(frozen=True)
class Snapshot:
    """A whole version."""

    header: Header
    messages: Sequence[Message]


@dataclass(frozen=True)
class Comparison:
    """Two versions, what differs, and the chat as it was when they were compared."""

    before: Snapshot
    after: Snapshot
    present: Snapshot
    difference: Difference
    metadata: tuple[str, ...]
    """The names of the parts of the metadata that differ."""
    restorable: frozenset[Row]
    """The rows of which the chat now is without what restoring them brings back."""
    would_change: bool
    """Whether the chat now differs from the earlier version."""

    @classmethod
    def of(cls, before: Snapshot, after: Snapshot, present: Snapshot) -> Comparison:
        """Compare two versions, off the owner."""
        difference = compare(before.messages, after.messages)
        rows = {row: _then(row, before, after) for row in difference.rows if row.kinds}
        keys = {message.key for message in rows.values()}
        now = {message.key: message for message in present.messages if message.key in keys}
        restorable = frozenset(row for row, then in rows.items() if _is_missing(row, then, now))
        is_same = tuple(before.messages) == tuple(present.messages)
        would_change = not is_same or bool(metadata_changes(before.header, present.header))
        metadata = metadata_changes(before.header, after.header)
        return cls(before, after, present, difference, metadata, restorable, would_change)

    @cached_property
    def present_keys(self) -> frozenset[int]:
        """The keys of the messages that are in the chat now."""
        return frozenset(message.key for message in self.present.messages)

    def place_before(self, key: int) -> int:
        """Return the index of a message in the earlier version, NONE where it was not there."""
        return self._places_before.get(key, NONE)

    @cached_property
    def _places_before(self) -> dict[int, int]:
        return {message.key: index for index, message in enumerate(self.before.messages)}

    def wanted(self, row: Row) -> tuple[Snapshot, int]:
        """Return what restoring a row brings back: what stood there before, of an added message what was added."""
        return (self.after, row.after) if row.before == NONE else (self.before, row.before)


def _then(row: Row, before: Snapshot, after: Snapshot) -> Message:
    """Return the message that restoring a row brings back."""
    return after.messages[row.after] if row.before == NONE else before.messages[row.before]


def _is_missing(row: Row, then: Message, now: dict[int, Message]) -> bool:
    message = now.get(then.key)
    if not is_known(then):
        return False
    if message is then:
        return Kind.MOVED in row.kinds
    return message is None or message.raw != then.raw or Kind.MOVED in row.kinds


def list_versions(journal: Journal | None) -> list[Past]:
    """Return the states that the journal knows, newest first."""
    metas = [] if journal is None else journal.metas()
    versions = [past_of(meta) for meta in metas]
    if metas:
        oldest = metas[-1]
        versions.append(Past(str(oldest.before), "start", oldest.at_ms, messages=oldest.count_before))
    return versions


def list_backups(chat: Path) -> list[Past]:
    """Return the backups of a chat, newest first. Raises StorageError io/list."""
    return [_backup(backup) for backup in backups_for(chat)]


def compare_change(journal: Journal | None, present: Snapshot, past: Past) -> Comparison:
    """Return what a version changed against the one before it. Raises VersionUnreachable, StorageError."""
    before, after = _states(journal, present, past.before, past.id)
    return Comparison.of(before, after, present)


def compare_with_present(journal: Journal | None, present: Snapshot, past: Past) -> Comparison:
    """Return what changed since a version. Raises VersionUnreachable, StorageError."""
    before = version_at(journal, present, past)
    return Comparison.of(before, present, present)


def version_at(journal: Journal | None, present: Snapshot, past: Past) -> Snapshot:
    """Return the chat as it was in a version. Raises VersionUnreachable, StorageError."""
    return _read_backup(past.path, present) if past.path is not None else _states(journal, present, past.id)[0]


def past_of(meta: Meta) -> Past:
    """Return a change of the journal as a list shows it."""
    return Past(
        str(meta.number), meta.kind, meta.at_ms, meta.label, meta.count, meta.added, meta.removed, meta.edited,
        meta.moved, meta.joined, str(meta.before),
    )  # fmt: skip


def _backup(backup: Backup) -> Past:
    return Past(backup.path.name, "backup", int(backup.mtime * 1000), size=backup.size, path=backup.path)


def _states(journal: Journal | None, present: Snapshot, *wanted: str) -> list[Snapshot]:
    """Go back from the chat as it is, and return the states with these numbers, in that order (oldest first)."""
    numbers = [int(name) for name in wanted]
    found: dict[int, Snapshot] = {}
    if journal is None:
        raise VersionUnreachable(OUT_OF_REACH)
    header, messages = present.header, list(present.messages)
    (first_new,) = Message.read([UNKNOWN])
    if journal.number in numbers:
        found[journal.number] = present
    try:
        for meta, delta in journal.deltas_back(after=min(numbers)):
            header = apply_to_messages(delta, header, messages, back=True)
            if meta.before in numbers:
                found[meta.before] = Snapshot(header, _recognised(present.messages, messages, first_new.key))
    except DeltaMismatch:
        raise VersionUnreachable(OUT_OF_REACH) from None
    if len(found) < len(set(numbers)):
        raise VersionUnreachable(OUT_OF_REACH)
    return [found[number] for number in numbers]


def _recognised(present: Sequence[Message], messages: Sequence[Message], first_new: int) -> list[Message]:
    """Return a version; those of its messages that were gone for a while, and are back, have the keys of now.

    Keys count upwards: what has one from `first_new` on came out of the journal.
    """
    keys = map(operator.itemgetter(0), messages)  # without a call of Python's own for each of 100,000
    new = (index for index, key in enumerate(keys) if key >= first_new)
    strange = [index for index in new if is_known(messages[index])]
    recognised = list(messages)
    if not strange:
        return recognised
    then = {message.key for message in messages}
    candidates = [message for message in present if message.key not in then]
    known = keys_among(candidates, [messages[index].raw for index in strange], Digests()) if candidates else ()
    for index, key in zip(strange, known, strict=False):
        if key is not None:
            recognised[index] = Message(key, messages[index].raw)
    return recognised


def _read_backup(path: Path, present: Snapshot) -> Snapshot:
    read = load(path, kind=kind_of(path))
    if read.header is None and not read.messages:
        raise StorageError("not_found", "chat", chat_ref=path)
    messages = recognise(present.messages, [message.raw for message in read.messages]).messages
    return Snapshot(read.header or present.header, messages)
