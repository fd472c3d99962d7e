"""What the composer's text becomes: the user's message, or the record a known `/` command asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication

from tavern_desktop.chat import edits
from tavern_desktop.chat.chat import Chat
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.commands import AppendMessage, Command, SetHidden
from tavern_desktop.ui.slash import SlashCommand, SlashError, is_slash, parse_slash

NARRATOR = "System"
COMMENT = "Note"


def command_for(text: str, chat: Chat, persona: Persona, media: Sequence[dict[str, Any]] = ()) -> Command:
    """Return what sending `text` does to `chat`; `media` goes with a message.

    Raises SlashError with a sentence for the person.
    """
    if not is_slash(text):
        record = edits.new_user_message(text, persona.name, force_avatar=persona.force_avatar() or None)
        if media:
            record = edits.set_fields(record, {}, {"media": list(media), "inline_image": True})
        return AppendMessage(record)
    command = parse_slash(text)
    if command.name in ("hide", "unhide"):
        return SetHidden(_keys(command, chat), command.name == "hide")
    return AppendMessage(_record(command))


def _keys(command: SlashCommand, chat: Chat) -> list[int]:
    last = len(chat) - 1
    first_wanted, last_wanted = command.messages or (last, last)
    if last < 0 or first_wanted > last:
        translate = QCoreApplication.translate
        raise SlashError(translate("Slash", "There is no message {number} in this chat.").format(number=first_wanted))
    return [message.key for message in chat.messages[first_wanted : last_wanted + 1]]


def _record(command: SlashCommand) -> dict[str, Any]:
    if command.name == "sendas":
        return edits.new_message("assistant", command.text, command.speaker)
    if command.name == "sys":
        record = edits.new_message("assistant", command.text, NARRATOR)
        return edits.set_fields(record, {}, {"type": "narrator", "isSmallSys": False})
    record = edits.new_message("system", command.text, COMMENT)
    return edits.set_fields(record, {}, {"type": "comment", "isSmallSys": False})
