"""What is done to whole chat files while some of them are open: rename, remove, bring back, branch, duplicate.

The prepare rules (storage contract §8): nothing is written to a file's old name once it is being moved; a rename
saves first, a removal does not. What has happened to the file is never undone by a later step that failed: that
is a warning, and the sentence says "but".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.library.records import add_beside, drop, follow, put_back, reason
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.backup_acts import BackupActs
from tavern_desktop.session.branch import write_branch, write_checkpoint
from tavern_desktop.session.changes import no_message
from tavern_desktop.session.character_removal import CharacterRemoval
from tavern_desktop.session.character_renaming import CharacterRenaming
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.copy_acts import CopyActs
from tavern_desktop.session.export import Format, copy_chat, read_told, require_free, write_text
from tavern_desktop.session.follow_links import LinkFollower
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.loading import HeaderForHeaderless, load_chat
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.save_first import save_first
from tavern_desktop.session.writing import Written
from tavern_desktop.storage import names
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.file_moves import bin_file, rename, rename_copies, renamed
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.reader import Cancelled, LoadedChat, Progress
from tavern_desktop.storage.signature import Signature

OWN_BIN, KEPT = "bin", "kept"


@dataclass(frozen=True, slots=True)
class FileDone:
    """The chat file that an act made or moved, and what did not work besides."""

    path: Path
    warnings: tuple[str, ...] = ()

    def with_warnings(self, more: tuple[str, ...]) -> FileDone:
        """Return the same with more that did not work."""
        return FileDone(self.path, self.warnings + more)


@dataclass(frozen=True, slots=True)
class Removed:
    """A chat that went into the bin. `copy` is what it can be brought back from; `kept_at`: see `Binned`."""

    path: Path
    copy: Path | None
    kept_at: Path | None
    records: tuple[Path, ...] = ()
    """The groups' records that had it."""
    warnings: tuple[str, ...] = ()


Done = Callable[[Outcome[FileDone]], None]


class FileActs:
    """Acts on the chat files of one program. Belongs to its runner's owner, and so do the callbacks."""

    def __init__(self, runner: Runner, chats: OpenChats, own_folder: Path) -> None:
        """`own_folder`: our own folder for the data root, for what has no bin of the system's to go to."""
        self._runner = runner
        self._chats = chats
        self._own = own_folder
        self._links = LinkFollower(runner, chats)
        self.backups = BackupActs(runner, chats)
        """What is done with backups besides opening them as chats of their own."""
        self.character_names = CharacterRenaming(runner, chats)
        """How characters get other names, with all their chats."""
        self.character_bin = CharacterRemoval(runner, chats, self, own_folder)
        """How characters go into the bin, and come back."""
        self.copies = CopyActs(runner, chats, self)
        """What is done with conflict copies."""

    def rename(self, path: Path, name: str, done: Done) -> None:
        """Give a chat another name; an open one is saved first and goes on under it. Links to it follow.

        Raises StorageError validation/name or busy, CommandRefused at once; the rest `done` is told.
        """
        renamed(path, name)
        session, path = self._open(path)
        if session is not None and session.state == "loading":
            self._when_read(session, lambda: self.rename(path, name, done), done)
            return
        self._chats.refuse_while_generating(session)
        save = session.begin_move() if session is not None else None
        journals = self._chats.journals
        opened = [one.path for one in self._chats.open_in(path.parent)]

        def work() -> tuple[FileDone, Written | None, Signature]:
            saved = save_first(save)
            target, signature = rename(path, name)
            warnings = _attempt("Renamed", lambda: follow(path, target))
            warnings += _copies_follow(path, target, opened)
            warnings += _take_along("Renamed", journals, lambda kept: kept.moved(path, target))
            return FileDone(target, warnings), saved, signature

        def finished(outcome: Outcome[tuple[FileDone, Written | None, Signature]]) -> None:
            if outcome.error is not None:
                if session is not None:
                    session.end_move(None)
                done(Outcome(error=outcome.error))
                return
            moved, saved, signature = outcome.result()
            self._chats.backups.moved(path, moved.path)
            if session is not None:
                if save is not None and saved is not None:
                    save.adopt(saved)
                session.end_move(moved.path, signature)
            self._links.follow(path, moved.path, lambda warnings: done(Outcome(moved.with_warnings(warnings))))

        self._runner.submit(work, finished, lane=str(path))

    def remove(self, path: Path, done: Callable[[Outcome[Removed]], None], *, despite_damage: bool = False) -> None:
        """Put a chat into the bin. What was not saved of it goes with it. Raises CommandRefused, busy."""
        session, path = self._open(path)
        if session is not None and session.state == "loading":
            self._when_read(session, lambda: self.remove(path, done, despite_damage=despite_damage), done)
            return
        self._chats.refuse_while_generating(session)
        if session is not None:
            session.begin_move(saving=False)
        own, journals = self._own, self._chats.journals

        def work() -> Removed:
            removed = _remove(path, own, despite_damage)
            warnings = _take_along("Removed", journals, lambda kept: kept.removed(path))
            return replace(removed, warnings=removed.warnings + warnings)

        def finished(outcome: Outcome[Removed]) -> None:
            if session is not None:
                if outcome.error is None:
                    session.end_removed()
                else:
                    session.end_move(None)
            if outcome.error is None:
                self._chats.backups.forget(path)
            done(outcome)

        self._runner.submit(work, finished, lane=str(path))

    def bring_back(self, removed: Removed, done: Done) -> None:
        """Undo a removal: the chat is there again, under its old name or, where that is taken, a numbered one."""
        copy, path = removed.copy or removed.kept_at, removed.path
        if copy is None:
            raise CommandRefused("No copy of this chat was kept here; it lies in the system's bin.")
        journals = self._chats.journals

        def work() -> FileDone:
            target = _copy_free(copy, path.parent, path.name)
            warnings = _attempt("Brought back", lambda: put_back(removed.records, target))
            warnings += _take_along("Brought back", journals, lambda kept: kept.brought_back(path, target))
            return FileDone(target, warnings)

        self._runner.submit(work, done)

    def branch(self, path: Path, index: int, done: Done, *, checkpoint: str | None = None) -> None:
        """Write the chat up to and with message `index` as a new one; the chat itself is not touched.

        `checkpoint`: a checkpoint and no branch, of this name, or with "" of one made up; marking the message with
        it is the caller's. Of an open chat it is the chat as it is in memory. Raises CommandRefused.
        """
        session, path = self._open(path)
        if session is not None and session.chat is not None:
            header, messages = session.chat.snapshot()
            if not 0 <= index < len(messages):
                raise CommandRefused(no_message(index, len(messages)))

            def write() -> Path:
                return _write_part(path, header, messages[: index + 1], checkpoint)
        else:

            def write() -> Path:
                return _branch_of_file(path, index, checkpoint, self._chats.header_for_headerless)

        self._submit_new(path, write, done)

    def duplicate(self, path: Path, done: Done) -> None:
        """Copy a chat byte for byte under the next free name; an open one is saved first. Raises CommandRefused."""
        self.when_saved(path, lambda: _copy_free(path, path.parent, f"{path.stem} (copy)"), done)

    def restore(self, path: Path, backup: Path, done: Done) -> None:
        """Copy a backup beside the chat it is of, as a new chat (contract B9)."""
        self._submit_new(path, lambda: _copy_free(backup, path.parent, f"{path.stem} (backup)"), done)

    def export(
        self,
        path: Path,
        out: Path,
        form: Format,
        done: Done,
        *,
        replace: bool = False,
        cancelled: Cancelled | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Write a chat to `out` (see `export_chat`); an open one is saved first. Raises CommandRefused.

        Only reading is done in the file's lane: turning a long chat into a text takes longer than a save may wait.
        `progress` is told (messages, in all), not on the owner.
        """
        read: list[LoadedChat] = []

        def take() -> Path:
            require_free(path, out, replace=replace)
            if form == "jsonl":
                copy_chat(path, out)
            else:
                read.append(read_told(path, cancelled))
            return out

        def write() -> FileDone:
            write_text(read[0], path, out, form, cancelled=cancelled, progress=progress)
            return FileDone(out)

        def taken(outcome: Outcome[FileDone]) -> None:
            if outcome.error is not None or form == "jsonl":
                done(outcome)
            else:
                self._runner.submit(write, done)

        self.when_saved(path, take, taken, is_chat=False)

    def when_saved(self, path: Path, work: Callable[[], Path], done: Done, *, is_chat: bool = True) -> None:
        """Do `work`, which makes a file of what is on disk, after an open chat is saved. Raises CommandRefused.

        `is_chat`: the file is one more chat beside the other.
        """
        session, path = self._open(path)
        if session is None or not session.is_dirty:
            self._submit_new(path, work, done, is_chat=is_chat)
            return
        save = session.begin_move()

        def both() -> tuple[FileDone, Written | None]:
            saved = save_first(save)
            made = work()
            return FileDone(made, _told_of(path, made) if is_chat else ()), saved

        def finished(outcome: Outcome[tuple[FileDone, Written | None]]) -> None:
            if outcome.error is None and save is not None:
                saved = outcome.result()[1]
                if saved is not None:
                    save.adopt(saved)
            session.end_move(None)
            done(Outcome(error=outcome.error) if outcome.error else Outcome(outcome.result()[0]))

        self._runner.submit(both, finished, lane=str(path))

    def _when_read(self, session: ChatSession, act: Callable[[], None], done: Callable[[Outcome[Any]], None]) -> None:
        """Do `act` once a chat that is being read is there, or cannot be; `done` is told what stops it."""

        def go_on() -> None:
            try:
                act()
            except (StorageError, CommandRefused) as error:
                done(Outcome(error=error))

        def look() -> None:
            if session.state != "loading":
                session.state_changed.disconnect(look)
                self._runner.post(go_on)  # after everybody else knows that it is there

        session.state_changed.connect(look)

    def _open(self, path: Path) -> tuple[ChatSession | None, Path]:
        """Return the session of a file if it is open, and the path under which its lane is known."""
        session = self._chats.session_for(path)
        return session, path if session is None else session.path

    def _submit_new(self, path: Path, work: Callable[[], Path], done: Done, *, is_chat: bool = True) -> None:
        def both() -> FileDone:
            made = work()
            return FileDone(made, _told_of(path, made) if is_chat else ())

        self._runner.submit(both, done, lane=str(path))


def _remove(path: Path, own: Path, despite_damage: bool) -> Removed:
    warnings: list[str] = []
    copy = None
    try:
        copy = back_up_first(path)
        if copy is None:  # outside every data root there is no folder for backups
            make_folder(own / KEPT)
            copy = _copy_free(path, own / KEPT, path.name)
    except StorageError as error:
        if error.kind == "not_found":
            raise
        warnings.append(f"Removed, but no copy for undo could be made: {reason(error)}.")
    binned = bin_file(path, own / OWN_BIN, despite_damage=despite_damage)
    records: list[Path] = []
    warnings += _attempt("Removed", lambda: records.extend(drop(path)))
    return Removed(path, copy, binned.kept_at, tuple(records), tuple(warnings))


def _write_part(path: Path, header: Header, messages: Sequence[Message], checkpoint: str | None) -> Path:
    if checkpoint is None:
        return write_branch(path, header, messages)
    return write_checkpoint(path, header, messages, checkpoint)


def _branch_of_file(path: Path, index: int, checkpoint: str | None, header_for_headerless: HeaderForHeaderless) -> Path:
    loaded = load_chat(path, kind_of(path), header_for_headerless, lambda: False, lambda _done, _total: None)
    if not 0 <= index < len(loaded.messages):
        raise CommandRefused(no_message(index, len(loaded.messages)))
    return _write_part(path, loaded.header, loaded.messages[: index + 1], checkpoint)


def _copy_free(source: Path, folder: Path, name: str) -> Path:
    """Copy a file into `folder` under the first free name of `name`, `name 2`, … and return it."""
    while True:
        target = folder / names.free_name(name, lambda name: os.path.lexists(folder / name))
        try:
            copy_new(source, target)
        except StorageError as error:
            if error.kind != "already_exists":  # somebody else took the name meanwhile
                raise
        else:
            return target


def _told_of(chat: Path, made: Path) -> tuple[str, ...]:
    return _attempt("Created", lambda: add_beside(chat, made))


def _copies_follow(path: Path, target: Path, opened: Collection[Path]) -> tuple[str, ...]:
    try:
        if target != path:
            rename_copies(path, target, opened)
    except StorageError as error:
        return (f"Renamed, but a conflict copy of the chat keeps the old name: {reason(error)}.",)
    return ()


def _attempt(what_happened: str, write: Callable[[], object]) -> tuple[str, ...]:
    try:
        write()
    except (StorageError, OSError) as error:
        return (f"{what_happened}, but the list of chats could not be brought up to date: {reason(error)}.",)
    return ()


def _take_along(
    what_happened: str, journals: JournalPlace | None, move: Callable[[JournalPlace], object]
) -> tuple[str, ...]:
    """Let a journal go with its chat."""
    try:
        if journals is not None:
            move(journals)
    except StorageError as error:
        return (f"{what_happened}, but the history of the chat could not be taken along: {reason(error)}.",)
    return ()
