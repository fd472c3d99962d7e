"""The first line of a chat file: whose chat it is, and its metadata."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat import jsontext

NOT_SAVED = "lastInContextMessageId"
"""A metadata key that is somebody's cache, left out of what is written (storage contract 6.1)."""


@dataclass(frozen=True, slots=True)
class Header:
    """A header as JSON text. Whether it is acceptable is storage's business; this only reads it."""

    raw: bytes

    @classmethod
    def new(cls, metadata: dict[str, Any] | None = None) -> Header:
        """Return a header for a new chat, with an integrity of its own."""
        metadata = {"integrity": str(uuid.uuid4())} | (metadata or {})
        return cls.of({"chat_metadata": metadata, "user_name": "unused", "character_name": "unused"})

    @classmethod
    def of(cls, data: dict[str, Any]) -> Header:
        return cls(jsontext.encode(data))

    def data(self) -> dict[str, Any]:
        """Return the header object, decoded afresh."""
        return jsontext.decode(self.raw)

    def metadata(self) -> dict[str, Any]:
        """Return `chat_metadata`, `{}` where it is absent or null."""
        return self.data().get("chat_metadata") or {}

    def integrity(self) -> str | None:
        """Return the identity of the chat, None where it has none."""
        value = self.metadata().get("integrity")
        return value if isinstance(value, str) else None

    def with_metadata(self, metadata: dict[str, Any]) -> Header:
        """Return this header with another `chat_metadata`, every other field kept."""
        data = self.data()
        if jsontext.same(data.get("chat_metadata"), metadata):
            return self
        return Header.of(data | {"chat_metadata": metadata})

    def with_integrity(self) -> Header:
        """Return this header with an integrity value, a new one if it had none (H4)."""
        if self.integrity() is not None:
            return self
        return self.with_metadata(self.metadata() | {"integrity": str(uuid.uuid4())})

    def to_write(self) -> bytes:
        """Return the line that goes to disk: without what is not saved, else as it is."""
        metadata = self.metadata()
        if NOT_SAVED not in metadata:
            return self.raw
        del metadata[NOT_SAVED]
        return self.with_metadata(metadata).raw
