"""Chats as the YAML documents that this program exports: every record comes back to the letter (cards contract §9)."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.cards.store_reading import DocumentError, is_document, read_document
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.reader import opened

_START = 4096
"""Bytes at the beginning among which a document says that it is one."""


def fits(path: Path) -> bool:
    """Say whether a file is such a document. Raises StorageError."""
    with opened(path) as (file, _signature):
        try:
            return is_document(file.read(_START))
        except OSError as error:
            raise from_os(error, "read", path) from None


def read(path: Path) -> tuple[Header | None, list[Message]]:
    """Return the chat that a document holds. Raises StorageError validation/argument with the entry at fault."""
    with opened(path) as (file, _signature):
        try:
            document = read_document(file)
        except DocumentError as error:
            raise StorageError("validation", "argument", error.sentence, index=error.index) from None
        except OSError as error:
            raise from_os(error, "read", path) from None
    header = Header(document.header) if document.header is not None else None
    return header, Message.read(document.records)
