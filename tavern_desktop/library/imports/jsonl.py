"""Chats as SillyTavern, TavernAI and TauriTavern keep them: one JSON object a line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat import facts
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.library.imports.chub import with_plain_texts
from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import ChatKind
from tavern_desktop.storage.reader import Cancelled, Progress, load
from tavern_desktop.storage.recovery import recovery

DAMAGE = ("bad_header", "bad_record", "bad_encoding")
_NAMES_A_CHAT = ("chat_metadata", "user_name", "character_name")


@dataclass(frozen=True, slots=True)
class Lines:
    """A chat as it stands in a file. `is_sound`: the file's bytes can be taken as they are."""

    header: Header
    messages: list[Message]
    is_sound: bool


def read(
    path: Path,
    kind: ChatKind,
    notes: Notes,
    *,
    repair: bool,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
) -> Lines:
    """Read a chat. With `repair` damaged lines are left out, else they are an error.

    Raises StorageError; validation/argument for lines that are no chat.
    """
    try:
        loaded = load(path, kind=kind, cancelled=cancelled, progress=progress)
    except StorageError as error:
        if error.kind not in DAMAGE:
            raise
        found, messages = _readable(path, kind, error, notes, repair)
        is_sound = False
    else:
        found, messages, is_sound = loaded.header, loaded.messages, True
    header = found if found is not None and _is_header(found) else None
    if found is not None and header is None:
        messages = [*Message.read([found.raw]), *messages]
    if header is None and not any(_has_text(message) for message in messages):
        raise StorageError("validation", "argument", "There are no messages in this file")
    plain = with_plain_texts(messages, notes)
    is_sound = is_sound and all(new is old for new, old in zip(plain, messages, strict=True))
    if header is None:
        # A group's chat without one is in the form that old SillyTavern expects, and is taken as it is.
        is_sound = is_sound and kind == "group"
        notes.add("header", not is_sound)
        return Lines(Header.new(), plain, is_sound)
    return Lines(header, plain, is_sound)


def _readable(
    path: Path, kind: ChatKind, error: StorageError, notes: Notes, repair: bool
) -> tuple[Header | None, list[Message]]:
    """Return what can be read; raise `error` where that is not all, or nothing."""
    view = recovery(path, kind=kind)
    if not view.readable or (view.damaged and not repair):
        raise error
    readable = [row for row in view.rows if row.error is None]
    messages = Message.read(row.raw for row in readable)
    notes.add("glued", len(readable) - len({row.line for row in readable}))
    notes.add("damaged", view.damaged)
    return view.header, messages


def _is_header(header: Header) -> bool:
    data = header.data()
    return "chat_metadata" in data or (facts.TEXT_FIELD not in data and any(key in data for key in _NAMES_A_CHAT))


def _has_text(message: Message) -> bool:
    return b'"mes"' in message.raw and facts.TEXT_FIELD in message.data()
