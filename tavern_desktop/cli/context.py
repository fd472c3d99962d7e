"""What every command works with: the options, the data root, our own folders, and the chat a FILE means."""

from __future__ import annotations

import argparse
from functools import cached_property
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import list_groups
from tavern_desktop.session.preferences import Preferences
from tavern_desktop.session.startup import choose_root
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.index import Index
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.own_folders import OwnFolders, own_folders


class Context:
    """Found out when asked for: a command on a file needs no data root."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.json: bool = args.json
        self.folders: OwnFolders = own_folders(portable=args.portable)

    @cached_property
    def preferences(self) -> Preferences:
        return Preferences(self.folders)

    @cached_property
    def root(self) -> DataRoot:
        """The data root to work on. Raises StorageError not_found/directory."""
        return choose_root(self.folders, self.preferences, self.args.data_root, self.args.user)

    def index(self) -> Index:
        """Return the index of the data root."""
        return Index(self.folders.for_root(self.root.path).cache, self.root.path)

    def chat_file(self, word: str) -> Path:
        """Return the file that FILE means: a path, else CHARACTER/CHAT or GROUP/CHAT in the data root.

        Raises StorageError not_found/chat, with a message that says where it was looked for.
        """
        path = Path(word)
        if path.exists():
            return path.absolute()
        owner, slash, title = word.replace("\\", "/").rpartition("/")
        if not slash or path.is_absolute() or word.startswith((".", "~")) or "/" in owner:
            raise _no_chat(f"There is no file {word}.")
        name = title if title.endswith(SUFFIX) else title + SUFFIX
        candidate = self.root.chat_folder(owner) / name
        if candidate.exists():
            return candidate
        if self._is_group(owner) and (self.root.group_chats / name).exists():
            return self.root.group_chats / name
        raise _no_chat(f"There is neither a file {word} nor a chat {candidate}.")

    def _is_group(self, owner: str) -> bool:
        return any(owner in (group.id, group.name) for group in list_groups(self.root))


def _no_chat(message: str) -> StorageError:
    return StorageError("not_found", "chat", message=message)
