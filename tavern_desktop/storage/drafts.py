"""What somebody has typed and not sent or saved, on disk: one small file for each chat, in a folder of our own.

A file is replaced whole, synced, and never joined with others: one that is damaged costs no other draft, and is set
aside under another name.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tavern_desktop.chat import jsontext
from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.own_folders import make_folder

SUFFIX = ".json"
DAMAGED_SUFFIX = ".damaged"


class MessageRef(msgspec.Struct, frozen=True):
    """Which message is meant, over restarts: its number, its stored id ("" for none), a digest of what it said."""

    index: int
    message_id: str = ""
    digest: str = ""


class Edit(msgspec.Struct, frozen=True):
    """What was typed into the editor of a message."""

    message: MessageRef
    text: str


class Draft(msgspec.Struct, frozen=True):
    """All that is typed and not sent or saved in one chat."""

    chat: str
    """The chat's name in our own files, which also names the draft."""
    composer: str = ""
    edits: tuple[Edit, ...] = ()
    at_ms: int = 0
    """When it was written, in milliseconds since 1970."""

    @property
    def is_empty(self) -> bool:
        return not self.composer and not self.edits


@dataclass(frozen=True, slots=True)
class DraftsRead:
    """What a folder of drafts holds."""

    drafts: list[Draft]
    damaged: list[Path]
    """Files that could not be read, where they are kept now."""


class DraftFolder:
    """The drafts of some chats. Used by one thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self) -> DraftsRead:
        """Return every draft that can be read."""
        found = DraftsRead([], [])
        try:
            files = sorted(file for file in self.folder.iterdir() if file.suffix == SUFFIX)
        except OSError:
            return found
        for file in files:
            with contextlib.suppress(OSError):
                try:
                    found.drafts.append(msgspec.convert(jsontext.decode(file.read_bytes()), Draft))
                except (jsontext.JsonTextError, msgspec.ValidationError):
                    found.damaged.append(file.rename(file.with_name(file.name + DAMAGED_SUFFIX)))
        return found

    def put(self, draft: Draft) -> None:
        """Write a draft, durable when this returns; an empty one is removed. Raises StorageError."""
        file = self.folder / (hashlib.sha256(draft.chat.encode("utf-8", "surrogatepass")).hexdigest()[:24] + SUFFIX)
        if draft.is_empty:
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise from_os(error, "delete", file) from None
            return
        from tavern_desktop.storage.publish import write_small_file  # every start reads drafts, and needs none of it

        make_folder(self.folder)
        stamped = msgspec.structs.replace(draft, at_ms=time.time_ns() // 1_000_000)
        write_small_file(file, jsontext.encode(msgspec.to_builtins(stamped)))
