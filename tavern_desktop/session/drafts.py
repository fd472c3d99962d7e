"""What is typed and not sent or saved yet: in memory for the windows, on disk within a second of typing (B-47).

Belongs to its runner's owner. What is typed is read from the field when a write is due, not at every key; a timer runs
only then. Writing happens in one lane; where it fails the text stays in memory and is tried again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePath

import msgspec

from tavern_desktop.chat.signal import Signal
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.orphan_drafts import put_orphans_aside
from tavern_desktop.session.recovered import FOLDER as RECOVERY
from tavern_desktop.session.runner import Handle, Outcome, Runner
from tavern_desktop.storage.drafts import Draft, DraftFolder, DraftsRead, Edit, MessageRef
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import OwnFolders

FOLDER = "drafts"
OUTSIDE = "outside"
"""In our folder for data: what belongs to chats outside every data root."""
LANE = "drafts"
WAIT = 0.4
"""Seconds from the first key to the write that holds it and what was typed meanwhile."""
RETRY_WAIT = 10.0

ReadText = Callable[[], str]


class Drafts:
    """The drafts of one data root, shared by all windows."""

    def __init__(self, runner: Runner, folders: OwnFolders, root: DataRoot) -> None:
        self.loaded: Signal[()] = Signal()
        """What an earlier run of the program left is there."""
        self.changed: Signal[()] = Signal()
        """Other chats than before have drafts."""
        self.composer_changed: Signal[Path, object] = Signal()
        """(chat, source): the text of its composer was taken from `source`; None: from the disk."""
        self.damaged: Signal[Path] = Signal()
        """A file that an earlier run left could not be read; it is kept there."""
        self.problem_changed: Signal[()] = Signal()
        self.problem: StorageError | None = None
        """Why what is typed cannot be kept on disk for now."""
        self.is_loaded = False
        self._has_begun = False
        self._runner = runner
        self._root = root
        own = folders.for_root(root.path).data
        self._recovery = own / RECOVERY
        self._inside = DraftFolder(own / FOLDER / root.user)
        self._outside = DraftFolder(folders.data / OUTSIDE / FOLDER)
        self._drafts: dict[str, Draft] = {}
        self._typed: dict[tuple[Path, MessageRef | None], tuple[ReadText, object]] = {}
        self._under_way: set[tuple[str, MessageRef]] = set()
        """Edits whose editor is open."""
        self._left_behind: set[str] = set()
        self._unwritten: set[str] = set()
        self._writing = 0
        self._timer: Handle | None = None

    # -- reading ----------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Read, off the owner, what an earlier run left."""
        self._has_begun = True
        folders, root, recovery = (self._inside, self._outside), self._root, self._recovery

        def read() -> list[DraftsRead]:
            return [put_orphans_aside(folder, root, recovery) for folder in folders]

        self._runner.submit(read, self._begun, lane=LANE)

    def composer(self, chat: Path) -> str:
        """Return what stands unsent in a chat's composer."""
        self._take()
        return self._draft(chat).composer

    def is_left_behind(self, chat: Path) -> bool:
        """Say whether the text of a chat's composer is what an earlier run left there."""
        return self._name(chat) in self._left_behind

    def unfinished(self, chat: Path) -> list[Edit]:
        """Return the edits of a chat that no editor is open for any more."""
        self._take()
        draft = self._draft(chat)
        return [edit for edit in draft.edits if (draft.chat, edit.message) not in self._under_way]

    def files(self) -> frozenset[str]:
        """Return the chats that have drafts, as paths."""
        return frozenset(str(self._root.user_folder / name) for name in self._drafts)

    @property
    def is_busy(self) -> bool:
        """Say whether something is being written, or will be once it has been read what is there."""
        return self._writing > 0 or (self._has_begun and not self.is_loaded and bool(self._unwritten))

    # -- typing -----------------------------------------------------------------------------------------

    def note_composer(self, chat: Path, read: ReadText, source: object = None) -> None:
        """Take notice that the composer of a chat changed; `read` returns its text when that is wanted."""
        self._typed[chat, None] = (read, source)
        self._plan(WAIT)

    def note_edit(self, chat: Path, message: MessageRef, read: ReadText) -> None:
        """Take notice that the open editor of a message changed; an empty text stands for no edit."""
        self._under_way.add((self._name(chat), message))
        self._typed[chat, message] = (read, None)
        self._plan(WAIT)

    def keep_edit(self, chat: Path, edit: Edit) -> None:
        """Keep what was typed into an editor that is gone, for somebody to decide what becomes of it."""
        self.drop_edit(chat, edit.message)
        draft = self._draft(chat)
        self._put(msgspec.structs.replace(draft, edits=(*draft.edits, edit)))

    def drop_edit(self, chat: Path, message: MessageRef) -> None:
        """Forget an edit that was saved, or given up on purpose."""
        self._typed.pop((chat, message), None)
        self._under_way.discard((self._name(chat), message))
        draft = self._draft(chat)
        left = tuple(edit for edit in draft.edits if edit.message != message)
        if left != draft.edits:
            self._put(msgspec.structs.replace(draft, edits=left))

    def moved(self, former: Path, chat: Path) -> None:
        """Take notice that a chat has another name now."""
        self._take()
        draft, name = self._draft(former), self._name(chat)
        if draft.is_empty or name == draft.chat:
            return
        open_editors = {message for of, message in self._under_way if of == draft.chat}
        self._under_way |= {(name, message) for message in open_editors}
        self._put(msgspec.structs.replace(draft, chat=name))
        self._put(Draft(draft.chat))
        self.composer_changed.emit(chat, None)

    def flush(self) -> None:
        """Begin to write at once what is not on disk, as when the program ends; see `is_busy`."""
        self._cancel_timer()
        self._take()
        self._write()

    # -- inside -----------------------------------------------------------------------------------------

    def _begun(self, outcome: Outcome[list[DraftsRead]]) -> None:
        for read in outcome.result():
            for draft in read.drafts:
                self._take_over(draft)
            for file in read.damaged:
                self.damaged.emit(file)
        self.is_loaded = True
        self._write()
        self.changed.emit()
        self.loaded.emit()

    def _take_over(self, found: Draft) -> None:
        """Take what an earlier run left; what was typed in the meantime comes behind it."""
        self._take()
        held = self._drafts.get(found.chat)
        if held is None:
            self._drafts[found.chat] = found
            self._left_behind.add(found.chat)
        else:
            text = "\n".join(filter(None, (found.composer, held.composer)))
            self._put(Draft(found.chat, text, (*found.edits, *held.edits)))
        self.composer_changed.emit(self._root.user_folder / found.chat, None)

    def _draft(self, chat: Path) -> Draft:
        name = self._name(chat)
        return self._drafts.get(name) or Draft(name)

    def _name(self, chat: Path) -> str:
        return self._root.relative(chat)

    def _put(self, draft: Draft) -> None:
        """Take a draft as it is now; what differs from what is on disk will be written."""
        before = self._drafts.get(draft.chat)
        if draft == (before or Draft(draft.chat)):
            return
        if draft.is_empty:
            self._drafts.pop(draft.chat, None)
        else:
            self._drafts[draft.chat] = draft
        self._unwritten.add(draft.chat)
        self._plan(WAIT)
        if (before is None) != draft.is_empty:
            self.changed.emit()

    def _take(self) -> None:
        """Read the fields that were typed into."""
        typed, self._typed = self._typed, {}
        for (chat, message), (read, source) in typed.items():
            draft, text = self._draft(chat), read()
            if message is None:
                if text != draft.composer:
                    self._left_behind.discard(draft.chat)
                    self._put(msgspec.structs.replace(draft, composer=text))
                    self.composer_changed.emit(chat, source)
                continue
            others = tuple(edit for edit in draft.edits if edit.message != message)
            edits = (*others, Edit(message, text)) if text else others
            self._put(msgspec.structs.replace(draft, edits=edits))

    def _plan(self, wait: float) -> None:
        if self._timer is None:
            self._timer = self._runner.call_later(wait, self._due)

    def _due(self) -> None:
        self._timer = None
        self._take()
        self._write()

    def _write(self) -> None:
        self._cancel_timer()
        drafts = [self._drafts.get(name) or Draft(name) for name in sorted(self._unwritten)]
        if not drafts or not self.is_loaded:  # what is on disk is first read, then written over
            return
        self._unwritten.clear()
        self._writing += 1

        def write() -> None:
            for draft in drafts:
                self._folder(draft.chat).put(draft)

        self._runner.submit(write, lambda outcome: self._written(drafts, outcome), lane=LANE)

    def _written(self, drafts: list[Draft], outcome: Outcome[None]) -> None:
        self._writing -= 1
        try:
            outcome.result()
        except StorageError as error:
            self._unwritten.update(draft.chat for draft in drafts)
            self._plan(RETRY_WAIT)
            self._set_problem(error)
        else:
            self._set_problem(None)

    def _set_problem(self, problem: StorageError | None) -> None:
        """Say once what is wrong, until it is something else or nothing."""
        kinds = [(error.kind, error.detail) if error is not None else None for error in (self.problem, problem)]
        self.problem = problem
        if kinds[0] != kinds[1]:
            self.problem_changed.emit()

    def _folder(self, name: str) -> DraftFolder:
        return self._outside if PurePath(name).is_absolute() else self._inside

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
