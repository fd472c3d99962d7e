"""Where the journals of the chats of one data root are kept, and how they go along with their chats."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from pathlib import Path

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_folders import JOURNALS, REMOVED, chat_key, chat_name, move_journal
from tavern_desktop.storage.journal_thinning import thin_all
from tavern_desktop.storage.unsaved import FOLDER as UNSAVED
from tavern_desktop.storage.unsaved import forget_unsaved

log = logging.getLogger(__name__)


class JournalPlace:
    """Our own folder for a data root. Chats outside of the root have theirs here too. Used off the owner."""

    def __init__(self, own_folder: Path, root: Path | None = None) -> None:
        self.own_folder = own_folder
        self.root = root

    @property
    def unsaved(self) -> Path:
        """The folder with the notes which chats are ahead of their files."""
        return self.own_folder / UNSAVED

    def key(self, chat: Path) -> str:
        return chat_key(self.root, chat)

    def folder(self, chat: Path) -> Path:
        return self.own_folder / JOURNALS / self.key(chat)

    def journal(self, chat: Path) -> Journal:
        return Journal(self.folder(chat), chat_name(self.root, chat))

    def moved(self, former: Path, chat: Path) -> None:
        """Let the journal go with a chat that has another name now. Raises StorageError."""
        move_journal(self.folder(former), self.folder(chat))
        forget_unsaved(self.unsaved, self.key(former))

    def removed(self, chat: Path) -> None:
        """Put the journal of a removed chat aside: a new one of that name shall not take it for its own."""
        move_journal(self.folder(chat), self._aside(chat))
        forget_unsaved(self.unsaved, self.key(chat))

    def brought_back(self, former: Path, chat: Path) -> None:
        """Bring the journal of a removed chat back."""
        if self._aside(former).exists():
            move_journal(self._aside(former), self.folder(chat))

    def thin_all(self, used: Iterable[Path]) -> None:
        """See to it that the journals do not grow without end; those of the chats in `used` are left alone."""
        try:
            thin_all(self.own_folder / JOURNALS, self.root, time.time_ns() // 1_000_000, set(map(self.key, used)))
        except StorageError as error:
            log.warning("journals could not be thinned: %s", error)

    def _aside(self, chat: Path) -> Path:
        return self.own_folder / JOURNALS / REMOVED / self.key(chat)
