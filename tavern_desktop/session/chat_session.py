"""One chat file while it is open: loading it, changing it by commands, saving it.

Every view of a file shares one `ChatSession` (see `OpenChats`). It belongs to its runner's owner; signals are
emitted there. Loading and saving happen off the owner and never wait for each other's owners.
"""

from __future__ import annotations

import threading
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.commands import Command
from tavern_desktop.session.loading import (
    ChatKind,
    HeaderForHeaderless,
    Loaded,
    ReadOnlyReason,
    load_chat,
    with_known_keys,
    write_recovery_copy,
)
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.save_queue import Save, SaveQueue, SaveState
from tavern_desktop.session.undo import UndoStack
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.pages import Page, tail_preview
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import RecoveryView, recovery
from tavern_desktop.storage.signature import Signature

State = Literal["loading", "ready", "failed"]


@dataclass(frozen=True, slots=True)
class Setup:
    """What every session of a program is given."""

    runner: Runner
    recovery_folder: Path
    header_for_headerless: HeaderForHeaderless
    read_only: bool = False
    preview_limit: int = 100
    """How many of the newest messages to show while the rest is read; 0 = none."""


class ChatSession:
    """An open chat file.

    `chat` is None until it is loaded, and stays None if it cannot be: then `error` says why, `rest` (once there)
    holds what can be read, and nothing can be changed or saved. While a chat that is open is reloaded, `state` is
    "loading" and `chat` still what it was. A load that the person stopped is "failed" with `error.kind` "cancelled".
    """

    def __init__(self, path: Path, kind: ChatKind, setup: Setup) -> None:
        self.state_changed: Signal[()] = Signal()
        """`state`, `read_only` or `needs_header_consent` changed."""
        self.progress_changed: Signal[int, int] = Signal()
        """(bytes read, bytes in all), while loading."""
        self.preview_ready: Signal[()] = Signal()
        """`preview` is there; not emitted when the whole chat was quicker."""
        self.rest_ready: Signal[()] = Signal()
        """`rest` is there, after loading failed because of damage."""
        self.save_changed: Signal[()] = Signal()
        """`save_state` changed."""
        self.undo_changed: Signal[()] = Signal()
        """What can be undone or redone changed."""
        self.path_changed: Signal[Path] = Signal()
        """The chat was saved as a new file; the argument is the former path."""
        self.notice: Signal[str] = Signal()
        """A sentence for the person."""
        self.path = path
        self.kind: ChatKind = kind
        self.chat: Chat | None = None
        self.state: State = "loading"
        self.error: StorageError | None = None
        self.warnings: tuple[str, ...] = ()
        self.progress = (0, 0)
        self.preview: Page | None = None
        self.rest: RecoveryView | None = None
        self.read_only: ReadOnlyReason | None = None
        self.needs_header_consent = False

    # -- what it is -------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The file's name without its ending."""

    @property
    def save_state(self) -> SaveState:
        """How memory and file stand to each other."""

    @property
    def is_dirty(self) -> bool:
        """Say whether the chat differs from what we last read or published."""

    @property
    def can_change(self) -> bool:
        """Say whether commands are accepted now."""

    # -- loading ----------------------------------------------------------------------------------------

    def load(self) -> None:
        """Start reading the file, for the first time or again after a failure."""

    def cancel_load(self) -> None:
        """Stop reading; the state becomes failed with `error.kind` "cancelled"."""

    def reload(self) -> None:
        """Take what is on disk. Unsaved changes are first written to a recovery copy in our own folder."""

    # -- changing ---------------------------------------------------------------------------------------

    def do(self, command: Command) -> bool:
        """Carry out a command; return whether it changed anything. Raises CommandRefused."""

    def undo(self) -> None:
        """Take back the newest command not yet taken back. Raises UndoRefused; that command is then forgotten."""

    def redo(self) -> None:
        """Carry out again what was taken back last. Raises UndoRefused; that command is then forgotten."""

    @property
    def undo_label(self) -> str | None:
        """What `undo` would take back, None if nothing."""

    @property
    def redo_label(self) -> str | None:
        """What `redo` would do again, None if nothing."""

    # -- saving -----------------------------------------------------------------------------------------

    def save_now(self) -> None:
        """Save without waiting, if there is something to save; also after a failure."""

    def save_as_new(self, name: str) -> Path:
        """Start saving this state as a new chat in the same folder, and go on in that file; return its path.

        Raises StorageError (validation/name, already_exists/target) at once; later failures are notices, and
        the session stays with its file.
        """

    def allow_header(self) -> None:
        """Agree that saving gives this group chat a header line (D6)."""

    def keep_old_form(self) -> None:
        """Leave this group chat without a header: it is read-only from now on."""

    def close(self) -> None:
        """Stop everything; for `OpenChats`, which has seen to the saving."""
