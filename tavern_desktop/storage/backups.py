"""Copies of chats in SillyTavern's own `backups/` folder, named as SillyTavern names them (contract §11, D9).

Both programs see and prune the same files. A backup's name says whose chat it is a copy of (the character's
folder, or the group chat's id), not which of that one's chats: that only its content tells.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.storage import names
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.directory import key_of
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.handles import open_shared
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.reader import BLOCK_SIZE
from tavern_desktop.storage.signature import Signature

PREFIX = "chat_"
KEPT = 50
"""How many backups of one name stay, as in SillyTavern's own settings."""
UNLIMITED = -1

_STAMP = r"_\d{8}-\d{6}(?:-(?:[2-9]|[1-9]\d+))?\.jsonl"
_ANY_NAME = re.compile(rf"{PREFIX}(?P<key>.*){_STAMP}", re.DOTALL)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backup:
    """One file in the folder. `key` is whose it is, as the name has it; `mtime` in seconds since 1970."""

    path: Path
    key: str
    size: int
    mtime: float


@dataclass(frozen=True, slots=True)
class BackupFolder:
    """The `backups/` of one data root. `keep` and `total` limit the number of files; -1 means without limit."""

    path: Path
    keep: int = KEPT
    total: int = UNLIMITED

    def add(self, chat: Path, *, at: float | None = None, least_age: float = 0.0) -> Path | None:
        """Copy a chat as it now is and prune; return the backup.

        None where the newest backup of this chat says the same already, where the newest of its name is younger
        than `least_age` seconds, or where none are to be kept. `at`: seconds since 1970, else now. Raises
        StorageError not_found, io.
        """
        if self.keep == 0:
            return None
        now = time.time() if at is None else at
        key = key_of_name(owner_of(chat))
        before = self.list(key)
        if before and 0 <= now - before[0].mtime < least_age:
            return None
        if _kept_already(chat, before) is not None:
            return None
        path = self._copy(chat, key, now)
        self.prune(key)
        return path

    def ensure(self, chat: Path) -> Path:
        """Return a backup that says what the chat now says, made if there is none. Raises StorageError."""
        key = key_of_name(owner_of(chat))
        return _kept_already(chat, self.list(key)) or self._copy(chat, key, time.time())

    def list(self, key: str | None = None) -> list[Backup]:
        """Return the backups, those of one key or all, newest first. Raises StorageError io/list."""
        try:
            found = list(self._scan())
        except OSError as error:
            raise from_os(error, "list", self.path) from None
        chosen = found if key is None else [backup for backup in found if backup.key == key]
        return sorted(chosen, key=lambda backup: (backup.mtime, backup.path.name), reverse=True)

    def find(self, name: str) -> Path:
        """Return the backup of this file name, whatever folder stands before it. Raises validation/name, not_found."""
        bare = re.split(r"[/\\]", name)[-1]
        if not bare.startswith(PREFIX) or "\0" in bare:
            raise StorageError("validation", "name", "the name of a chat's backup begins with chat_")
        path = self.path / bare
        if not path.is_file():
            raise StorageError("not_found", "backup", chat_ref=path)
        return path

    def restore(self, name: str, folder: Path, stem: str) -> Path:
        """Copy a backup into `folder` as a new chat called `stem`, or `stem 2` …; return it. Raises StorageError."""
        backup = self.find(name)
        while True:
            target = folder / names.free_name(stem, lambda name: os.path.lexists(folder / name))
            try:
                copy_new(backup, target)
            except StorageError as error:
                if error.kind != "already_exists":  # somebody else was quicker
                    raise
            else:
                return target

    def delete(self, name: str) -> None:
        """Remove a backup. Raises validation/name, not_found/backup, io/delete."""
        path = self.find(name)
        try:
            path.unlink()
        except OSError as error:
            raise from_os(error, "delete", path) from None

    def prune(self, key: str) -> None:
        """Remove what is more than is to be kept; a file that cannot be removed is a warning in the log.

        The last copy of a chat stays, however often another chat of the same name was saved (known failure B-20):
        SillyTavern may remove it by its own rule, we do not.
        """
        files = [(backup.path.name, backup.mtime) for backup in self.list()]
        doomed: Sequence[str] = to_prune(files, key, self.keep)
        if doomed:
            doomed = self._without_last_copies(doomed, [name for name, _ in files if name not in doomed], key)
        left = [(name, mtime) for name, mtime in files if name not in doomed]
        for name in [*doomed, *_oldest(left, self.total)]:
            try:
                (self.path / name).unlink(missing_ok=True)
            except OSError as error:
                _log.warning("an old backup could not be removed: %s", error.strerror)

    def _names(self) -> Iterable[str]:
        try:
            return os.listdir(self.path)
        except OSError as error:
            raise from_os(error, "list", self.path) from None

    def _without_last_copies(self, doomed: Sequence[str], kept: Iterable[str], key: str) -> Sequence[str]:
        """Return which of `doomed`, oldest first, are of chats that have a newer copy."""
        of_key = re.compile(re.escape(PREFIX + key) + _STAMP)
        copied = {self._chat_in(name) for name in kept if of_key.fullmatch(name)}
        superseded = []
        for name in reversed(doomed):
            chat = self._chat_in(name)
            if chat is None or chat in copied:
                superseded.append(name)
            copied.add(chat)
        return superseded[::-1]

    def _chat_in(self, name: str) -> str | None:
        """Return the identity of the chat that a backup is of, None where it says none."""
        try:
            return _identity(self.path / name)[1]
        except StorageError:
            return None

    def _copy(self, chat: Path, key: str, now: float) -> Path:
        try:
            self.path.mkdir(exist_ok=True)
        except OSError as error:
            raise from_os(error, "write", self.path) from None
        stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
        while True:
            target = self.path / file_name(key, stamp, self._names())
            try:
                copy_new(chat, target)
            except StorageError as error:
                if error.kind != "already_exists":
                    raise
            else:
                return target

    def _scan(self) -> Iterator[Backup]:
        try:
            entries = os.scandir(self.path)
        except FileNotFoundError:
            return
        with entries:
            for entry in entries:
                match = _ANY_NAME.fullmatch(entry.name)
                if match is not None and entry.is_file():
                    status = entry.stat()
                    yield Backup(Path(entry.path), match["key"], status.st_size, status.st_mtime)


def owner_of(chat: Path) -> str:
    """Return the name that the backups of a chat go under: its character's folder, else the chat's own."""
    return key_of(chat) or chat.name.removesuffix(SUFFIX)


def key_of_name(name: str) -> str:
    """Return a name as SillyTavern 1.19 spells it in the names of backups."""
    units = re.sub("[A-Z]+", lambda match: match[0].lower(), names.sanitize(name))
    plain = "".join(one if re.match("[a-z0-9]", one) else "_" * (1 + (ord(one) > 0xFFFF)) for one in units)
    if re.search(r"[^ -~]", name):
        plain += "_" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return plain


def file_name(key: str, stamp: str, existing: Iterable[str]) -> str:
    """Return the name of a new backup, numbered where it is taken."""
    taken = set(existing)
    wanted = f"{PREFIX}{key}_{stamp}"
    number = 1
    while True:
        name = f"{wanted}{f'-{number}' if number > 1 else ''}{SUFFIX}"
        if name not in taken:
            return name
        number += 1


def to_prune(files: Iterable[tuple[str, float]], key: str, keep: int) -> list[str]:
    """Return which of these (name, mtime) are too many backups of `key`, oldest first; others are left alone."""
    own = re.compile(re.escape(PREFIX + key) + _STAMP)
    return _oldest([(name, mtime) for name, mtime in files if own.fullmatch(name)], keep)


def _oldest(files: Iterable[tuple[str, float]], keep: int) -> list[str]:
    by_age = sorted(files, key=lambda file: (file[1], file[0]))
    return [] if keep < 0 else [name for name, _ in by_age[: max(0, len(by_age) - keep)]]


def _kept_already(chat: Path, backups: Iterable[Backup]) -> Path | None:
    """Return the newest backup of this very chat if it has the same bytes."""
    signature, identity = _identity(chat)
    for backup in backups:
        if identity is None or _identity(backup.path)[1] == identity:
            is_same = signature is not None and backup.size == signature.size and _same_bytes(chat, backup.path)
            return backup.path if is_same else None
    return None


def _identity(path: Path) -> tuple[Signature | None, str | None]:
    """Return signature and integrity; a damaged chat has none, and is worth a backup all the same."""
    try:
        return identity_on_disk(path)
    except StorageError as error:
        if error.kind not in ("bad_header", "bad_encoding"):
            raise
        return Signature.of_path(path), None


def _same_bytes(one: Path, other: Path) -> bool:
    try:
        with open_shared(one) as left, open_shared(other) as right:
            while True:
                block = left.read(BLOCK_SIZE)
                if block != right.read(BLOCK_SIZE):
                    return False
                if not block:
                    return True
    except OSError:
        return False
