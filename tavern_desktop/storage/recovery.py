"""What can still be read of a damaged chat, and everything that is wrong with it (decision D8).

For looking only: nothing of this ever becomes a chat that could be saved over the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.header import Header
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import ChatKind
from tavern_desktop.storage.reader import BLOCK_SIZE, SIZE_LIMIT, Cancelled, blocks, opened

Damage = Literal["utf16", "nul", "nul_tail", "glued"]
"""What happened to a line, where it can be told: saved as UTF-16, NUL bytes instead of the text or around it
after a power cut, or several records without a newline between them (B-08)."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"{\0", b"\0{")
"""How a JSON text in UTF-16 begins, with a mark or without."""


@dataclass(frozen=True, slots=True)
class RecoveredRow:
    """A line of the file: a readable message, or, with `error`, one that is damaged."""

    line: int
    raw: bytes
    error: StorageError | None = None


@dataclass(frozen=True, slots=True)
class RecoveryView:
    """Everything readable, in the order of the file. `header` is None where the first line is no header.

    `damage` is what happened to the first line that is not sound, None where that cannot be told.
    """

    header: Header | None
    rows: tuple[RecoveredRow, ...]
    damage: Damage | None = None

    @property
    def readable(self) -> int:
        """How many messages can be read."""
        return sum(row.error is None for row in self.rows)

    @property
    def damaged(self) -> int:
        """How many lines cannot be read."""
        return len(self.rows) - self.readable


@dataclass(frozen=True, slots=True)
class CheckResult:
    """All problems of a file, what happened at each, and how many of its messages are sound.

    A file in UTF-16 is one problem.
    """

    problems: tuple[StorageError, ...]
    messages: int
    warnings: tuple[str, ...] = ()
    damages: tuple[Damage | None, ...] = ()


def recovery(path: Path, *, kind: ChatKind = "character", cancelled: Cancelled | None = None) -> RecoveryView:
    """Read what can be read; messages glued on one line become several (B-08). Raises where nothing can be opened."""
    header: Header | None = None
    rows: list[RecoveredRow] = []
    unsound: bytes | None = None
    for line, raw, error, is_header in _survey(path, kind, cancelled):
        if error is not None and unsound is None:
            unsound = raw
        parts = [raw] if error is None else _glued(raw)
        if is_header and parts and _is_header(parts[0], kind):
            header = Header(parts.pop(0))
        elif not parts:
            rows.append(RecoveredRow(line, raw, error))
        rows += [RecoveredRow(line, part) for part in parts]
    return RecoveryView(header, tuple(rows), None if unsound is None else damage_of(unsound))


def check(path: Path, *, kind: ChatKind = "character") -> CheckResult:
    """Return every problem of a file, not only the first. Raises StorageError if the file cannot be opened."""
    problems: list[StorageError] = []
    warnings: tuple[str, ...] = ()
    damages: list[Damage | None] = []
    messages = 0
    for _, raw, error, is_header in _survey(path, kind, None):
        if error is not None:
            error.chat_ref = str(path)
            problems.append(error)
            damages.append(damage_of(raw))
            if is_header and damages[-1] == "utf16":
                break
        elif is_header:
            warnings = chat_format.header_warnings(jsontext.decode(raw))
        else:
            messages += 1
    return CheckResult(tuple(problems), messages, warnings, tuple(damages))


def damage_of(raw: bytes) -> Damage | None:
    """Return what happened to a line that cannot be read, None where that cannot be told."""
    if raw.startswith(_UTF16):
        return "utf16"
    bare = raw.strip(b"\0")
    if len(bare) < len(raw):
        return "nul_tail" if bare else "nul"
    return "glued" if len(_glued(raw)) > 1 else None


def _survey(
    path: Path, kind: ChatKind, cancelled: Cancelled | None
) -> Iterator[tuple[int, bytes, StorageError | None, bool]]:
    """Yield (line, raw, error, is the header) for each record."""
    with opened(path, SIZE_LIMIT) as (file, signature):
        stream = chat_format.records(blocks(file, signature.size, BLOCK_SIZE, path, cancelled))
        for record, (line, offset, raw) in enumerate(stream):
            place = {"record": record, "line": line, "offset": offset}
            is_header = record == 0
            error = None
            try:
                data = chat_format.decode_record(raw, **place, is_first=is_header)
                if is_header and (is_header := chat_format.is_header_first(kind, data)):
                    chat_format.validate_header(data, **place)
            except StorageError as found:
                error = found
            yield line, raw, error, is_header


def _is_header(raw: bytes, kind: ChatKind) -> bool:
    """Tell whether the first of the objects on the first line can be the header."""
    data = jsontext.decode(raw)
    try:
        chat_format.validate_header(data)
    except StorageError:
        return False
    return chat_format.is_header_first(kind, data)


def _glued(raw: bytes) -> list[bytes]:
    """Return the objects that stand one behind the other on a line, [] if that is not what the line is.

    NUL bytes around them are what a power cut leaves of a file that was made longer: they hold no text.
    """
    try:
        text = raw.strip(b"\0").decode("utf-8")
    except UnicodeDecodeError:
        return []
    decoder = json.JSONDecoder()
    parts: list[bytes] = []
    at = 0
    try:
        while at < len(text):
            _, end = decoder.raw_decode(text, at)
            parts.append(text[at:end].encode("utf-8"))
            jsontext.check(parts[-1])  # stricter than the decoder, and for objects only
            at = end
            while at < len(text) and text[at] in " \t\r":
                at += 1
    except (ValueError, RecursionError):
        return []
    return parts
