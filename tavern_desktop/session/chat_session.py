"""One chat file while it is open: loading it, changing it by commands, saving it.

Every view of a file shares one `ChatSession` (see `OpenChats`). It belongs to its runner's owner; signals are
emitted there. Reading and writing happen off the owner, one after another in the file's lane.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.commands import Command
from tavern_desktop.session.file_state import FileState
from tavern_desktop.session.following import Following
from tavern_desktop.session.journaling import Journaling
from tavern_desktop.session.loading import READ_ONLY_REFUSALS, ChatKind, Loaded, ReadOnlyReason, Setup
from tavern_desktop.session.moving import Moving
from tavern_desktop.session.opening import Opening
from tavern_desktop.session.reading import Reading
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.reopening import Recovery
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.save_queue import Save, SaveQueue, SaveState
from tavern_desktop.session.saving import Saving
from tavern_desktop.session.trouble import Trouble
from tavern_desktop.session.undo import UndoStack
from tavern_desktop.session.versions import Version
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.pages import Page
from tavern_desktop.storage.recovery import RecoveryView
from tavern_desktop.storage.signature import Signature

T = TypeVar("T")

State = Literal["loading", "ready", "failed"]


class ChatSession:
    """An open chat file.

    `chat` is None until it is loaded, and stays None if it cannot be: then `error` says why, `rest` (once there)
    holds what can be read, and nothing can be changed or saved. While a chat that is open is reloaded, `state` is
    "loading" and `chat` still what it was. A load that the person stopped is "failed" with `error.kind` "cancelled".

    It consists of parts, which work on what is public here: `Opening`, `Saving`, `Following`, `Moving`, `Journaling`.
    """

    def __init__(self, path: Path, kind: ChatKind, setup: Setup) -> None:
        self.state_changed: Signal[()] = Signal()
        """`state`, `read_only`, `needs_header_consent` or `trouble` changed."""
        self.reading = Reading(kind, setup)
        self.progress_changed = self.reading.progress_changed
        """(bytes read, bytes in all), while loading."""
        self.preview_ready = self.reading.preview_ready
        """`preview` is there; not emitted when the whole chat was quicker."""
        self.rest_ready = self.reading.rest_ready
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
        self.journal_changed: Signal[()] = Signal()
        """Something was written to the journal, or soon will be."""
        self.recovered: Signal[Recovery] = Signal()
        """`recovery` is there: what the journal knew and the file did not is back, or waits for `bring_back`."""
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
        self.epoch = 0
        """How often the chat became something else than commands made of it: read, followed, merged."""
        self.recovery: Recovery | None = None
        self.commands = UndoStack()
        self.file = FileState()
        self._opening = Opening(self, setup)
        self._saving = Saving(self, setup)
        self._moving = Moving(self, setup, self._saving.begin)
        self.following = Following(self, setup.runner)
        self.queue = SaveQueue(setup.runner, str(path), lambda: self.is_dirty, self._saving.begin)
        self.journaling = Journaling(self, setup.runner)
        self.queue.changed.connect(self.save_changed.emit)

    # -- what it is -------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The file's name without its ending."""
        return self.path.name.removesuffix(names.SUFFIX)

    @property
    def signature(self) -> Signature | None:
        """Of the version of the file that we last read or wrote."""
        return self.file.signature

    @property
    def trouble(self) -> Trouble | None:
        """Why nothing is saved until the person decides: `keep_mine`, `take_file`, `save_as_new` or `let_go`."""
        return self.following.trouble

    @property
    def save_state(self) -> SaveState:
        """How memory and file stand to each other."""
        return self.queue.state

    @property
    def is_saving(self) -> bool:
        """Say whether a file is being written at this moment, for a reload that of the unsaved changes."""
        return self.queue.is_busy or self.is_writing or (self.state == "loading" and self.is_dirty)

    @property
    def is_moving(self) -> bool:
        """Say whether the file is being moved, or another one written."""
        return self._moving.is_busy

    @property
    def is_writing(self) -> bool:
        """Say whether a file is being written, or moved, besides the saves of the queue."""
        return self._moving.is_busy or self._saving.is_busy

    @property
    def is_dirty(self) -> bool:
        """Say whether the chat differs from what we last read or published, or from a file that was damaged since."""
        return self.chat is not None and self.file.differs_from(self.chat)

    @property
    def can_change(self) -> bool:
        """Say whether commands are accepted now."""
        return self.chat is not None and self.state == "ready" and self.read_only is None

    # -- loading ----------------------------------------------------------------------------------------

    @property
    def progress(self) -> tuple[int, int]:
        """How far loading is: bytes read, bytes in all."""
        return self.reading.progress

    @property
    def preview(self) -> Page | None:
        """The newest messages of a large chat while the rest is read; nothing can be done with them."""
        return self.reading.preview

    @property
    def rest(self) -> RecoveryView | None:
        """What can be read of a damaged chat."""
        return self.reading.rest

    def load(self) -> None:
        """Start reading the file, for the first time or again after a failure."""
        self._opening.load()

    def cancel_load(self) -> None:
        """Stop reading; the state becomes failed with `error.kind` "cancelled", or ready again if it was a reload."""
        self.reading.cancel()

    def reload(self) -> None:
        """Take what is on disk. Unsaved changes are first written to a recovery copy in our own folder.

        Where one of the two fails, the chat stays as it is in memory, and a notice says why.
        """
        self._opening.reload()

    # -- changing ---------------------------------------------------------------------------------------

    def do(self, command: Command) -> bool:
        """Carry out a command; return whether it changed anything. Raises CommandRefused."""
        chat = self._changeable()
        try:
            changed = command.do(chat)
            if changed:
                self.commands.add(command)
                self._replaces(command)
        finally:  # also when an observer of the chat raises: what was changed is saved
            self.journaling.note_done(command)
            self.note_change()
        return changed

    def undo(self) -> None:
        """Take back the newest command not yet taken back. Raises UndoRefused; that command is then forgotten."""
        command = self._step(self.commands.next_undo, self.commands.undo, "undo")
        self.file.saves_over_theirs |= command is not None and command.kind == "outside"

    def redo(self) -> None:
        """Carry out again what was taken back last. Raises UndoRefused; that command is then forgotten."""
        command = self._step(self.commands.next_redo, self.commands.redo, "redo")
        if command is not None:
            self._replaces(command)

    @property
    def undo_label(self) -> str | None:
        """What `undo` would take back, None if nothing."""
        return self.commands.undo_label

    @property
    def redo_label(self) -> str | None:
        """What `redo` would do again, None if nothing."""
        return self.commands.redo_label

    # -- saving -----------------------------------------------------------------------------------------

    def save_now(self) -> None:
        """Save without waiting, if there is something to save; also after a failure."""
        self.queue.save_now()

    def save_as_new(self, name: str) -> Path:
        """Start saving this state as a new chat in the same folder, and go on in that file; return its path.

        Raises StorageError (validation/name, already_exists/target, not_found/chat while nothing is loaded) at once;
        later failures are notices, and the session stays with its file.
        """
        return self._moving.save_as_new(name)

    def keep_mine(self) -> None:
        """Save this version over whatever is in the file, of which a copy is made first: an answer to `trouble`.

        Where that cannot be done, file and chat stay as they are, and a notice says why.
        """
        self._saving.keep_mine()

    def take_file(self) -> None:
        """Take what is in the file, another answer; see `reload`."""
        self.reload()

    def bring_back(self) -> None:
        """Bring back a chat of which most was gone when it was opened, see `recovery`; it can be undone."""
        recovery, chat = self.recovery, self._changeable()
        if recovery is not None and recovery.kind == "shrunk" and recovery.steps:
            self.recovery = None
            self._opening.bring_back(chat, recovery)

    def allow_header(self) -> None:
        """Agree that saving gives this group chat a header line (D6)."""
        if self.needs_header_consent:
            self.needs_header_consent = False
            self.following.wait()
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
            self._moving.let_go(self._opening.keeping(self.chat), done)

    def make_durable(self, done: Callable[[], object]) -> None:
        """Call `done` once everything that was done is on the disk in the journal, whatever becomes of the file.

        Also called where that is not possible: then the person was told.
        """
        self.journaling.make_durable(done)

    def read_journal(self, work: Callable[[Journal | None], T], done: Callable[[Outcome[T]], None]) -> None:
        """Do `work` in the lane with a journal whose newest state is the chat as it is now, then call `done`.

        With None where the chat has no journal.
        """
        self.journaling.read(work, done)

    # -- its file is looked at --------------------------------------------------------------------------

    def look_at_file(self) -> None:
        """See whether another program wrote the file; follow it if nothing is unsaved here, else the save merges."""
        self.following.look()

    def note_editor(self, is_open: bool) -> None:
        """Take notice that somebody begins, or ends, to type into a message: meanwhile the file is not followed."""
        self.following.note_editor(is_open)

    @property
    def lane(self) -> str:
        """Where the file is read and written, one thing after another."""
        return self.queue.lane

    @property
    def is_at_rest(self) -> bool:
        """Say whether the file is neither being read nor written."""
        return self.state == "ready" and not self.is_writing and not self.queue.is_busy

    # -- its file is moved; for `FileActs` ----------------------------------------------------------------

    def begin_move(self, *, saving: bool = True) -> Save | None:
        """Write nothing to the file until `end_move`; return the save that comes first if one is due.

        Raises CommandRefused while the chat is being read or written elsewhere, or where it must not be written.
        """
        return self._moving.begin(saving=saving)

    def end_move(self, target: Path | None, signature: Signature | None = None) -> None:
        """Go on in the file `target`, which has `signature`; None: nothing was moved."""
        self._moving.end(target, signature)

    def end_removed(self) -> None:
        """Let go of a chat whose file is gone: nothing of it is saved any more."""
        self._moving.end_removed()

    def close(self) -> None:
        """Stop everything; for `OpenChats`, which has seen to the saving."""
        self.journaling.close()
        self._opening.close()
        self.queue.close()
        self.following.close()

    # -- changing, continued ----------------------------------------------------------------------------

    def _changeable(self) -> Chat:
        if self.chat is None or not self.can_change:
            raise CommandRefused(
                READ_ONLY_REFUSALS.get(self.read_only, "The chat cannot be changed while it is being read.")
            )
        return self.chat

    def _step(
        self, command: Command | None, step: Callable[[Chat], None], kind: Literal["undo", "redo"]
    ) -> Command | None:
        chat = self._changeable()
        if command is not None:
            try:
                step(chat)
            finally:
                self.journaling.note_step(command, kind)
                self.note_change()
        return command

    def _replaces(self, command: Command) -> None:
        """A version that was declared to be the chat replaces whatever the file is, which is copied first."""
        if command.replaces_all:
            self.file.overrides = self.file.saves_over_theirs = True

    def note_change(self) -> None:
        """Take notice that the chat may differ from its file now, or no longer."""
        self.following.look_if_clean()
        self.queue.note_change()
        self.undo_changed.emit()

    # -- for the parts of a session -----------------------------------------------------------------------

    def know(self, loaded: Loaded) -> None:
        """Take notice of what was read of the file besides its messages; memory and file are of one version."""
        self.file.was_read(loaded)
        self.warnings = loaded.warnings
        if not loaded.is_chat and self.read_only is None:
            self.read_only = "not_a_chat"
        elif loaded.is_chat and self.read_only == "not_a_chat":
            self.read_only = None
        self.needs_header_consent = loaded.needs_header_consent and self.read_only is None
        self.following.settle()
        self.queue.restart(self.lane)

    def note_published(self, version: Version, signature: Signature) -> None:
        """Take notice that `version` is the file now."""
        self.file.was_written(version, signature)
        self.following.settle()
        self.published.emit(signature)
