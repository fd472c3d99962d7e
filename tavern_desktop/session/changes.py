"""A change of a chat as plain data: what the command line asks for, here or in the window's process.

It names messages by their numbers in the file; the process that owns the chat turns it into a command when it
is carried out, so that what was changed in a window before counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.chat import Chat
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import greeting
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import persona_for
from tavern_desktop.session import commands, link_commands
from tavern_desktop.session.commands import Command
from tavern_desktop.session.header_commands import SetMetadata as SetMetadataCommand
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.speaker_commands import Identity
from tavern_desktop.session.speaker_commands import RenameSpeaker as RenameSpeakerCommand
from tavern_desktop.storage.directory import key_of
from tavern_desktop.storage.format import validate_header
from tavern_desktop.storage.integrity import require_same_chat

SYSTEM_NAME = "System"


class Append(msgspec.Struct, frozen=True, tag="append"):
    """A message at the end. Without a name it is that of the persona or the character."""

    role: Literal["user", "assistant", "system"]
    text: str
    name: str | None = None


class Edit(msgspec.Struct, frozen=True, tag="edit"):
    """Another text for a message."""

    message: int
    text: str


class ChooseSwipe(msgspec.Struct, frozen=True, tag="choose_swipe"):
    """Another alternative is shown; `swipe` counts from 0."""

    message: int
    swipe: int


class AddSwipe(msgspec.Struct, frozen=True, tag="add_swipe"):
    """One more alternative, which is then shown."""

    message: int
    text: str


class DeleteSwipe(msgspec.Struct, frozen=True, tag="delete_swipe"):
    """An alternative goes; `swipe` counts from 0."""

    message: int
    swipe: int


class Delete(msgspec.Struct, frozen=True, tag="delete"):
    """The messages first … last go."""

    first: int
    last: int


class Hide(msgspec.Struct, frozen=True, tag="hide"):
    """The messages first … last are kept out of prompts, or let in again."""

    first: int
    last: int
    hidden: bool


class Bookmark(msgspec.Struct, frozen=True, tag="bookmark"):
    """A message is marked with the checkpoint of this name, or with none."""

    message: int
    link: str | None = None


class Relink(msgspec.Struct, frozen=True, tag="relink"):
    """What points to the chat `old` points to `new`."""

    old: str
    new: str


class RenameSpeaker(msgspec.Struct, frozen=True, tag="rename_speaker"):
    """What the character `old_name` wrote is under `new_name`; see the command of this name."""

    old_name: str
    old_avatar: str
    new_name: str
    new_avatar: str
    by_name: bool


class InsertCard(msgspec.Struct, frozen=True, tag="insert_card"):
    """A special message at the end, with this payload as it is written."""

    yaml: str


class SetMetadata(msgspec.Struct, frozen=True, tag="set_metadata"):
    """Other metadata for the chat. Its identity stays where `metadata` names none."""

    metadata: dict[str, Any]


Change = (
    Append
    | Edit
    | ChooseSwipe
    | AddSwipe
    | DeleteSwipe
    | Delete
    | Hide
    | Bookmark
    | Relink
    | RenameSpeaker
    | InsertCard
    | SetMetadata
)


def to_plain(change: Change) -> dict[str, Any]:
    """Return a change as JSON values."""
    plain: dict[str, Any] = msgspec.to_builtins(change)
    return plain


def from_plain(plain: object) -> Change:
    """Return the change that `to_plain` made these values from. Raises msgspec.ValidationError."""
    change: Change = msgspec.convert(plain, Change)
    return change


def command_for(change: Change, chat: Chat, path: Path, root: DataRoot | None) -> Command:
    """Return the command that carries out `change` on the chat as it is now.

    `root` is the data root the file belongs to, if any: it knows who writes. Raises CommandRefused where the
    chat has no such message or alternative.
    """
    match change:
        case Append():
            return commands.AppendMessage(_new_record(change, chat, path, root))
        case Edit():
            return commands.EditText(_key(chat, change.message), change.text)
        case ChooseSwipe():
            return commands.SelectSwipe(_swipe_key(chat, change.message, change.swipe), change.swipe)
        case AddSwipe():
            return commands.AddSwipe(_key(chat, change.message), change.text)
        case DeleteSwipe():
            return commands.DeleteSwipe(_swipe_key(chat, change.message, change.swipe), change.swipe)
        case Delete():
            return commands.DeleteMessages(_keys(chat, change.first, change.last))
        case Hide():
            return commands.SetHidden(_keys(chat, change.first, change.last), change.hidden)
        case Bookmark():
            return link_commands.SetBookmark(_key(chat, change.message), change.link)
        case Relink():
            return link_commands.Relink(change.old, change.new)
        case RenameSpeaker():
            old, new = Identity(change.old_name, change.old_avatar), Identity(change.new_name, change.new_avatar)
            return RenameSpeakerCommand(old, new, by_name=change.by_name)
        case InsertCard():
            from tavern_desktop.session import card_commands  # YAML is read only where there is some

            return card_commands.InsertCard(change.yaml)
        case SetMetadata():
            return SetMetadataCommand(_same_identity(change.metadata, chat))


def _key(chat: Chat, index: int) -> int:
    if not 0 <= index < len(chat):
        raise CommandRefused(no_message(index, len(chat)))
    return chat.messages[index].key


def _keys(chat: Chat, first: int, last: int) -> list[int]:
    _key(chat, first)
    _key(chat, last)
    return [message.key for message in chat.messages[first : last + 1]]


def _swipe_key(chat: Chat, index: int, swipe: int) -> int:
    key = _key(chat, index)
    count = len(facts.swipes(chat.messages[index].data()))
    if not 0 <= swipe < count:
        raise CommandRefused(f"Message {index} has no alternative {swipe + 1}: it has {count}.")
    return key


def _same_identity(metadata: dict[str, Any], chat: Chat) -> dict[str, Any]:
    """Return the metadata with the chat's integrity. Raises StorageError integrity/mismatch, bad_header."""
    integrity = chat.header.integrity()
    validate_header({"chat_metadata": metadata})
    require_same_chat(integrity, metadata.get("integrity", integrity))
    return metadata if integrity is None else metadata | {"integrity": integrity}


def no_message(index: int, count: int) -> str:
    """Return the sentence for a number that no message has."""
    if count == 0:
        return f"There is no message {index}: the chat is empty."
    return f"There is no message {index}: the chat has messages 0 to {count - 1}."


def _new_record(change: Append, chat: Chat, path: Path, root: DataRoot | None) -> dict[str, Any]:
    if change.role == "user":
        last = _last_record(chat, "user")
        if change.name is None and root is not None:
            persona = persona_for(root, chat.header.metadata(), last)
            return edits.new_user_message(change.text, persona.name, force_avatar=persona.force_avatar() or None)
        return edits.new_user_message(change.text, change.name or _name_in(last) or "You")
    if change.role == "assistant":
        name = change.name or _character_name(chat, path, root)
    else:
        name = change.name or SYSTEM_NAME
    return edits.new_message(change.role, change.text, name)


def _character_name(chat: Chat, path: Path, root: DataRoot | None) -> str:
    """Return who answers in this chat: who did so last, else the character whose chat it is."""
    name = _name_in(_last_record(chat, "assistant"))
    stem = root.character_of(path) if root is not None else key_of(path)
    if name:
        return name
    if root is not None and stem:
        try:
            return greeting(root.characters / f"{stem}.png").name
        except (CardError, OSError):
            return stem
    return stem or path.stem


def _last_record(chat: Chat, role: str) -> dict[str, Any] | None:
    for message in reversed(chat.messages):
        data = message.data()
        if facts.role(data) == role:
            return data
    return None


def _name_in(data: dict[str, Any] | None) -> str:
    return facts.name(data).strip() if data is not None else ""
