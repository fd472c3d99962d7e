"""Renaming a chat file, and putting one into the bin (storage contract §8). Bytes never change.

What has happened to the file is a success even where a later step failed; that is then a warning (§1.2).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.storage import locks, names
from tavern_desktop.storage.conflict_copies import read_name
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.moves import move_without_replacing
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.signature import Signature


@dataclass(frozen=True, slots=True)
class Binned:
    """Where a chat file went: into the system's bin, or where there is none to `kept_at`, in our own folder."""

    kept_at: Path | None = None


def renamed(path: Path, name: str) -> Path:
    """Return what a chat file would be called, in its folder. Raises StorageError validation/name."""
    return path.with_name(names.normalize_name(name)[0])


def rename(path: Path, name: str) -> tuple[Path, Signature]:
    """Give a chat file another name in its folder; return the new path and the file's signature.

    The name it has already is fine. Raises StorageError validation/name (also where names that differ only in
    case are one to the file system), already_exists/target, not_found/chat, io; then the file is as it was.
    """
    target = renamed(path, name)
    with ExitStack() as stack:
        by_key = {locks.file_key(each): each for each in (path, target)}
        for key in sorted(by_key):
            stack.enter_context(locks.writing(by_key[key]))
        if target != path:
            _rename(path, target)
        signature = Signature.of_path(target)
    if signature is None:
        raise StorageError("not_found", "chat", chat_ref=path)
    return target, signature


def rename_copies(path: Path, target: Path, but: Collection[Path] = ()) -> None:
    """Let the conflict copies of the chat that was at `path` go with it to `target`, or they would be nobody's.

    Only those whose names say for certain what they are, and none of `but`. Raises StorageError.
    """
    try:
        names_there = os.listdir(path.parent)
    except OSError as error:
        raise from_os(error, "list", path.parent) from None
    old, new = path.name.removesuffix(names.SUFFIX), target.name.removesuffix(names.SUFFIX)
    for name in sorted(names_there):
        copy = path.with_name(name)
        if read_name(name) == (path.name, True) and copy not in but:
            _rename(copy, path.with_name(new + name[len(old) :]))


def bin_file(path: Path, own_bin: Path, *, despite_damage: bool = False) -> Binned:
    """Put a chat file into the system's bin, or where there is none into our own folder `own_bin`.

    Raises StorageError not_found/chat, bad_header or bad_encoding (side "existing") for a damaged file unless
    `despite_damage`, io/delete; then the file is as it was.
    """
    with locks.writing(path):
        if not os.path.lexists(path):
            raise StorageError("not_found", "chat", chat_ref=path)
        if not despite_damage:
            identity_on_disk(path)
        if to_system_bin(path):
            return Binned()
        return Binned(_to_own_bin(path, own_bin))


def to_system_bin(path: Path) -> bool:
    """Put a file into the system's bin; False where that is not possible: a disk or a system without one."""
    # Imported here: it asks the system what it has, which takes a while.
    from send2trash import send2trash  # type: ignore[import-untyped]

    try:
        send2trash(os.fspath(path))
    except OSError:
        return False
    return not os.path.lexists(path)


def _rename(path: Path, target: Path) -> None:
    if locks.file_key(path) == locks.file_key(target) and os.path.lexists(target) and os.path.samefile(path, target):
        raise StorageError("validation", "name", "the two names are one to this file system", chat_ref=target)
    try:
        move_without_replacing(path, target)
    except FileExistsError:
        raise StorageError("already_exists", "target", chat_ref=target) from None
    except FileNotFoundError:
        raise StorageError("not_found", "chat", chat_ref=path) from None
    except OSError as error:
        raise from_os(error, "replace", path) from None


def _to_own_bin(path: Path, own_bin: Path) -> Path:
    make_folder(own_bin)
    kept = own_bin / names.free_name(path.name, lambda name: os.path.lexists(own_bin / name))
    copy_new(path, kept)
    try:
        path.unlink()
    except OSError as error:
        kept.unlink(missing_ok=True)
        raise from_os(error, "delete", path) from None
    return kept
