"""Reading a part of a chat, mostly from its end, for previews and scripts (storage contract §14.1).

Only the records that are returned are interpreted, so the work is that of the page, whatever the size of the
file; just `total_count`, and with it `start_index`, take a scan of the lines. Nothing here feeds an open chat.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.format import BLANK, ChatKind
from tavern_desktop.storage.reader import BLOCK_SIZE, RECORD_LIMIT, blocks, opened
from tavern_desktop.storage.signature import Signature

_FIRST_BLOCK = 64 * 1024
_LARGEST_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in one state of a file: `offset` is where the line of the page's first record starts."""

    offset: int
    size: int
    modified_millis: int
    signature: Signature | None = None
    """The finer signature, None in a cursor that came from outside."""

    def fits(self, signature: Signature) -> bool:
        """Tell whether the file is still in the state the cursor was made for."""
        if self.signature is not None and self.signature != signature:
            return False
        return (self.size, self.modified_millis) == (signature.size, signature.modified_millis)


@dataclass(frozen=True, slots=True)
class Page:
    """Some records in a row, as JSON text; `start_index` and `total_count` are None where nobody counted."""

    records: tuple[bytes, ...]
    start_index: int | None
    total_count: int | None
    cursor: Cursor
    has_more_before: bool


def tail(path: Path, limit: int, *, kind: ChatKind = "character") -> Page:
    """Return the last `limit` messages. Raises validation/limit and what reading raises."""
    require_limit(limit)
    with _opened(path, kind) as body:
        return body.counted([body.page(body.size, limit)], body.size)[0]


def tail_preview(path: Path, limit: int, *, kind: ChatKind = "character") -> Page:
    """Return the last `limit` messages in a few milliseconds for any size (decision D19).

    The count and the start index are there only when the page holds the whole chat.
    """
    require_limit(limit)
    with _opened(path, kind) as body:
        page = body.page(body.size, limit)
        if page.has_more_before:
            return page
        return dataclasses.replace(page, start_index=0, total_count=len(page.records))


def before(path: Path, cursor: Cursor, limit: int, *, kind: ChatKind = "character") -> Page:
    """Return the `limit` messages that stand before the cursor. Raises stale_cursor: then start with `tail` again."""
    return before_pages(path, cursor, limit, 1, kind=kind)[0]


def before_pages(path: Path, cursor: Cursor, limit: int, pages: int, *, kind: ChatKind = "character") -> list[Page]:
    """Return up to `pages` pages, each before the one that precedes it here; at least one."""
    require_limit(limit)
    require_limit(pages)
    with _opened(path, kind, cursor) as body:
        found = [body.page(cursor.offset, limit)]
        while len(found) < pages and found[-1].has_more_before:
            found.append(body.page(found[-1].cursor.offset, limit))
        return body.counted(found, cursor.offset)


def span(path: Path, first: int, limit: int | None = None, *, kind: ChatKind = "character") -> Page:
    """Return the messages from index `first` on, at most `limit`: none where the chat is not that long.

    Its cursor leads to what stands before them. Raises validation/limit and what reading raises.
    """
    if limit is not None:
        require_limit(limit)
    with _opened(path, kind) as body:
        return body.span(first, limit)


def require_limit(value: object) -> None:
    """Raise validation/limit unless it is a whole number from 1 on."""
    if type(value) is not int or value < 1:
        raise StorageError("validation", "limit", "A whole number from 1 is needed.")


@contextmanager
def _opened(path: Path, kind: ChatKind, cursor: Cursor | None = None) -> Iterator[_Body]:
    """Open a chat at its messages, the cursor checked in the order that the contract gives."""
    try:
        with opened(path) as (file, signature):
            if cursor is not None:
                _require_fresh(cursor, signature)
            lead = chat_format.read_lead(blocks(file, signature.size, _FIRST_BLOCK, path), kind)
            body = _Body(file, path, signature, lead)
            if cursor is not None:
                body.require_border(cursor.offset)
            yield body
    except StorageError as error:
        error.chat_ref = str(path)
        raise


def _require_fresh(cursor: Cursor, signature: Signature) -> None:
    if not cursor.fits(signature):
        raise StorageError("stale_cursor", "signature")
    if cursor.offset > signature.size:
        raise StorageError("stale_cursor", "out_of_bounds", offset=cursor.offset)


class _Body:
    """The messages of an open chat file, as lines."""

    def __init__(self, file: BinaryIO, path: Path, signature: Signature, lead: chat_format.Lead) -> None:
        self.size = signature.size
        self._file = file
        self._path = path
        self._signature = signature
        self._lead = lead
        self._start = min(lead.body, self.size)
        # An old group chat begins with what may stand before any first record: that is no message.
        self._first_line = lead.line_start if lead.header is None else self._start

    def require_border(self, offset: int) -> None:
        """Raise stale_cursor unless a line starts at `offset`, or the file ends there."""
        if offset < self._start:
            raise StorageError("stale_cursor", "before_body", offset=offset)
        if 0 < offset < self.size and self._read(offset - 1, 1) != b"\n":
            raise StorageError("stale_cursor", "not_boundary", offset=offset)

    def page(self, end: int, limit: int) -> Page:
        """Return the last `limit` records before the offset `end`, not counted."""
        found: list[tuple[int, bytes]] = []
        has_more = False
        for start, line in self._lines_before(end):
            raw = self._record(start, line)
            if raw and len(found) == limit:
                has_more = True
                break
            if raw:
                found.append((start, raw))
        found.reverse()
        for start, raw in found:
            if start != self._lead.line_start:  # that one is checked already
                chat_format.check_record(raw, record=None, line=None, offset=start)
        offset = found[0][0] if found else self._start
        cursor = Cursor(offset, self.size, self._signature.modified_millis, self._signature)
        return Page(tuple(raw for _, raw in found), None, None, cursor, has_more)

    def span(self, first: int, limit: int | None) -> Page:
        """Return the records from number `first` on, at most `limit`, counted."""
        found: list[bytes] = []
        offset, total = self._first_line, 0
        last = sys.maxsize if limit is None else first + limit
        for start, raw in self._records():
            if first <= total < last:
                if start != self._lead.line_start:
                    chat_format.check_record(raw, record=None, line=None, offset=start)
                found.append(raw)
                offset = start if total == first else offset
            total += 1
        offset = offset if found else self.size
        cursor = Cursor(offset, self.size, self._signature.modified_millis, self._signature)
        return Page(tuple(found), min(first, total), total, cursor, min(first, total) > 0)

    def counted(self, pages: list[Page], end: int) -> list[Page]:
        """Return the same pages, which follow each other backwards from `end`, with their numbers."""
        start = self._count(self._first_line, pages[-1].cursor.offset)
        total = start + sum(len(page.records) for page in pages) + self._count(end, self.size)
        numbered = []
        for page in reversed(pages):
            numbered.append(dataclasses.replace(page, start_index=start, total_count=total))
            start += len(page.records)
        return numbered[::-1]

    def _records(self) -> Iterator[tuple[int, bytes]]:
        """Yield (offset of its line, record) of every message, forwards."""
        start = self._first_line
        if start >= self.size:
            return
        self._file.seek(start)
        for line in chat_format.lines(blocks(self._file, self.size - start, BLOCK_SIZE, self._path)):
            raw = self._record(start, line)
            if raw:
                yield start, raw
            start += len(line) + 1

    def _record(self, start: int, line: bytes) -> bytes:
        """Return the record in a line, empty if it is blank."""
        if start == self._lead.line_start and self._lead.first is not None:
            return self._lead.first
        return line.strip(BLANK)

    def _lines_before(self, end: int) -> Iterator[tuple[int, bytes]]:
        """Yield (offset, line) backwards from `end`, reading in growing blocks."""
        block_size = _FIRST_BLOCK
        rest: list[bytes] = []  # the pieces of a line that began further up, last piece first
        while end > self._first_line:
            start = max(self._first_line, end - block_size)
            head, *others = self._read(start, end - start).split(b"\n")
            for position in range(len(others) - 1, -1, -1):
                line = others[position]
                end -= len(line)
                yield end, line + b"".join(reversed(rest))
                rest.clear()
                end -= 1
            rest.append(head)
            if sum(map(len, rest)) > RECORD_LIMIT:
                raise StorageError("io", "too_large", "one message is over 256 MiB", offset=start)
            end = start
            block_size = min(block_size * 2, _LARGEST_BLOCK)
        if rest:
            yield end, b"".join(reversed(rest))

    def _count(self, start: int, end: int) -> int:
        """Return how many records stand between two line borders."""
        if start >= end:
            return 0
        self._file.seek(start)
        lines = chat_format.lines(blocks(self._file, end - start, BLOCK_SIZE, self._path))
        return sum(1 for line in lines if line.strip(BLANK))

    def _read(self, start: int, length: int) -> bytes:
        try:
            self._file.seek(start)
            data = self._file.read(length)
        except OSError as error:
            raise from_os(error, "read", self._path) from None
        if len(data) < length:
            raise StorageError("truncated", "early_eof", offset=start + len(data))
        return data
