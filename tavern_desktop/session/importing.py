"""Bringing chats of other programs into a data folder: read whole first, then written as new files, or nothing is."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tavern_desktop.chat import facts
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX, Character, greeting
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.imports.notes import Adjustment
from tavern_desktop.library.imports.reading import ReadChat, ReadFile, read_file
from tavern_desktop.library.imports.speech import Speakers
from tavern_desktop.library.personas import persona_for
from tavern_desktop.library.records import add_to_group, reason
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError, from_os
from tavern_desktop.storage.format import ChatKind
from tavern_desktop.storage.reader import Cancelled, Progress

LOOKED_AT = 50
"""Messages at the beginning in which the character's name is looked for."""
ENDINGS = (".jsonl", ".json", ".yaml")
"""Of the files that chats come in, for choosing among files; what counts is what is in them."""


@dataclass(frozen=True, slots=True)
class Receiver:
    """Who the chats are for: a character (the stem of its card) or a group (its id)."""

    character: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The new chats, in the order of the file, and what had to be adjusted. `messages` is how many all have."""

    source: Path
    paths: tuple[Path, ...]
    form: str
    messages: int
    is_exact: bool
    """The chat is the file byte for byte."""
    adjustments: tuple[Adjustment, ...]
    warnings: tuple[str, ...] = ()


def import_chats(
    root: DataRoot,
    source: Path,
    receiver: Receiver,
    *,
    characters: Sequence[Character] = (),
    repair: bool = False,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
) -> Imported:
    """Write every chat of the file `source` as a new chat of the receiver. Runs off the owner.

    A receiver that names nobody is the one of `characters` whom the file names. `repair`: what is damaged is left
    out and told of, instead of being an error. Raises StorageError as `read_file` does, validation/argument where it
    is not clear whose chat it is, and for what cannot be written; then there is no new file.
    """
    kind: ChatKind = "group" if receiver.group else "character"
    speakers = _speakers(root, receiver)
    read = read_file(source, kind, speakers, repair=repair, cancelled=cancelled, progress=progress)
    if not (receiver.character or receiver.group):
        receiver = Receiver(whose(read, characters))
        speakers = _speakers(root, receiver)
    folder = root.group_chats if receiver.group else root.chat_folder(receiver.character)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise from_os(error, "write", folder) from None
    stamp = f"{datetime.now():%Y-%m-%d@%Hh%Mm%Ss}"
    wanted = f"{stamp} imported" if receiver.group else f"{speakers.character} - {stamp} imported"
    paths = _write_all(read, source, folder, wanted)
    warnings = _told_group(root, receiver, paths)
    count = sum(len(chat.messages) for chat in read.chats)
    return Imported(source, paths, read.form, count, read.is_exact, read.adjustments, warnings)


def whose(read: ReadFile, characters: Sequence[Character]) -> str:
    """Return the stem of the one character whom a file names. Raises StorageError validation/argument."""
    named = {name.casefold() for chat in read.chats for name in _names_in(chat) if name}
    found = [one for one in characters if one.name.casefold() in named or one.stem.casefold() in named]
    if len(found) != 1:
        told = "Nobody here has the name that the file gives" if not found else "Several characters have these names"
        raise StorageError(
            "validation", "argument", f"It is not clear whose chat this is. {told}: choose the character"
        )
    return found[0].stem


def _names_in(chat: ReadChat) -> list[str]:
    """Return the names under which the other side speaks: in the header, and in the first messages."""
    said = chat.header.data().get("character_name")
    named = [said] if isinstance(said, str) else []
    for message in chat.messages[:LOOKED_AT]:
        data = message.data()
        if facts.kind(data) == "character":
            avatar = data.get("original_avatar")
            named += [facts.name(data), avatar.removesuffix(SUFFIX) if isinstance(avatar, str) else ""]
    return named


def _speakers(root: DataRoot, receiver: Receiver) -> Speakers:
    name = receiver.character
    if name:
        with contextlib.suppress(CardError, OSError):
            name = greeting(root.characters / f"{name}{SUFFIX}").name
    return Speakers(persona_for(root, {}).name, name)


def _write_all(read: ReadFile, source: Path, folder: Path, wanted: str) -> tuple[Path, ...]:
    """Write each chat; where one cannot be, those before it are taken away again."""
    made: list[Path] = []
    try:
        for chat in read.chats:
            made.append(_write(source if read.is_exact else None, chat, folder, wanted))
    except BaseException:
        for path in made:
            path.unlink(missing_ok=True)
        raise
    return tuple(made)


def _write(source: Path | None, chat: ReadChat, folder: Path, wanted: str) -> Path:
    """Write a chat under a free name: a copy of `source`, or where that is None the chat as it was read."""
    while True:
        path = folder / names.free_name(wanted, lambda name: (folder / name).exists())
        try:
            if source is not None:
                copy_new(source, path)
            else:
                write_new(path, Version(chat.header.with_integrity(), chat.messages))
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
        except StorageError as error:
            if error.kind != "already_exists":
                raise
            continue
        return path


def _told_group(root: DataRoot, receiver: Receiver, paths: tuple[Path, ...]) -> tuple[str, ...]:
    if not receiver.group:
        return ()
    try:
        for path in paths:
            add_to_group(root, receiver.group, path)
    except (StorageError, OSError) as error:
        return (f"Imported, but the group's list of chats could not be brought up to date: {reason(error)}.",)
    return ()
