"""Where the journals of the chats of one data root are kept, and how they go along with their chats."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from tavern_desktop.library.data_root import root_of
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_folders import JOURNALS, REMOVED, chat_key, chat_name, move_journal
from tavern_desktop.storage.journal_owner import identity_of, journal_chat, keep_name
from tavern_desktop.storage.journal_thinning import thin_all
from tavern_desktop.storage.own_folders import OwnFolders, make_folder
from tavern_desktop.storage.unsaved import FOLDER as UNSAVED
from tavern_desktop.storage.unsaved import Unsaved, forget_unsaved, note_unsaved

OUTSIDE = "outside"
"""Where in our own folders is what belongs to chats that lie in no data root."""
LOCKS = "locks"

log = logging.getLogger(__name__)


class JournalPlace:
    """Our own folder for the data root that a program works on. Used off the owner.

    A chat that lies elsewhere has its journal where our files for its own data root are, or those for chats in none, so
    that it is the same one whatever the program was started on. Another program may have that folder: see `lock`.
    """

    def __init__(self, own_folder: Path, root: Path | None = None, folders: OwnFolders | None = None) -> None:
        """Without `folders` there is no elsewhere: every journal is in `own_folder`."""
        self.own_folder = own_folder
        self._root = root
        self._folders = folders

    def key(self, chat: Path) -> str:
        """Return the name by which a chat is known."""
        return chat_key(self._home(chat)[1], chat)

    def folder(self, chat: Path) -> Path:
        home, root = self._home(chat)
        return home / JOURNALS / chat_key(root, chat)

    def journal(self, chat: Path) -> Journal:
        home, root = self._home(chat)
        return Journal(home / JOURNALS / chat_key(root, chat), chat_name(root, chat))

    def lock(self, chat: Path) -> Callable[[], object] | None:
        """Take the journal of a chat for this process; return what lets go of it.

        None where another process has it: that of a chat which lies elsewhere, for it. Raises StorageError.
        """
        home, root = self._home(chat)
        file = home / LOCKS / f"{chat_key(root, chat)}.lock"
        if home == self.own_folder and not file.exists():
            return _nothing  # whoever has the data root has its journals, and nobody else ever wanted this one
        from filelock import FileLock, Timeout

        make_folder(file.parent)
        lock = FileLock(file)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return None
        except OSError as error:
            raise from_os(error, "open", file) from None
        return lock.release

    def note_unsaved(self, chat: Path, kind: str, since_ms: int) -> None:
        """Write down that a chat is ahead of its file. Raises StorageError."""
        home, root = self._home(chat)
        note_unsaved(home / UNSAVED, chat_key(root, chat), Unsaved(str(chat), kind, chat.stem, since_ms))

    def forget_unsaved(self, chat: Path) -> None:
        """Take that back. Raises StorageError."""
        home, root = self._home(chat)
        forget_unsaved(home / UNSAVED, chat_key(root, chat))

    def moved(self, former: Path, chat: Path) -> None:
        """Let the journal go with a chat that has another name now. Raises StorageError."""
        self._move(self.folder(former), chat)
        self.forget_unsaved(former)

    def left_behind(self, chat: Path, identity: str) -> Iterator[Path]:
        """Yield the former paths of chats of this identity whose journals are there and whose files are not.

        A chat that another program gave another name to is among them; so may be one that it was copied from.
        """
        if self._home(chat)[0] != self.own_folder:
            return  # such a journal may be in use by another process
        with contextlib.suppress(OSError):
            for entry in os.scandir(self.own_folder / JOURNALS):
                journal = Journal(Path(entry.path))
                if entry.name != REMOVED and identity_of(journal) == identity:
                    former = Path(self._root or "/", journal_chat(journal))
                    if self.folder(former).name == entry.name and not os.path.lexists(former):
                        yield former

    def removed(self, chat: Path) -> None:
        """Put the journal of a removed chat aside: a new one of that name shall not take it for its own."""
        move_journal(self.folder(chat), self._aside(chat))
        self.forget_unsaved(chat)

    def brought_back(self, former: Path, chat: Path) -> None:
        """Bring the journal of a removed chat back."""
        if self._aside(former).exists():
            self._move(self._aside(former), chat)

    def _move(self, source: Path, chat: Path) -> None:
        home, root = self._home(chat)
        target = home / JOURNALS / chat_key(root, chat)
        move_journal(source, target)
        keep_name(target, chat_name(root, chat))

    def thin_all(self, used: Iterable[Path]) -> None:
        """See to it that the journals do not grow without end; those of the chats in `used` are left alone."""
        try:
            thin_all(self.own_folder / JOURNALS, self._root, time.time_ns() // 1_000_000, set(map(self.key, used)))
        except StorageError as error:
            log.warning("journals could not be thinned: %s", error)

    def _aside(self, chat: Path) -> Path:
        folder = self.folder(chat)
        return folder.parent / REMOVED / folder.name

    def _home(self, chat: Path) -> tuple[Path, Path | None]:
        """Return our own folder for a chat, and the data root below which it is known."""
        if self._folders is None or (self._root is not None and _is_below(self._root, chat)):
            return self.own_folder, self._root
        root = root_of(chat)
        if root is None:
            return self._folders.data / OUTSIDE, None
        return self._folders.for_root(root.path).data, root.path


def _is_below(root: Path, chat: Path) -> bool:
    return Path(os.path.realpath(chat.parent)).is_relative_to(os.path.realpath(root))


def _nothing() -> None:
    """Let go of nothing."""
