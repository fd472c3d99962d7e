"""When alternatives that nobody looks at stay on disk: only if the person wants it, and only in long chats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tavern_desktop.chat.message import Message
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.storage.reader import MessagesOf

LONG = 8 * 1024 * 1024
"""Bytes of a file from which on a chat is long: the memory of a shorter one is not worth the disk."""


class ColdSwipes:
    """Decides at each load what of the messages is kept in memory. Asked on any thread."""

    def __init__(self, folder: Path, is_wanted: Callable[[], bool]) -> None:
        """`folder`: in our own folder, for files that live no longer than the process; made when needed."""
        self._folder = folder
        self._is_wanted = is_wanted

    def messages_of(self, path: Path) -> MessagesOf:
        """Return what makes messages of the records of this file."""
        if self._is_wanted() and _size(path) >= LONG:
            return ColdSource(self._folder).read
        return Message.read


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # reading it will say what is wrong
        return 0
