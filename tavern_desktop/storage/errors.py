"""What can go wrong with chats on disk: one exception, a closed list of kinds (storage contract §1.1)."""

from __future__ import annotations

import errno as error_numbers
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

KINDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "validation": frozenset({"name", "limit", "argument", "payload_empty", "entry_not_object"}),
        "not_found": frozenset({"chat", "directory", "backup", "source"}),
        "already_exists": frozenset({"target"}),
        "bad_encoding": frozenset({"utf8"}),
        "bad_header": frozenset(
            {
                "json",
                "not_object",
                "bom",
                "metadata_type",
                "integrity_type",
                "integrity_empty",
                "no_records",
                "depth",
                "number_range",
            }
        ),
        "bad_record": frozenset({"json", "not_object", "bom", "depth", "number_range"}),
        "integrity": frozenset({"mismatch", "missing"}),
        "stale_cursor": frozenset({"signature", "out_of_bounds", "before_body", "not_boundary"}),
        "truncated": frozenset({"early_eof"}),
        "cold_swipe": frozenset({"shrunk", "source_gone", "record_range", "null_slot", "shape"}),
        "busy": frozenset({"generating", "active_run"}),
        "cancelled": frozenset({"user", "shutdown", "stale_selection"}),
        "io": frozenset(
            {"open", "read", "write", "sync", "replace", "replace_blocked", "delete", "list", "space", "too_large"}
        ),
        "tool_pairing": frozenset({"missing", "orphan", "duplicate", "bad_id", "bad_arguments"}),
        "card": frozenset(
            {
                "yaml",
                "tag",
                "alias",
                "multi_document",
                "duplicate_key",
                "bad_key",
                "not_mapping",
                "missing_type",
                "missing_id",
                "too_large",
                "too_deep",
                "too_many_nodes",
            }
        ),
    }
)
"""kind -> its details. Callers branch on these two, never on the text of a message."""


class StorageError(Exception):
    """A storage failure of one of KINDS.

    Facts, each None where it does not apply: `chat_ref` (usually the path), `record` (from 0, the header is 0),
    `line` (physical, from 1), `offset` (byte in the file as stored), `index` (entry of a commit, the header
    is 0; of tool calls and cold swipes the number of the message), `errno`, `side` ("existing" = the file on disk is
    at fault, not what is being saved). `message` says more in English, for the log and the details of a report; it
    never holds text of a chat.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        message: str = "",
        *,
        chat_ref: str | os.PathLike[str] | None = None,
        record: int | None = None,
        line: int | None = None,
        offset: int | None = None,
        index: int | None = None,
        errno: int | None = None,
        side: str | None = None,
    ) -> None:
        if detail not in KINDS.get(kind, ()):
            raise ValueError(f"{kind}/{detail} is not a storage error")
        super().__init__(kind, detail, message)
        self.kind = kind
        self.detail = detail
        self.message = message
        self.chat_ref = None if chat_ref is None else os.fspath(chat_ref)
        self.record = record
        self.line = line
        self.offset = offset
        self.index = index
        self.errno = errno
        self.side = side

    def __str__(self) -> str:
        return f"{self.kind}/{self.detail}: {self.message}" if self.message else f"{self.kind}/{self.detail}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (self.kind, self.detail, self.message, self.facts())

    def facts(self) -> dict[str, str | int]:
        """Return the facts that are known, by name: what `--json` and a report show."""
        known = {name: getattr(self, name) for name in _FACTS}
        return {name: value for name, value in known.items() if value is not None}

    def with_facts(self, **facts: Any) -> StorageError:
        """Return this error knowing more, as each layer learns it; what is known already stays."""
        return StorageError(self.kind, self.detail, self.message, **{**facts, **self.facts()})


_FACTS = ("chat_ref", "record", "line", "offset", "index", "errno", "side")


def _rebuilt(kind: str, detail: str, message: str, facts: Mapping[str, Any]) -> StorageError:
    return StorageError(kind, detail, message, **facts)


_NO_ROOM = frozenset({error_numbers.ENOSPC, error_numbers.EDQUOT, error_numbers.EFBIG})


def from_os(error: OSError, detail: str, path: str | os.PathLike[str]) -> StorageError:
    """Return `io/detail` for what the operating system said about `path`; `io/space` where a disk is full."""
    if detail in ("write", "sync", "replace") and error.errno in _NO_ROOM:
        detail = "space"
    return StorageError("io", detail, error.strerror or str(error), chat_ref=path, errno=error.errno)


class ChangedOnDisk(Exception):
    """The target of a save is not the file the save was made for: another program wrote or removed it.

    Nothing was written. `found` is what is there now, None for nothing. Not a StorageError: it is no
    failure but the start of a merge, or of a question to the person.
    """

    def __init__(self, path: str | os.PathLike[str], found: object) -> None:
        super().__init__(os.fspath(path))
        self.path = os.fspath(path)
        self.found = found


_SENTENCES: Mapping[str, str] = {
    "validation": "This cannot be done.",
    "validation/name": "This chat name cannot be used.",
    "validation/payload_empty": "There is nothing to save: a chat needs its header.",
    "validation/entry_not_object": "Something in the chat is not a message; nothing was saved.",
    "not_found": "This file no longer exists on disk.",
    "not_found/chat": "This chat no longer exists on disk.",
    "not_found/directory": "This folder no longer exists on disk.",
    "not_found/backup": "This backup no longer exists on disk.",
    "already_exists": "A chat with this name already exists.",
    "bad_encoding": "Chat file is damaged (not valid text){at_line}.",
    "bad_header": "Chat file is damaged: its first line cannot be read.",
    "bad_header/no_records": "The chat file is empty, so its settings cannot be saved alone.",
    "bad_record": "Chat file is damaged{at_line}.",
    "integrity": "The file on disk holds a different chat than the one being saved; nothing was overwritten.",
    "stale_cursor": "The chat file changed while it was being read.",
    "truncated": "The chat file changed while it was being read. Try again.",
    "cold_swipe": "Older swipes of {which} could not be read back; nothing was saved.",
    "busy": "Stop the reply first.",
    "cancelled": "Stopped.",
    "io/open": "Could not open the file: {message}.",
    "io/read": "Could not read the file: {message}.",
    "io/write": "Could not save: {message}. The file on disk is as it was.",
    "io/sync": "Could not save: {message}. The file on disk is as it was.",
    "io/replace": "Could not save: {message}. The file on disk is as it was.",
    "io/replace_blocked": "Could not save: another program keeps the file open. It is tried again.",
    "io/space": "Could not save: the disk is full. The file on disk is as it was.",
    "io/delete": "Could not delete the file: {message}.",
    "io/list": "Could not read the folder: {message}.",
    "io/too_large": "The file is too large: {message}.",
    "tool_pairing": "The tool calls of {which} and their results do not fit together.",
    "card": "The special message cannot be shown.",
}


_MESSAGE_IS_SENTENCE = frozenset({"validation/argument", "validation/limit", "not_found/chat", "not_found/directory"})
"""Where whoever raises knows best: a message given with these is shown as it is."""


def sentence(error: StorageError) -> str:
    """Return one sentence for people: what happened, and what it means for their data."""
    name = f"{error.kind}/{error.detail}"
    if error.message and name in _MESSAGE_IS_SENTENCE:
        return error.message if error.message.endswith((".", "?")) else f"{error.message}."
    template = _SENTENCES.get(name) or _SENTENCES[error.kind]
    if error.side == "existing" and error.kind in ("bad_header", "bad_encoding"):
        template = "The chat file on disk is damaged, so it was not overwritten."
    return template.format(
        message=error.message.rstrip(".") or "the reason is not known",
        at_line="" if error.line is None else f" at line {error.line}",
        which="a message" if error.index is None else f"message {error.index}",
    )
