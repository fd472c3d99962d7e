"""Which chat files a data folder holds (storage contract §10.1). Nothing here opens a chat.

Conflict copies of file synchronisers are kept apart under the chat they are copies of; what cannot be a chat
(a folder named x.jsonl, a link that leads out of the data folder) is reported and hides nothing else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from tavern_desktop.storage import conflict_copies
from tavern_desktop.storage.aliases import folder_name, folder_names, stem_of_folder
from tavern_desktop.storage.errors import StorageError, from_os, sentence
from tavern_desktop.storage.names import SUFFIX, ChatKind

GROUP_FOLDER = "group chats"
CHAT_FOLDER = "chats"

Bounds = tuple[str, ...]
"""Real folders that links must not leave: the user's, and wherever that user put all chats."""

_UNFINISHED = ("._", ".syncthing.", "~syncthing~")
"""How names begin that only look like chats: AppleDouble files, and what a synchroniser has not brought whole yet."""


class FileFailure(msgspec.Struct, frozen=True):
    """A file that a listing could not take in: the error's kind and detail, and its sentence for people."""

    file: str
    kind: str
    detail: str
    message: str
    mtime_ns: int = 0

    @classmethod
    def of(cls, file: str, error: StorageError, mtime_ns: int = 0) -> FileFailure:
        # The sentence for a name is about names that people type; here the file has one, and it is unusable.
        message = f"This file cannot be used: {error.message}." if error.kind == "validation" else sentence(error)
        return cls(file, error.kind, error.detail, message, mtime_ns)


class ChatFile(msgspec.Struct, frozen=True):
    """A chat file as the folder shows it.

    `key` is the directory key: the stem of the character's card, or "" for group chats and for those that lie
    loose in `chats/`. `conflicts` are the paths of conflict copies of this chat.
    """

    file: str
    kind: ChatKind
    key: str
    size: int
    mtime_ns: int
    file_id: int
    conflicts: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's name without its folder."""
        return os.path.basename(self.file)

    @property
    def stem(self) -> str:
        """What people call the chat: its file's name without `.jsonl`."""
        return self.name.removesuffix(SUFFIX)


class Listing(msgspec.Struct):
    """What was found, in no particular order."""

    files: list[ChatFile]
    failures: list[FileFailure]

    def add(self, other: Listing) -> None:
        """Take in another folder's listing."""
        self.files += other.files
        self.failures += other.failures


def kind_of(path: Path) -> ChatKind:
    """Return "group" for a file in a `group chats` folder, else "character"."""
    return "group" if path.parent.name == GROUP_FOLDER else "character"


def key_of(path: Path) -> str:
    """Return the directory key of a file in `chats/<key>/`, "" for one anywhere else."""
    folder = path.parent
    return folder.name if folder.parent.name == CHAT_FOLDER else ""


def list_character(user_folder: str | os.PathLike[str], stem: str) -> Listing:
    """List one character's folder, whether the character has a card or not.

    Raises StorageError io/list where it cannot be read, validation/name where it is a link that leads out.
    """
    folder = os.path.join(user_folder, CHAT_FOLDER, folder_name(user_folder, stem))
    return _list_folder(folder, "character", stem, _bounds(user_folder))


def list_around(user_folder: str | os.PathLike[str], chat: Path) -> Listing:
    """List the folder that a chat file lies in, as far as that folder can be read."""
    listing = Listing([], [])
    key = key_of(chat)
    stem = stem_of_folder(user_folder, key) if key else ""
    _add_folder(listing, str(chat.parent), kind_of(chat), stem, (*_bounds(user_folder), str(chat.parent)))
    return listing


def _list_folder(folder: str, kind: ChatKind, key: str, bounds: Bounds) -> Listing:
    listing = Listing([], [])
    if key and os.path.islink(folder):
        _stay_inside(folder, bounds)
    for entry in _entries(folder):
        if not is_chat_name(entry.name):
            continue
        try:
            listing.files.append(_look_at(entry, kind, key, bounds))
        except StorageError as error:
            listing.failures.append(FileFailure.of(entry.path, error))
    listing.files = _grouped(listing.files)
    return listing


def list_global(user_folder: str | os.PathLike[str], cards: Iterable[str]) -> Listing:
    """List every chat a person should see: those of `cards` (stems), loose ones, and all group chats.

    A character's folder that cannot be read becomes a failure of its own. Raises StorageError io/list where
    `chats/` itself cannot be read.
    """
    bounds = _bounds(user_folder)
    chats = os.path.join(user_folder, CHAT_FOLDER)
    listing = _list_folder(chats, "character", "", bounds)
    unlisted = {entry.name for entry in _entries(chats)}
    renamed = folder_names(user_folder)
    # Cards with a folder of their own name come first: it is theirs, whatever an alias says.
    for stem in sorted(cards, key=renamed.__contains__):
        folder = renamed.get(stem, stem)
        if folder in unlisted:
            unlisted.remove(folder)
            _add_folder(listing, os.path.join(chats, folder), "character", stem, bounds)
    _add_folder(listing, os.path.join(user_folder, GROUP_FOLDER), "group", "", bounds)
    return listing


def _bounds(user_folder: str | os.PathLike[str]) -> Bounds:
    folders = (user_folder, os.path.join(user_folder, CHAT_FOLDER), os.path.join(user_folder, GROUP_FOLDER))
    return tuple(os.path.realpath(folder) for folder in folders)


def _add_folder(listing: Listing, folder: str, kind: ChatKind, key: str, bounds: Bounds) -> None:
    try:
        listing.add(_list_folder(folder, kind, key, bounds))
    except StorageError as error:
        listing.failures.append(FileFailure.of(folder, error))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from error


def is_chat_name(name: str) -> bool:
    """Leave out what only looks like a chat, and a suffix without a stem."""
    return name.endswith(SUFFIX) and name != SUFFIX and not name.startswith(_UNFINISHED)


def _look_at(entry: os.DirEntry[str], kind: ChatKind, key: str, bounds: Bounds) -> ChatFile:
    try:
        if entry.is_symlink():
            _stay_inside(entry.path, bounds)
        info = entry.stat()
    except OSError as error:
        raise from_os(error, "open", entry.path) from error
    if not stat.S_ISREG(info.st_mode):
        what = "a folder" if stat.S_ISDIR(info.st_mode) else "not a file"
        raise StorageError("io", "open", f"it is {what}", chat_ref=entry.path)
    return ChatFile(entry.path, kind, key, info.st_size, info.st_mtime_ns, info.st_ino)


def _stay_inside(path: str, bounds: Bounds) -> None:
    real = Path(os.path.realpath(path))
    if not any(real.is_relative_to(bound) for bound in bounds):
        raise StorageError("validation", "name", "it is a link that leads out of the folder", chat_ref=path)


def _grouped(files: list[ChatFile]) -> list[ChatFile]:
    """Put conflict copies under their chat; one whose chat is gone is listed as a chat itself."""
    by_name = {file.name: file for file in files}
    chats = {file.name: chat for file in files if (chat := _chat_of_copy(file, by_name)) is not None}
    copies: dict[str, list[str]] = {}
    for name in chats:
        chat = chats[name]
        while chat in chats:  # a copy of a copy
            chat = chats[chat]
        copies.setdefault(chat, []).append(by_name[name].file)
    return [
        msgspec.structs.replace(file, conflicts=tuple(sorted(copies[file.name]))) if file.name in copies else file
        for file in files
        if file.name not in chats
    ]


def _chat_of_copy(file: ChatFile, by_name: Mapping[str, ChatFile]) -> str | None:
    """Return the name of the chat that a file is a conflict copy of, None for an ordinary chat."""
    claim = conflict_copies.chat_of(file.name, by_name)
    if claim is None:
        return None
    is_proven = claim.is_certain or conflict_copies.is_same_chat(
        Path(file.file), Path(by_name[claim.chat].file), file.kind
    )
    return claim.chat if is_proven else None
