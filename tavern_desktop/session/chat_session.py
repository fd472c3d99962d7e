"""One chat file while it is open: loading it, changing it by commands, saving it.

Every view of a file shares one `ChatSession` (see `OpenChats`). It belongs to its runner's owner; signals are
emitted there. Reading and writing happen off the owner, one after another in the file's lane.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.chat.merge_metadata import merge_headers
from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.backing_up import back_up_first
from tavern_desktop.session.commands import Command
from tavern_desktop.session.loading import (
    READ_ONLY_REFUSALS,
    ChatKind,
    Loaded,
    ReadOnlyReason,
    Setup,
    with_known_keys,
    write_recovery_copy,
)
from tavern_desktop.session.merging import AdoptMerge, Lineage, Merged, MergeRefused, caught_up, merge_into_file
from tavern_desktop.session.outside import FileLook, Finding, FollowFile, Trouble, compare
from tavern_desktop.session.reading import Reading
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.save_queue import Save, SaveQueue, SaveState
from tavern_desktop.session.undo import UndoStack
from tavern_desktop.session.versions import Version, write_new, write_over
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, sentence
from tavern_desktop.storage.pages import Page
from tavern_desktop.storage.recovery import RecoveryView
from tavern_desktop.storage.signature import Signature

State = Literal["loading", "ready", "failed"]

DAMAGE = frozenset({"bad_header", "bad_record", "bad_encoding"})
"""Kinds of errors after which there may be something left to read."""


class ChatSession:
    """An open chat file.

    `chat` is None until it is loaded, and stays None if it cannot be: then `error` says why, `rest` (once there)
    holds what can be read, and nothing can be changed or saved. While a chat that is open is reloaded, `state` is
    "loading" and `chat` still what it was. A load that the person stopped is "failed" with `error.kind` "cancelled".
    """

    def __init__(self, path: Path, kind: ChatKind, setup: Setup) -> None:
        self.state_changed: Signal[()] = Signal()
        """`state`, `read_only`, `needs_header_consent` or `trouble` changed."""
        self._reading = Reading(kind, setup)
        self.progress_changed = self._reading.progress_changed
        """(bytes read, bytes in all), while loading."""
        self.preview_ready = self._reading.preview_ready
        """`preview` is there; not emitted when the whole chat was quicker."""
        self.rest_ready = self._reading.rest_ready
        """`rest` is there, after loading failed because of damage."""
        self.save_changed: Signal[()] = Signal()
        """`save_state` changed."""
        self.undo_changed: Signal[()] = Signal()
        """What can be undone or redone changed."""
        self.path_changed: Signal[Path] = Signal()
        """The chat was saved as a new file or renamed; the argument is the former path."""
        self.removed: Signal[()] = Signal()
        """The file went into the bin; views let go of the session."""
        self.merged: Signal[MergeResult] = Signal()
        """What another program wrote was merged, and stands in the chat and in the file."""
        self.followed: Signal[MergeResult] = Signal()
        """Another program changed the file, nothing was unsaved here, and the chat is now what the file is."""
        self.published: Signal[Signature] = Signal()
        """A version was written to the file."""
        self.notice: Signal[str] = Signal()
        """A sentence for the person."""
        self.path = path
        self.kind: ChatKind = kind
        self.chat: Chat | None = None
        self.state: State = "loading"
        self.error: StorageError | None = None
        self.warnings: tuple[str, ...] = ()
        self.read_only: ReadOnlyReason | None = "owned_elsewhere" if setup.read_only else None
        self.needs_header_consent = False
        self.trouble: Trouble | None = None
        """Why nothing is saved until the person reloads, saves as a new chat or lets go."""
        self.signature: Signature | None = None
        """Of the version of the file that we last read or wrote."""
        self._setup = setup
        self._runner = setup.runner
        self._undo = UndoStack()
        self._is_saving_as = False
        self._is_lost_on_disk = False
        self._is_held = False
        self._saves_over_theirs = False
        self._editors = 0
        self._saved = Version(Header.new(), [])
        self._lineage = Lineage([])
        self._look = FileLook(setup.runner, self)
        self._queue = SaveQueue(setup.runner, str(path), lambda: self.is_dirty, self._begin_save)
        self._queue.changed.connect(self.save_changed.emit)

    # -- what it is -------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The file's name without its ending."""
        return self.path.name.removesuffix(names.SUFFIX)

    @property
    def save_state(self) -> SaveState:
        """How memory and file stand to each other."""
        return self._queue.state

    @property
    def is_saving(self) -> bool:
        """Say whether a file is being written at this moment, for a reload that of the unsaved changes."""
        return self._queue.is_busy or self._is_saving_as or (self.state == "loading" and self.is_dirty)

    @property
    def is_dirty(self) -> bool:
        """Say whether the chat differs from what we last read or published, or from a file that was damaged since."""
        return self.chat is not None and (self._is_lost_on_disk or not self._saved.equals(self.chat))

    @property
    def can_change(self) -> bool:
        """Say whether commands are accepted now."""
        return self.chat is not None and self.state == "ready" and self.read_only is None

    # -- loading ----------------------------------------------------------------------------------------

    @property
    def progress(self) -> tuple[int, int]:
        """How far loading is: bytes read, bytes in all."""
        return self._reading.progress

    @property
    def preview(self) -> Page | None:
        """The newest messages of a large chat while the rest is read; nothing can be done with them."""
        return self._reading.preview

    @property
    def rest(self) -> RecoveryView | None:
        """What can be read of a damaged chat."""
        return self._reading.rest

    def load(self) -> None:
        """Start reading the file, for the first time or again after a failure."""
        self.state, self.error = "loading", None
        self._reading.start(self.path, self._queue.lane, self._loaded)
        self.state_changed.emit()

    def cancel_load(self) -> None:
        """Stop reading; the state becomes failed with `error.kind` "cancelled", or ready again if it was a reload."""
        self._reading.cancel()

    def reload(self) -> None:
        """Take what is on disk. Unsaved changes are first written to a recovery copy in our own folder.

        Where one of the two fails, the chat stays as it is in memory, and a notice says why.
        """
        if self.chat is None:
            self.load()
        elif self.state == "ready" and not self._is_saving_as:
            self._queue.pause()
            self.state, self.error = "loading", None
            self._reading.again(self.path, self._queue.lane, self._keeping(self.chat), self._reloaded)
            self.state_changed.emit()

    # -- changing ---------------------------------------------------------------------------------------

    def do(self, command: Command) -> bool:
        """Carry out a command; return whether it changed anything. Raises CommandRefused."""
        chat = self._changeable()
        try:
            changed = command.do(chat)
            if changed:
                self._undo.add(command)
        finally:  # also when an observer of the chat raises: what was changed is saved
            self._changed()
        return changed

    def undo(self) -> None:
        """Take back the newest command not yet taken back. Raises UndoRefused; that command is then forgotten."""
        label = self._undo.undo_label
        self._step(label, self._undo.undo)
        self._saves_over_theirs |= label == FollowFile.label

    def redo(self) -> None:
        """Carry out again what was taken back last. Raises UndoRefused; that command is then forgotten."""
        self._step(self._undo.redo_label, self._undo.redo)

    @property
    def undo_label(self) -> str | None:
        """What `undo` would take back, None if nothing."""
        return self._undo.undo_label

    @property
    def redo_label(self) -> str | None:
        """What `redo` would do again, None if nothing."""
        return self._undo.redo_label

    # -- saving -----------------------------------------------------------------------------------------

    def save_now(self) -> None:
        """Save without waiting, if there is something to save; also after a failure."""
        self._queue.save_now()

    def save_as_new(self, name: str) -> Path:
        """Start saving this state as a new chat in the same folder, and go on in that file; return its path.

        Raises StorageError (validation/name, already_exists/target, not_found/chat while nothing is loaded) at once;
        later failures are notices, and the session stays with its file.
        """
        chat = self.chat
        if chat is None or self.state != "ready" or self._is_saving_as:
            raise StorageError("not_found", "chat", chat_ref=self.path, message="This chat is not loaded")
        target = self.path.with_name(names.normalize_name(name)[0])
        if os.path.lexists(target):
            raise StorageError("already_exists", "target", chat_ref=target)
        self._queue.pause()
        self._is_saving_as = True
        header = chat.header
        if target != self.path:
            # Another chat has another identity, or the two files would be taken for one (contract 6.2).
            header = header.with_metadata(header.metadata() | {"integrity": str(uuid.uuid4())})
        version = Version(header, list(chat.messages))
        work = partial(write_new, target, version)
        self._runner.submit(work, partial(self._saved_as_new, target, version), lane=self._queue.lane)
        return target

    def merge(self) -> None:
        """Merge what another program wrote into the file with what is here, and save both as one.

        Where that cannot be done, file and chat stay as they are, and a notice says why.
        """
        chat = self.chat
        if chat is None or self.state != "ready" or self._is_saving_as:
            return
        self._queue.pause()
        self._is_saving_as = True
        ours = Version(chat.header, list(chat.messages))
        read = self._reading.work(self.path)
        work = partial(merge_into_file, self.path, read, self._lineage, self._saved, ours)
        self._runner.submit(work, partial(self._merged, ours), lane=self._queue.lane)

    def allow_header(self) -> None:
        """Agree that saving gives this group chat a header line (D6)."""
        if self.needs_header_consent:
            self.needs_header_consent = False
            self._wait()
            self.state_changed.emit()

    def keep_old_form(self) -> None:
        """Leave this group chat without a header: it is read-only from now on, and shows what is on disk."""
        # Nobody is asked any more, but the queue goes on waiting: changes that cannot be put aside are not written.
        self.needs_header_consent = False
        self.read_only = "old_form"
        if self.is_dirty:
            self.reload()
        else:
            self.state_changed.emit()

    def let_go(self, done: Callable[[Path | None], object]) -> None:
        """Close a chat whose file is gone. Unsaved changes are first put aside, and `done` is told where.

        Where that fails the chat stays, and a notice says why.
        """
        if self.chat is not None and self.trouble is not None and self.trouble.kind == "gone":
            self._runner.submit(self._keeping(self.chat), partial(self._kept, done), lane=self.lane)

    # -- its file is looked at; for `FileLook` ------------------------------------------------------------

    def look_at_file(self) -> None:
        """See whether another program wrote the file; follow it if nothing is unsaved here, else say so."""
        if self.chat is not None:
            self._look.look()

    def note_editor(self, is_open: bool) -> None:
        """Take notice that somebody begins, or ends, to type into a message: meanwhile the file is not followed."""
        self._editors += 1 if is_open else -1
        if not self._editors:
            self._look_if_clean()

    @property
    def lane(self) -> str:
        """Where the file is read and written, one thing after another."""
        return self._queue.lane

    @property
    def is_at_rest(self) -> bool:
        """Say whether the file is neither being read nor written."""
        return self.state == "ready" and not self._is_saving_as and not self._queue.is_busy

    def comparison(self) -> Callable[[], Finding]:
        """Return what compares the file with the chat as it is now, on its lane."""
        if self.chat is None:
            raise AssertionError("a chat that was not read is not looked at")
        ours = Version(self.chat.header, list(self.chat.messages))
        return partial(compare, self.signature, self._reading.work(self.path), self._lineage, ours)

    def hold(self) -> None:
        """Save nothing until it is known what became of the file."""
        self._is_held = True
        self._wait()

    def take(self, finding: Finding) -> None:
        """Do what another program's writing asks for: follow it, merge what it saved over, or ask the person."""
        if finding.kind in ("gone", "unreadable", "shrunk"):
            self._is_lost_on_disk |= finding.error is not None and finding.error.kind in DAMAGE
            self._set_trouble(finding.trouble())
            return
        self._set_trouble(None)
        if finding.kind == "same":
            if self._queue.state.kind == "changed_on_disk":
                self._queue.restart(self.lane)
        elif finding.kind == "touched":
            self._follow_header(finding.loaded)
        elif self.is_dirty or self._editors:
            self._queue.note_foreign_write()
        elif finding.kind == "changed" or self.read_only is not None:
            self._follow(finding)
        else:
            self.merge()

    # -- its file is moved; for `FileActs` ----------------------------------------------------------------

    def begin_move(self, *, saving: bool = True) -> Save | None:
        """Write nothing to the file until `end_move`; return the save that comes first if one is due.

        Raises CommandRefused while the chat is being read or written elsewhere, or where it must not be written.
        """
        if self.state == "loading" or self._is_saving_as:
            raise CommandRefused("The chat is still being read; try again when it is there.")
        if self.read_only == "owned_elsewhere":
            raise CommandRefused(READ_ONLY_REFUSALS["owned_elsewhere"])
        is_due = saving and self.is_dirty
        if is_due and self._queue.is_busy:  # its end will be known here only after the next save has begun
            raise CommandRefused("The chat is just being saved; try again in a moment.")
        if is_due and self.needs_header_consent:
            raise CommandRefused("This group chat has changes that wait for your consent to a header line.")
        self._queue.pause()
        self._is_saving_as = True
        return self._begin_save() if is_due else None

    def end_move(self, target: Path | None, signature: Signature | None = None) -> None:
        """Go on in the file `target`, which has `signature`; None: nothing was moved."""
        self._is_saving_as = False
        if target is None or target == self.path:
            self._queue.resume()
            self.save_changed.emit()
            return
        known = self.signature
        # Only if it is the file we know: what somebody else wrote shall be noticed at the next save.
        if known and signature and (known.size, known.mtime_ns) == (signature.size, signature.mtime_ns):
            self.signature = signature
        former, self.path = self.path, target
        self._queue.restart(str(target))
        self.path_changed.emit(former)

    def end_removed(self) -> None:
        """Let go of a chat whose file is gone: nothing of it is saved any more."""
        self._is_saving_as = self._is_lost_on_disk = False
        if self.chat is not None:
            self._saved = Version(self.chat.header, list(self.chat.messages))
        self._queue.close()
        self._look.close()
        self.state, self.error = "failed", StorageError("not_found", "chat", chat_ref=self.path)
        self.removed.emit()

    def close(self) -> None:
        """Stop everything; for `OpenChats`, which has seen to the saving."""
        self._reading.forget()
        self._queue.close()
        self._look.close()

    # -- loading, continued -----------------------------------------------------------------------------

    def _keeping(self, chat: Chat) -> Callable[[], Path | None]:
        """Return what puts unsaved changes aside and says where."""
        if not self.is_dirty:
            return lambda: None
        return partial(write_recovery_copy, self._setup.recovery_folder, self.title, *chat.snapshot())

    def _loaded(self, outcome: Outcome[Loaded]) -> None:
        try:
            loaded = outcome.result()
        except StorageError as error:
            self._fail(error)
        except BaseException as fault:  # of ours: nobody shall wait for it for ever, and it is for all to see
            self._fail(StorageError("io", "read", str(fault), chat_ref=self.path))
            raise
        else:
            self.chat = Chat(loaded.header, loaded.messages)
            self._adopt(loaded)

    def _fail(self, error: StorageError) -> None:
        self.state, self.error = "failed", error
        if error.kind in DAMAGE:
            self._reading.recover(self.path)
        self.state_changed.emit()

    def _reloaded(self, outcome: Outcome[tuple[Path | None, Loaded]]) -> None:
        if self.chat is None:
            raise AssertionError("only what was read is read again")
        try:
            kept, loaded = outcome.result()
        except StorageError as error:
            self._stay(error)
            return
        except BaseException as fault:
            self._stay(StorageError("io", "read", str(fault), chat_ref=self.path))
            raise
        self.chat.reset(loaded.header, with_known_keys(self.chat.messages, loaded.messages))
        self._adopt(loaded)
        if kept is not None:
            self.notice.emit(f"Your unsaved changes were put aside in {kept}.")

    def _stay(self, error: StorageError) -> None:
        """Go on with what is in memory after a reload that failed."""
        self.state = "ready"
        self._is_lost_on_disk |= error.kind in DAMAGE or error.kind == "not_found"
        self._queue.resume()
        self.state_changed.emit()
        if error.kind != "cancelled":
            self.notice.emit(f"The chat was not reloaded. {sentence(error)}")

    def _adopt(self, loaded: Loaded) -> None:
        """Take what is in the chat now for what is on disk, as it was just read."""
        if self.chat is None:
            raise AssertionError("there is a chat once it was read")
        self._saved = Version(self.chat.header, list(self.chat.messages))
        self._lineage = Lineage(self._saved.messages)
        self._undo.clear()
        self.state, self.error = "ready", None
        self._know(loaded)
        self.state_changed.emit()
        self.undo_changed.emit()

    def _know(self, loaded: Loaded) -> None:
        """Take notice of what was read of the file besides its messages; memory and file are of one version."""
        self.signature = loaded.signature
        self._is_lost_on_disk = self._saves_over_theirs = False
        self.warnings = loaded.warnings
        if not loaded.is_chat and self.read_only is None:
            self.read_only = "not_a_chat"
        elif loaded.is_chat and self.read_only == "not_a_chat":
            self.read_only = None
        self.needs_header_consent = loaded.needs_header_consent and self.read_only is None
        self._look.forget()
        self._set_trouble(None)
        self._queue.restart(self.lane)

    # -- looking at the file, continued -----------------------------------------------------------------

    def _look_if_clean(self) -> None:
        """Look again at a file that was not followed because of changes here, once there are none."""
        if self._queue.state.kind == "changed_on_disk" and not self.is_dirty and self.chat is not None:
            self._look.forget()
            self._look.look()

    def _set_trouble(self, trouble: Trouble | None) -> None:
        changed, self.trouble, self._is_held = trouble != self.trouble, trouble, False
        self._wait()
        if changed:
            self.state_changed.emit()

    def _wait(self) -> None:
        """Let the queue wait for what has to be known or answered first."""
        if self.trouble is not None:
            self._queue.wait_as("gone" if self.trouble.kind == "gone" else "changed_on_disk")
        elif self.needs_header_consent or self.read_only == "old_form":
            self._queue.wait_as("needs_header_consent")
        else:
            self._queue.wait_as("unsaved" if self._is_held else None)

    def _follow(self, finding: Finding) -> None:
        """Become what the file is, as a command that can be taken back."""
        if self.chat is None or finding.version is None or finding.loaded is None or finding.result is None:
            raise AssertionError("a file that changed was read and compared")
        if finding.ours is None or not finding.ours.equals(self.chat):  # changed since it was compared, and back again
            self._look.forget()
            self._look.look()
            return
        self._saved, self._lineage = finding.version, Lineage(finding.version.messages)
        command = FollowFile(finding.steps)
        try:
            if command.do(self.chat) and self.read_only is None:
                self._undo.add(command)
        finally:  # also when an observer of the chat raises
            self._know(finding.loaded)
        self.undo_changed.emit()
        self.followed.emit(finding.result)

    def _follow_header(self, loaded: Loaded | None) -> None:
        """Take a header that another program wrote above the same messages."""
        if self.chat is None or loaded is None:
            raise AssertionError("a file that was touched was read and compared")
        header = loaded.header
        if self.is_dirty:
            header, _conflicts = merge_headers(self._saved.header, loaded.header, self.chat.header)
        self._saved = Version(loaded.header, self._saved.messages)
        if header != self.chat.header:
            self.chat.set_header(header)
        self._know(loaded)

    def _kept(self, done: Callable[[Path | None], object], outcome: Outcome[Path | None]) -> None:
        try:
            kept = outcome.result()
        except StorageError as error:
            self.notice.emit(f"Your unsaved changes could not be put aside, so the chat stays. {sentence(error)}")
            return
        self.end_removed()
        done(kept)

    # -- changing, continued ----------------------------------------------------------------------------

    def _changeable(self) -> Chat:
        if self.chat is None or not self.can_change:
            raise CommandRefused(
                READ_ONLY_REFUSALS.get(self.read_only, "The chat cannot be changed while it is being read.")
            )
        return self.chat

    def _step(self, label: str | None, step: Callable[[Chat], None]) -> None:
        chat = self._changeable()
        if label is None:
            return
        try:
            step(chat)
        finally:
            self._changed()

    def _changed(self) -> None:
        self._look_if_clean()
        self._queue.note_change()
        self.undo_changed.emit()

    # -- saving, continued ------------------------------------------------------------------------------

    def _begin_save(self) -> Save:
        if self.chat is None:
            raise AssertionError("a chat that was not read is never saved")
        version = Version(self.chat.header, list(self.chat.messages))
        write = partial(write_over, self.path, self.kind, version, self._saved, self.signature)
        copied = self.path if self._saves_over_theirs else None
        return Save(partial(_write, write, self._lineage, version, copied), partial(self._published, version))

    def _published(self, version: Version, signature: Signature) -> None:
        self._saved, self.signature = version, signature
        self._is_lost_on_disk = self._saves_over_theirs = False
        self._look.forget()
        self._set_trouble(None)
        self.published.emit(signature)

    def _saved_as_new(self, target: Path, version: Version, outcome: Outcome[Signature]) -> None:
        self._is_saving_as = False
        try:
            signature = outcome.result()
        except (StorageError, ChangedOnDisk) as error:
            reason = sentence(error) if isinstance(error, StorageError) else "a chat with this name already exists."
            self.notice.emit(f"Not saved as a new chat: {reason}")
            self._queue.resume()
            self.save_changed.emit()
            return
        except BaseException:
            self._queue.resume()
            raise
        former, self.path = self.path, target
        self._lineage = Lineage(version.messages)
        self.needs_header_consent = False
        self._published(version, signature)
        if self.chat is not None:
            metadata = self.chat.header.metadata() | {"integrity": version.header.integrity()}
            self.chat.set_header(self.chat.header.with_metadata(metadata))
        self._queue.restart(str(target), is_saved=True)
        self.path_changed.emit(former)

    def _merged(self, ours: Version, outcome: Outcome[Merged]) -> None:
        self._is_saving_as = False
        try:
            merged = outcome.result()
        except (StorageError, MergeRefused, ChangedOnDisk) as error:
            self.notice.emit(f"Not merged. {_reason(error)}")
            self._queue.resume()
            self.save_changed.emit()
            return
        except BaseException:
            self._queue.resume()
            raise
        if self.chat is None:
            raise AssertionError("there is a chat once it was read")
        adoption = AdoptMerge(caught_up(merged, ours, self.chat))
        self._published(merged.version, merged.signature)
        if adoption.do(self.chat):
            self._undo.add(adoption)
        self._queue.restart(self._queue.lane, is_saved=True)
        self.undo_changed.emit()
        self.merged.emit(merged.result)


def _write(write: Callable[[], Signature], lineage: Lineage, version: Version, copied: Path | None) -> Signature:
    """Write a version, after a copy of `copied`, and remember that the file may descend from it."""
    if copied is not None:
        back_up_first(copied)
    signature = write()
    lineage.record(version.messages)
    return signature


def _reason(error: StorageError | MergeRefused | ChangedOnDisk) -> str:
    if isinstance(error, ChangedOnDisk):
        return "The file was changed again meanwhile; try once more."
    return sentence(error) if isinstance(error, StorageError) else error.sentence
