"""Where the journal of a chat is, in our own folders (decision D11).

A journal belongs to a path below a data root: it stays when the root is not there for a while, and a copy of a data
folder begins without. Other programs that rename a chat leave its journal behind; see `session.reopening`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.own_folders import OwnFolders, make_folder

JOURNALS = "journal"
REMOVED = "removed"
"""Where among them those of removed chats are, should these come back."""


def journals_folder(folders: OwnFolders, root: Path | None) -> Path:
    """Return where the journals of the chats of a data root are; None: those of chats outside of every root.

    Raises StorageError validation/argument, as `OwnFolders.for_root`.
    """
    return folders.data / "outside" / JOURNALS if root is None else folders.for_root(root).data / JOURNALS


def journal_folder(journals: Path, root: Path | None, chat: Path) -> Path:
    """Return where the journal of a chat is; it need not be there yet. The chat is known by its path below the root."""
    return journals / chat_key(root, chat)


def chat_key(root: Path | None, chat: Path) -> str:
    """Return the name under which a chat is known to us: a hash of its path below the root, else of its real path."""
    name = chat_name(root, chat)
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def chat_name(root: Path | None, chat: Path) -> str:
    """Return the path of a chat below its root, with `/`; of one outside the whole real path."""
    # Not the real path of the chat itself: a symbolic link is a chat of its own, whose file others may replace.
    place = Path(os.path.realpath(chat.parent), chat.name)
    if root is not None:
        real_root = Path(os.path.realpath(root))
        place = place.relative_to(real_root) if place.is_relative_to(real_root) else place
    name = unicodedata.normalize("NFC", place.as_posix())
    return os.path.normcase(name).replace("\\", "/")


def move_journal(source: Path, target: Path) -> None:
    """Let a journal go with its chat; one that is at the target already is set aside. Raises StorageError io/replace.

    A chat that has no journal leaves none behind at its new name either: what is there told of another chat.
    """
    try:
        if target.exists():
            os.replace(target, target.with_name(f"{target.name}.aside-{time.time_ns() // 1_000_000}"))
        if source.exists():
            make_folder(target.parent)
            os.replace(source, target)
    except OSError as error:
        raise from_os(error, "replace", source) from None


def remove_journal(folder: Path) -> None:
    """Remove a journal for good. Raises StorageError io/delete."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise from_os(error, "delete", folder) from None


def journal_sizes(journals: Path) -> dict[str, int]:
    """Return the bytes of each journal of a data root, by its name in that folder. Raises StorageError io/list."""
    names = [name for name in _names(journals) if name != REMOVED]
    names += [os.path.join(REMOVED, name) for name in _names(journals / REMOVED)]
    return {name: folder_size(journals / name) for name in names}


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from None


def folder_size(folder: Path) -> int:
    """Return how many bytes the files below a folder of ours have; 0 where there is none."""
    return sum(size for _, size in _files(folder))


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            try:
                yield file, os.stat(file).st_size
            except OSError:
                continue
