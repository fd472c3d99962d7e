"""A character's files: its card and the folder of its chats, renamed together, and the groups that have it as a member.

What has happened to the card is a success whatever comes after it: the rest are warnings (contract §1.2).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.library.card_file import CardError, read_card, text_field
from tavern_desktop.library.card_text import change_card, changed_card, renamed
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.records import reason, rename_member
from tavern_desktop.storage import names
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.directory import FileFailure, is_chat_name
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.moves import move_without_replacing
from tavern_desktop.storage.publish import publish

NO_CARD = "The picture holds no card that can be changed."


@dataclass(frozen=True, slots=True)
class Renamed:
    """A character under its new name. `folder` is where its chats are now, `former` where they were."""

    stem: str
    old_name: str
    folder: Path
    former: Path
    groups: tuple[Path, ...]
    """The records of the groups that have it as a member."""
    warnings: tuple[str, ...]


def chats_of(root: DataRoot, stem: str) -> list[Path]:
    """Return the chat files of a character, oldest first. Raises StorageError io/list."""
    folder = root.chat_folder(stem)
    try:
        with os.scandir(folder) as entries:
            found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries if is_chat_name(entry.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise from_os(error, "list", folder) from None
    return [Path(path) for _, path in sorted(found)]


def unreadable(chats: list[Path]) -> list[FileFailure]:
    """Return which of these chats have a header that cannot be read: who deletes them does not know what they are."""
    failures = []
    for path in chats:
        try:
            identity_on_disk(path)
        except StorageError as error:
            if error.kind != "not_found":
                failures.append(FileFailure.of(str(path), error))
    return failures


def rename_files(root: DataRoot, stem: str, name: str) -> Renamed:
    """Give a character another name: in its card, in the card's file name, and in the name of its chats' folder.

    Raises StorageError, CardError, OSError; then everything is as it was.
    """
    card = root.characters / f"{stem}{SUFFIX}"
    old_name = text_field(read_card(card), "name") or stem
    new_stem = free_stem(root, stem, name)
    former = folder = root.chat_folder(stem)
    if new_stem == stem:
        change_card(card, renamed(name))
        return Renamed(stem, old_name, folder, former, (), ())
    target = root.characters / f"{new_stem}{SUFFIX}"
    _write_card(card, target, name)
    folder = root.chats / new_stem
    try:
        _move_folder(former, folder)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    warnings = _remove_old(card)
    groups: tuple[Path, ...] = ()
    try:
        groups = rename_member(root, card.name, target.name)
    except (OSError, StorageError) as error:
        warnings += (f"Renamed, but a group could not be brought up to date: {reason(error)}.",)
    return Renamed(new_stem, old_name, folder, former, groups, warnings)


def import_card(root: DataRoot, source: Path) -> str:
    """Copy a card, a picture with a character in it, among the characters; return its stem. Raises CardError, OSError.

    The file is named after the character, numbered where that is taken; nothing of it is changed.
    """
    name = text_field(read_card(source), "name").strip() or source.stem
    while True:
        stem = free_stem(root, "", name)
        try:
            root.characters.mkdir(exist_ok=True)
            copy_new(source, root.characters / f"{stem}{SUFFIX}")
        except StorageError as error:
            if error.kind != "already_exists":  # somebody else took the name meanwhile
                raise
        else:
            return stem


def free_stem(root: DataRoot, stem: str, name: str) -> str:
    """Return the file name, without its ending, for a character of this name: its own one where that fits.

    Numbered as SillyTavern does where another character or a folder of chats has it.
    """
    wanted = names.free_name(name, lambda _: False).removesuffix(names.SUFFIX)
    number = 0
    while True:
        candidate = f"{wanted}{number or ''}"
        if candidate == stem:
            return stem
        taken = (root.characters / f"{candidate}{SUFFIX}", root.chats / candidate)
        if not any(os.path.lexists(path) for path in taken):
            return candidate
        number += 1


def _write_card(card: Path, target: Path, name: str) -> None:
    data = card.read_bytes()
    changed = changed_card(data, renamed(name))
    if changed is None and text_field(read_card(card), "name") != name:
        raise CardError(NO_CARD)
    try:
        publish(target, [data if changed is None else changed], expected=None, integrity=None)
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=target) from None


def _move_folder(former: Path, folder: Path) -> None:
    if not former.is_dir():
        return
    try:
        move_without_replacing(former, folder)
    except FileExistsError:
        raise StorageError("already_exists", "target", chat_ref=folder) from None
    except OSError as error:
        raise from_os(error, "replace", former) from None


def _remove_old(card: Path) -> tuple[str, ...]:
    try:
        card.unlink()
    except OSError as error:
        return (f"Renamed, but the old card {card.name} could not be removed: {reason(error)}.",)
    return ()
