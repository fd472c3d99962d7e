"""A new chat with a character: its file is there, with the greeting, before anything is shown."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from tavern_desktop.chat import edits, swipes
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.library.characters import SUFFIX, Greeting, greeting
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage import names
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish


def create_chat(root: DataRoot, stem: str) -> Path:
    """Write a new chat with the character `stem` and return its file. Runs off the owner.

    The alternate greetings are the greeting's swipes. Raises CardError, OSError, StorageError.
    """
    opening = greeting(root.characters / f"{stem}{SUFFIX}")
    folder = root.chat_folder(stem)
    folder.mkdir(parents=True, exist_ok=True)
    wanted = f"{opening.name} - {datetime.now():%Y-%m-%d@%Hh%Mm%Ss}"
    path = folder / names.free_name(wanted, lambda name: (folder / name).exists())
    header = Header.new()
    publish(path, commit_pieces(header, greeting_messages(opening)), expected=None, integrity=header.integrity())
    return path


def greeting_messages(opening: Greeting) -> list[Message]:
    """Return the greeting as the one message of a new chat, none for a character without (chat files §9.4)."""
    if not opening.texts:
        return []
    date = edits.now()
    record = edits.new_message("assistant", opening.texts[0], opening.name, send_date=date)
    for text in opening.texts[1:]:
        record = swipes.add(record, text, send_date=date, show=False, pristine=True)
    return [edits.created(record)]
