"""A state that the file and the memory of a chat have in common, and how one is written."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.loading import ChatKind
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.metadata import save_metadata
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.signature import Signature


@dataclass(frozen=True, slots=True)
class Version:
    """A chat as last read or published, or as it is to be published."""

    header: Header
    messages: list[Message]

    @classmethod
    def of(cls, chat: Chat) -> Version:
        """Return a chat as it is now."""
        return cls(chat.header, list(chat.messages))

    def equals(self, chat: Chat | Version) -> bool:
        """Compare by value. Messages nobody changed are the same objects, so 100,000 cost about a millisecond."""
        return chat.header == self.header and chat.messages == self.messages


def write_new(path: Path, version: Version) -> Signature:
    """Write a chat where no file is yet. Raises ChangedOnDisk, StorageError."""
    pieces = chat_format.commit_pieces(version.header, version.messages)
    return publish(path, pieces, expected=None, integrity=version.header.integrity())


def write_over(path: Path, kind: ChatKind, version: Version, saved: Version, expected: Signature | None) -> Signature:
    """Replace `saved`, which the file is known to hold. Raises ChangedOnDisk, StorageError.

    Where only the metadata differs the body is not written anew: its bytes are copied (contract §7).
    """
    if expected is not None and version.messages == saved.messages:
        try:
            return save_metadata(path, version.header.metadata(), kind=kind, expected=expected)
        except StorageError as error:
            if error.kind != "not_found":
                raise
            raise ChangedOnDisk(path, None) from None
    pieces = chat_format.commit_pieces(version.header, version.messages)
    return publish(path, pieces, expected=expected, integrity=version.header.integrity())
