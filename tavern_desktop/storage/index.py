"""What lists show of every chat and card, kept between starts: a cache that can be deleted without loss.

One file per data root in our cache folder (storage contract §10.5). An entry counts only while the file it
describes still has the size, time and id it had. Anything wrong with the index itself means: make it anew.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from tavern_desktop.storage.directory import ChatFile
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import make_folder

VERSION = 2
FILE_NAME = "index.msgpack"

Stamp = tuple[int, int, int]
"""Size, modification time in ns and file id of the file an entry was made from."""


class ChatEntry(msgspec.Struct, frozen=True, array_like=True):
    """The summary of a chat (storage contract §10.2) without its metadata; `date_ms` is since 1970."""

    stamp: Stamp
    character_name: str
    message_count: int
    preview: str
    preview_state: str
    date_ms: int
    parent: str = ""


class CardEntry(msgspec.Struct, frozen=True, array_like=True):
    """What lists need of a character card. `problem` is a sentence where the card cannot be read, else ""."""

    stamp: Stamp
    name: str
    chat: str
    favourite: bool
    problem: str


class _Content(msgspec.Struct):
    version: int
    clock: tuple[str, ...]
    """The time zone dates without offset were read in."""
    chats: dict[str, ChatEntry]
    cards: dict[str, CardEntry]


class Index:
    """The index of one data root. Every method may be called from any thread."""

    def __init__(self, folder: Path, root: Path) -> None:
        """Read the index kept in our cache folder `folder` for the data root `root`."""
        self.file = folder / FILE_NAME
        self.warnings: list[str] = []
        self._prefix = f"{root}/"
        self._lock = threading.Lock()
        self._changed = False
        self._content = self._read()

    def chat(self, chat: ChatFile) -> ChatEntry | None:
        """Return the entry of a chat file if it is still true."""
        entry = self._content.chats.get(self._key(chat.file))
        return entry if entry is not None and entry.stamp == stamp_of(chat) else None

    def put_chat(self, file: str, entry: ChatEntry) -> None:
        """Remember a chat's summary."""
        self._content.chats[self._key(file)] = entry
        self._changed = True

    def card(self, file: str, stamp: Stamp) -> CardEntry | None:
        """Return the entry of a card file if it is still true."""
        entry = self._content.cards.get(self._key(file))
        return entry if entry is not None and entry.stamp == stamp else None

    def put_card(self, file: str, entry: CardEntry) -> None:
        """Remember what a card says."""
        self._content.cards[self._key(file)] = entry
        self._changed = True

    def keep_chats(self, folder: Path, files: Iterable[str]) -> None:
        """Forget the chats below `folder` that are not among `files`: they are gone."""
        below = self._key(f"{folder}/")
        there = {self._key(file) for file in files}
        for key in list(self._content.chats):
            if key.startswith(below) and key not in there:
                del self._content.chats[key]
                self._changed = True

    def counts(self) -> tuple[int, int]:
        """Return how many chats and how many cards are in the index."""
        return len(self._content.chats), len(self._content.cards)

    def save(self) -> None:
        """Write the index if it changed; failing is a warning, the lists work without it."""
        with self._lock:
            if not self._changed:
                return
            self._changed = False
            content = self._content
            # Copies, because other threads may go on adding while this is encoded.
            copy = _Content(content.version, content.clock, dict(content.chats), dict(content.cards))
            try:
                from tavern_desktop.storage.publish import write_small_file  # a start reads, and needs none of it

                make_folder(self.file.parent)
                write_small_file(self.file, _encoded(copy))
            except StorageError as error:
                self.warnings.append(f"The index could not be written: {error.message}.")

    def _key(self, file: str) -> str:
        return file.removeprefix(self._prefix)

    def _read(self) -> _Content:
        fresh = _Content(VERSION, time.tzname, {}, {})
        try:
            content = msgspec.msgpack.decode(self.file.read_bytes(), type=_Content)
        except FileNotFoundError:
            return fresh
        except OSError as error:
            self.warnings.append(f"The index could not be read: {error.strerror or error}.")
            return fresh
        except (msgspec.MsgspecError, ValueError):
            content = fresh
            self._remove()
        if (content.version, content.clock) != (fresh.version, fresh.clock):
            self._remove()
            return fresh
        return content

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            self.file.unlink()


def stamp_of(chat: ChatFile) -> Stamp:
    """Return what an entry made from this file counts for."""
    return (chat.size, chat.mtime_ns, chat.file_id)


def _encoded(content: _Content) -> bytes:
    """Return the index as bytes, without the few entries that cannot be written: they are made anew each time."""
    try:
        return msgspec.msgpack.encode(content)
    except UnicodeEncodeError:  # a last word cut inside an emoji, or a file name that is no text
        content.chats = {key: entry for key, entry in content.chats.items() if _can_be_written(key, entry)}
        content.cards = {key: entry for key, entry in content.cards.items() if _can_be_written(key, entry)}
        return msgspec.msgpack.encode(content)


def _can_be_written(key: str, entry: ChatEntry | CardEntry) -> bool:
    try:
        msgspec.msgpack.encode((key, entry))
    except UnicodeEncodeError:
        return False
    return True
