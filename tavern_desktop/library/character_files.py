"""A character's files: its card and the folder of its chats, renamed together, and the groups that have it as a member.

What has happened to the card is a success whatever comes after it: the rest are warnings (contract §1.2).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat import edits, jsontext
from tavern_desktop.library.card_fields import card_of, with_fields
from tavern_desktop.library.card_file import PNG, CardError, card_data, read_card, text_field
from tavern_desktop.library.card_picture import Draw, plain_picture
from tavern_desktop.library.card_repair import in_present_form, repaired
from tavern_desktop.library.card_source import MOST_BYTES, card_in
from tavern_desktop.library.card_text import CHAT, V2, change_card, changed_card, renamed, with_card
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.records import reason, rename_member
from tavern_desktop.storage import names
from tavern_desktop.storage.directory import FileFailure, is_chat_name
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.integrity import identity_on_disk
from tavern_desktop.storage.moves import move_without_replacing
from tavern_desktop.storage.publish import publish, write_small_file

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


@dataclass(frozen=True, slots=True)
class Imported:
    """A character that came from a file; `adjusted` are lines on what of it was not as it ought to be."""

    stem: str
    name: str
    adjusted: tuple[str, ...] = ()


def import_card(root: DataRoot, source: Path, draw: Draw = plain_picture) -> Imported:
    """Take the card in a file of any kind among the characters. Raises CardError, StorageError, OSError.

    The file is named after the character, numbered where that is taken. A sound card in a picture is copied byte
    for byte; of any other only the card's own chunks are written. `draw` makes a picture for one that has none.
    """
    with open(source, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise CardError("The file is too large for a character card.")
    found = card_in(data)
    card, notes = repaired(found.card, source.stem.strip() or "Nameless")
    name = str(card_data(card)["name"]).strip()
    notes += found.notes
    if found.left_out:
        notes.append(f"{found.left_out} other files in the archive were left out.")
    if found.picture is data and not notes:
        return Imported(_put_among(root, name, data), name)
    if found.picture is not data:
        card = {field: value for field, value in card.items() if field != CHAT} | {"create_date": edits.now()}
    picture = found.picture if found.picture is not None and found.picture.startswith(PNG) else None
    if found.picture is not None and picture is None:
        notes.append("The archive's picture is no PNG; another was drawn.")
    made = with_card(draw(name) if picture is None else picture, in_present_form(card))
    return Imported(_put_among(root, name, made), name, tuple(notes))


def create_character(root: DataRoot, fields: Mapping[str, str], picture: bytes | None = None) -> str:
    """Write the card of a new character, `fields` by their names in a card, and return its stem.

    `picture` is a PNG, None for a plain one. Raises CardError, StorageError, OSError.
    """
    name = fields["name"].strip()
    card = in_present_form({"data": {**fields, "name": name}, **V2} | {"create_date": edits.now()})
    return _put_among(root, name, with_card(picture if picture is not None else plain_picture(name), card))


def duplicate_character(root: DataRoot, stem: str) -> str:
    """Write a character once more under a name of its own, without chats; return its stem.

    Raises CardError, StorageError, OSError.
    """
    data = (root.characters / f"{stem}{SUFFIX}").read_bytes()
    card = card_of(data)
    name = text_field(card, "name").strip() or stem
    return _put_among(root, name, with_card(data, {field: value for field, value in card.items() if field != CHAT}))


def export_card(card: Path, out: Path, *, replace: bool = False) -> None:
    """Write a character's card for others: as JSON where `out` ends so, else as the picture with the card in it.

    What concerns only this folder is left out: the current chat, and whether it is a favourite (cards §A10).
    Raises CardError, StorageError already_exists without `replace`, OSError.
    """
    data = card.read_bytes()
    shared = with_fields(
        {field: value for field, value in card_of(data).items() if field != CHAT}, {"favourite": False}
    )
    made = jsontext.encode({**shared, **V2}) if out.suffix.lower() == ".json" else with_card(data, shared)
    if replace:
        write_small_file(out, made)
        return
    try:
        publish(out, [made], expected=None, integrity=None)
    except ChangedOnDisk:
        raise StorageError("already_exists", "target", chat_ref=out) from None


def _put_among(root: DataRoot, name: str, card: bytes) -> str:
    """Write a card under the first free file name for `name`; return that without its ending."""
    while True:
        stem = free_stem(root, "", name)
        root.characters.mkdir(exist_ok=True)
        try:
            publish(root.characters / f"{stem}{SUFFIX}", [card], expected=None, integrity=None)
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
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
