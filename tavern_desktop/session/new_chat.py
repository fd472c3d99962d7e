"""A new chat with a character: its file is there, with the greeting, before anything is shown."""

from __future__ import annotations

import logging
import random
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from tavern_desktop.chat import edits, swipes
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.library.card_file import CardError
from tavern_desktop.library.characters import SUFFIX, Greeting, greeting
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import Group
from tavern_desktop.library.personas import persona_for
from tavern_desktop.library.records import add_to_group, make_current
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish

_log = logging.getLogger(__name__)


def create_chat(root: DataRoot, stem: str) -> Path:
    """Write a new chat with the character `stem` and return its file. Runs off the owner.

    The file comes first; only then the card names it as the current one (known failure B-03). The alternate
    greetings are the greeting's swipes. Raises CardError, OSError, StorageError.
    """
    opening = greeting(root.characters / f"{stem}{SUFFIX}")
    folder = root.chat_folder(stem)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = f"{opening.name} - {datetime.now():%Y-%m-%d@%Hh%Mm%Ss}"
    path = folder / names.free_name(wanted, lambda name: (folder / name).exists())
    header = Header.new()
    publish(path, commit_pieces(header, greeting_messages(opening)), expected=None, integrity=header.integrity())
    _name_as_current(path)
    return path


def create_group_chat(root: DataRoot, group: Group) -> Path:
    """Write a new chat with a group and return its file. Runs off the owner.

    One greeting of each member, chosen at random (chat files §9.4); a member without a card that can be read says
    nothing. Raises OSError, StorageError.
    """
    root.group_chats.mkdir(parents=True, exist_ok=True)
    wanted = f"{datetime.now():%Y-%m-%d@%Hh%Mm%Ss}"
    path = root.group_chats / names.free_name(wanted, lambda name: (root.group_chats / name).exists())
    header = Header.new()
    user = persona_for(root, header.metadata()).name
    messages = [message for member in group.members for message in _member_greeting(root, member, user)]
    publish(path, commit_pieces(header, messages), expected=None, integrity=header.integrity())
    add_to_group(root, group.id, path)
    _name_as_current(path)
    return path


def _member_greeting(root: DataRoot, member: str, user: str) -> list[Message]:
    try:
        opening = greeting(root.characters / member)
    except (CardError, OSError):
        return []
    if not opening.texts:
        return []
    avatar = {"original_avatar": member, "force_avatar": f"/thumbnail?type=avatar&file={quote(member, safe='')}"}
    # The first greeting of a chat keeps its macros in the file, those of a group do not (chat files §9.4).
    text = Macros(user, opening.name).fill(random.choice(opening.texts))
    record = edits.new_message("assistant", text, opening.name)
    return [edits.created(record | avatar)]


def _name_as_current(chat: Path) -> None:
    """Tell the card or the group; where that cannot be done the chat is there all the same (known failure B-03)."""
    try:
        make_current(chat)
    except (OSError, StorageError) as error:
        _log.warning("the current chat could not be recorded: %s", type(error).__name__)


def greeting_messages(opening: Greeting) -> list[Message]:
    """Return the greeting as the one message of a new chat, none for a character without (chat files §9.4)."""
    if not opening.texts:
        return []
    date = edits.now()
    record = edits.new_message("assistant", opening.texts[0], opening.name, send_date=date)
    for text in opening.texts[1:]:
        record = swipes.add(record, text, send_date=date, show=False, pristine=True)
    return [edits.created(record)]
