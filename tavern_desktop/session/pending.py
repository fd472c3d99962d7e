"""Versions that could not be put in the place of their files, because another program kept these open (decision D14).

They are whole chat files in our own folder, durable at once, each with a note of the chat that it is of. Once the chat
can be saved, soon or at a later start, they go. The journal has the same changes: they are there for when it has not.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec

from tavern_desktop.chat.merge import merge_copies
from tavern_desktop.session.journal_place import JournalPlace
from tavern_desktop.session.loading import Loaded
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.names import SUFFIX, free_name
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import publish, write_small_file
from tavern_desktop.storage.reader import load
from tavern_desktop.storage.signature import Signature

PENDING = "pending"
NOTE = ".note"
UNREAD = " unreadable"


class Note(msgspec.Struct, frozen=True):
    """What a version that waits is of: the path of its chat, and what that file was when it was made."""

    chat: str
    size: int
    mtime_ns: int
    file_id: tuple[int, int]

    @classmethod
    def of(cls, chat: Path, signature: Signature | None) -> Note:
        known = signature or Signature(0, 0, (0, 0))
        return cls(str(chat), known.size, known.mtime_ns, known.file_id)


class PendingVersions:
    """The versions of the chats of one data root that wait. Used off the owner."""

    def __init__(self, place: JournalPlace) -> None:
        self._folder = place.own_folder / PENDING
        self._place = place

    def file(self, chat: Path) -> Path:
        """Return where a version of the chat waits, if one does."""
        return self._folder / f"{self._place.key(chat)}{SUFFIX}"

    def keep(self, chat: Path, version: Version, expected: Signature | None) -> None:
        """Keep a version, which was to replace the file of the signature `expected`. Raises StorageError, OSError."""
        make_folder(self._folder)
        file = self.file(chat)
        pieces = commit_pieces(version.header, version.messages)
        identity = version.header.integrity()
        publish(file, pieces, expected=Signature.of_path(file), integrity=identity, force=True)
        write_small_file(file.with_suffix(NOTE), msgspec.json.encode(Note.of(chat, expected)))

    def forget(self, chat: Path) -> None:
        """Remove the version that waits, if one does."""
        file = self.file(chat)
        for path in (file.with_suffix(NOTE), file):
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # others wait, or there is none
            self._folder.rmdir()

    def set_aside(self, chat: Path) -> Path:
        """Give a version that cannot be read another name, so that no later one ends it. Raises StorageError."""
        file = self.file(chat)
        aside = file.with_name(free_name(f"{file.stem}{UNREAD}", lambda name: file.with_name(name).exists()))
        try:
            file.rename(aside)
            file.with_suffix(NOTE).unlink(missing_ok=True)
        except OSError as error:
            raise from_os(error, "replace", file) from error
        return aside

    def chats(self) -> list[Path]:
        """Return the chats of which versions wait."""
        with contextlib.suppress(OSError):
            notes = (_read(note) for note in sorted(self._folder.glob(f"*{NOTE}")))
            return [Path(note.chat) for note in notes if note is not None]
        return []

    def version(self, chat: Path, loaded: Loaded) -> Version | None:
        """Return what the chat should be, given its file, None where nothing waits.

        If another program wrote the file meanwhile, or if that is not known because the note cannot be read, it has all
        messages of both. Raises StorageError where one waits that cannot be read.
        """
        note = _read(self.file(chat).with_suffix(NOTE))
        try:
            waiting = load(self.file(chat), kind="character")
        except StorageError as error:
            if error.kind == "not_found":
                return None
            raise
        header = waiting.header or loaded.header
        if note == Note.of(chat, loaded.signature):
            return Version(header, waiting.messages)
        theirs = [message.raw for message in loaded.messages]
        return Version(loaded.header, list(merge_copies(waiting.messages, theirs).messages))


def _read(note: Path) -> Note | None:
    with contextlib.suppress(OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return msgspec.json.decode(note.read_bytes(), type=Note)
    return None
