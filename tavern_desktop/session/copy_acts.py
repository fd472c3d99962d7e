"""What is done with a conflict copy of a chat: merge it into the chat, or keep it as a chat of its own.

Merging removes nothing of either: all messages of both are in the result, which is saved before the copy goes into the
bin. Where a message differs, ours stands and the other text becomes an alternative (decision D4).
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.deltas import UNKNOWN
from tavern_desktop.chat.differences import Row, compare
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.matching import NONE
from tavern_desktop.chat.merge import MergeResult, merge_copies, recognise_copy
from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.chat.message import Message
from tavern_desktop.library.records import add_beside, reason
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.commands import Command
from tavern_desktop.session.history import Comparison, Past, Snapshot, VersionUnreachable, version_at
from tavern_desktop.session.loading import READ_ONLY_REFUSALS, HeaderForHeaderless, Loaded, load_chat
from tavern_desktop.session.refusals import CommandRefused, Refused
from tavern_desktop.session.restoring import RestoreMessages, Wanted
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.steps import Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage import conflict_copies, names
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.journal_state import closest_state
from tavern_desktop.storage.metadata import read_metadata, save_metadata
from tavern_desktop.storage.names import SUFFIX

if TYPE_CHECKING:
    from tavern_desktop.session.file_acts import FileActs, FileDone, Removed
    from tavern_desktop.session.open_chats import OpenChats
    from tavern_desktop.storage.journal import Journal

Stage = Literal["loading", "planning", "saving", "removing", "finished"]

UNRELATED = "These two files have no message in common, so nothing was merged."
NOT_SAVED = "The copy was merged into the chat, but that is not saved yet. The copy stays until it is."
COPY_UNSAVED = "The copy is open with changes that are not saved yet; try again in a moment."


@dataclass(frozen=True, slots=True)
class CopyMerged:
    """A merge that is saved. `result` has the keys of the chat at `path`; `removed` is the copy, unless it was kept."""

    path: Path
    messages: int
    result: MergeResult
    removed: Removed | None = None

    @property
    def differing(self) -> int:
        """How many messages say something else in the copy; ours stand."""
        return len({conflict.key for conflict in self.result.conflicts if conflict.kind == "field"})


class CopyComparison(Comparison):
    """The chat before, a copy of it after; what can be brought into the chat is what the copy has."""

    @classmethod
    def with_copy(cls, ours: Snapshot, theirs: Snapshot) -> CopyComparison:
        difference = compare(ours.messages, theirs.messages)
        takeable = frozenset(row for row in difference.rows if row.kinds and row.after != NONE)
        return cls(ours, theirs, ours, difference, (), takeable, bool(takeable))

    def wanted(self, row: Row) -> tuple[Snapshot, int]:
        return (self.before, row.before) if row.after == NONE else (self.after, row.after)


class MergeCopy(Command):
    """The chat becomes both versions in one."""

    label = "Merge conflict copy"
    kind = "merge"

    def __init__(self, steps: list[Step]) -> None:
        """`steps` were planned off the owner, for the chat as it is now."""
        super().__init__()
        self._planned = steps

    def _plan(self, chat: Chat) -> list[Step]:
        return self._planned


class TakeMessages(RestoreMessages):
    """Messages of a conflict copy come into the chat, to where they stand there."""

    kind = "merge"

    def __init__(self, *wanted: Wanted) -> None:
        super().__init__(*wanted)
        count = sum(len(one.texts) for one in wanted)
        self.label = "Take message" if count == 1 else f"Take {count} messages"


class CopyActs:
    """Belongs to the owner of `runner`, and so do the callbacks."""

    def __init__(self, runner: Runner, chats: OpenChats, acts: FileActs) -> None:
        self._runner = runner
        self._chats = chats
        self._acts = acts

    def merge(
        self, path: Path, copy: Path, done: Callable[[Outcome[CopyMerged]], None], *, keep_copy: bool = False
    ) -> None:
        """Merge `copy` into the chat at `path`, save that, and unless `keep_copy` put the copy into the bin.

        `done` is told StorageError or Refused where that could not be done; then no file is gone. Raises
        CommandRefused.
        """
        other = self._chats.session_for(copy)
        if other is not None and other.is_dirty:
            raise CommandRefused(COPY_UNSAVED)
        _CopyMerge(self._runner, self._chats, self._acts, path, copy, keep_copy).start(done)

    def compare(self, path: Path, copy: Path, done: Callable[[Outcome[Comparison]], None]) -> None:
        """Say what a copy has that the chat at `path`, as it is seen, has not, and the other way round.

        The chat stands before, the copy after. `done` is told StorageError where one of them cannot be read.
        """
        session = self._chats.session_for(path)
        chat = session.chat if session is not None else None
        ours = None if chat is None else Snapshot(chat.header, tuple(chat.messages))
        work = partial(_compared, path, copy, ours, self._chats.header_for_headerless)
        self._runner.submit(work, done, lane=str(path) if session is None else session.lane)

    def keep_both(self, path: Path, copy: Path, done: Callable[[Outcome[FileDone]], None]) -> None:
        """Make `copy` a chat of its own beside the one at `path`: with another name and an identity of its own.

        Raises StorageError, CommandRefused.
        """
        name = names.free_name(own_name(path, copy), lambda name: copy.with_name(name).exists())
        self._acts.rename(copy, name, partial(self._kept, path, done))

    def _kept(self, path: Path, done: Callable[[Outcome[FileDone]], None], outcome: Outcome[FileDone]) -> None:
        if outcome.error is not None:
            done(outcome)
            return
        moved = outcome.result()

        def work() -> FileDone:
            return replace(moved, warnings=(*moved.warnings, *_make_independent(path, moved.path)))

        self._runner.submit(work, done, lane=str(moved.path))


class _CopyMerge:
    """One merge: waits for the chat, plans off the owner, changes the chat, waits for the save, removes the copy."""

    def __init__(
        self,
        runner: Runner,
        chats: OpenChats,
        acts: FileActs,
        path: Path,
        copy: Path,
        keep_copy: bool,
    ) -> None:
        self._runner, self._chats, self._acts = runner, chats, acts
        self._copy, self._keeps_copy = copy, keep_copy
        self._stage: Stage = "loading"
        self._result = MergeResult(())
        self._session = chats.open(path)
        self._slot = lambda: self._go_on()  # a function is kept by a signal, a method is not

    def start(self, done: Callable[[Outcome[CopyMerged]], None]) -> None:
        """Go on by itself from here until `done` is called, once."""
        self._done = done
        self._session.state_changed.connect(self._slot)
        self._session.save_changed.connect(self._slot)
        self._go_on()

    def _go_on(self) -> None:
        session = self._session
        try:
            if self._stage == "loading" and session.state != "loading":
                self._plan()
            elif self._stage == "saving" and session.save_state.kind not in ("unsaved", "saving"):
                if session.is_dirty:
                    raise session.save_state.error or CommandRefused(NOT_SAVED)
                self._remove_copy()
        except (StorageError, Refused) as error:
            self._finish(Outcome(error=error))

    def _plan(self) -> None:
        session = self._session
        if session.chat is None:
            raise session.error or StorageError("io", "read", chat_ref=session.path)
        if not session.can_change or session.needs_header_consent or session.trouble is not None:
            raise CommandRefused(READ_ONLY_REFUSALS.get(session.read_only, "The chat cannot be changed now."))
        self._stage = "planning"
        ours = Version(session.chat.header, list(session.chat.messages))
        work = partial(_merged, session.path, self._copy, ours, self._chats.header_for_headerless)
        session.read_journal(work, partial(self._planned, ours))

    def _planned(self, ours: Version, outcome: Outcome[tuple[MergeResult, list[Step]]]) -> None:
        session = self._session
        if isinstance(outcome.error, StorageError | Refused):
            self._finish(Outcome(error=outcome.error))
            return
        self._result, steps = outcome.result()
        try:
            if session.chat is None or not ours.equals(session.chat):  # changed meanwhile: once more
                self._stage = "loading"
                self._go_on()
                return
            self._stage = "saving"
            session.do(MergeCopy(steps))
            session.save_now()
            self._go_on()
        except Refused as refusal:
            self._finish(Outcome(error=refusal))

    def _remove_copy(self) -> None:
        self._stage = "removing"
        if self._keeps_copy:
            self._finish(Outcome(self._merged()))
        else:
            self._acts.remove(self._copy, self._removed)

    def _removed(self, outcome: Outcome[Removed]) -> None:
        if outcome.error is not None:
            self._finish(Outcome(error=outcome.error))
        else:
            self._finish(Outcome(self._merged(outcome.result())))

    def _merged(self, removed: Removed | None = None) -> CopyMerged:
        return CopyMerged(self._session.path, len(self._result.messages), self._result, removed)

    def _finish(self, outcome: Outcome[CopyMerged]) -> None:
        self._stage = "finished"
        self._session.state_changed.disconnect(self._slot)
        self._session.save_changed.disconnect(self._slot)
        self._chats.release(self._session)
        self._done(outcome)


def own_name(path: Path, copy: Path) -> str:
    """Return what a conflict copy of the chat at `path` is called as a chat of its own."""
    made_at = conflict_copies.made_at_ms(copy.name)
    stem = path.name.removesuffix(SUFFIX)
    if made_at is None:
        return f"{stem} (other version)"
    return f"{stem} (version of {datetime.datetime.fromtimestamp(made_at / 1000):%Y-%m-%d})"


def _compared(path: Path, copy: Path, ours: Snapshot | None, header_for_headerless: HeaderForHeaderless) -> Comparison:
    """Read the copy, and the chat unless it is open, and compare them. Runs off the owner. Raises StorageError."""
    if ours is None:
        loaded = _read(path, header_for_headerless)
        ours = Snapshot(loaded.header, loaded.messages)
    theirs = _read(copy, header_for_headerless)
    messages = recognise_copy(ours.messages, [message.raw for message in theirs.messages])
    return CopyComparison.with_copy(ours, Snapshot(theirs.header, messages))


def _read(path: Path, header_for_headerless: HeaderForHeaderless) -> Loaded:
    return load_chat(path, kind_of(path), header_for_headerless, lambda: False, lambda _done, _total: None)


def _merged(
    path: Path, copy: Path, ours: Version, header_for_headerless: HeaderForHeaderless, journal: Journal | None
) -> tuple[MergeResult, list[Step]]:
    """Read the copy, back both files up, and say what becomes of ours. Runs off the owner.

    Raises StorageError, CommandRefused where the two have nothing in common.
    """
    theirs = _read(copy, header_for_headerless)
    records = [message.raw for message in theirs.messages]
    result = merge_copies(ours.messages, records, _version_of(journal, records, ours))
    is_related = len(result.messages) < len(ours.messages) + len(theirs.messages)
    if not is_related and ours.messages and theirs.messages:
        raise CommandRefused(UNRELATED)
    header, _conflicts = merge_headers(Header.of({}), theirs.header, ours.header)
    back_up_first(path)
    back_up_first(copy)
    return result, steps_between(ours, Version(header, list(result.messages)))


def _version_of(journal: Journal | None, records: list[bytes], ours: Version) -> list[Message] | None:
    """Return the version of ours that a copy comes from, as far as the journal reaches; None where it does not."""
    number = closest_state(journal, records, newest=False) if journal is not None else None
    if number is None:
        return None
    past = Past(str(number), "command", 0)
    try:
        version = version_at(journal, Snapshot(ours.header, tuple(ours.messages)), past)
    except VersionUnreachable:
        return None
    return [message for message in version.messages if message.seen != UNKNOWN]


def _make_independent(chat: Path, kept: Path) -> tuple[str, ...]:
    """Give a kept copy an identity, or the two files would be taken for one chat; return what did not work."""
    kind = kind_of(kept)
    warnings = []
    try:
        metadata = read_metadata(kept, kind=kind)
        save_metadata(kept, metadata | {"integrity": str(uuid.uuid4())}, kind=kind, force=True)
    except ChangedOnDisk:
        warnings.append("Kept as a chat of its own, but another program wrote it meanwhile.")
    except StorageError as error:
        warnings.append(f"Kept as a chat of its own, but it still counts as the same chat: {reason(error)}.")
    try:
        add_beside(chat, kept)
    except (StorageError, OSError) as error:
        warnings.append(f"Kept as a chat of its own, but the list of chats could not be changed: {reason(error)}.")
    return tuple(warnings)
