"""Reading whole chats: through one handle, bounded by the size it had when opened, all or nothing (contract §3).

Made to run off the GUI thread: nothing here takes longer than a block between two bytecodes, so the thread
that shows the window gets its turn every millisecond.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.format import BLANK, ChatKind
from tavern_desktop.storage.handles import open_shared
from tavern_desktop.storage.signature import Signature

BLOCK_SIZE = 512 * 1024
SIZE_LIMIT = 1 << 30
RECORD_LIMIT = 256 * 1024 * 1024
_MANY = 10_000
"""Messages from which on it pays to keep a chat out of the garbage collector's sight."""

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]
MessagesOf = Callable[[Sequence[bytes]], list[Message]]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LoadedChat:
    """A chat as it stands on disk. `header` is None for an empty file and for a group chat of old (G1)."""

    header: Header | None
    messages: list[Message]
    signature: Signature | None
    warnings: tuple[str, ...] = ()


def load(
    path: Path,
    *,
    kind: ChatKind = "character",
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    block_size: int = BLOCK_SIZE,
    size_limit: int = SIZE_LIMIT,
    allow_not_found: bool = False,
    messages_of: MessagesOf = Message.read,
) -> LoadedChat:
    """Read and check the whole chat. `progress` is told (bytes read, bytes in all) after each block.

    `messages_of` makes messages of checked records, some at a time: it decides what of them stays in memory.

    Raises StorageError: not_found, bad_header, bad_record, bad_encoding, truncated, cancelled, io. Only who
    creates a chat passes `allow_not_found`, and then a missing file is an empty chat.
    """
    try:
        with gcpause.paused(), opened(path, size_limit) as (file, signature):
            collector = _Collector(kind, messages_of)
            for block in blocks(file, signature.size, block_size, path, cancelled):
                collector.add(block)
                if progress is not None:
                    progress(collector.bytes_seen, signature.size)
            collector.finish()
            if len(collector.messages) >= _MANY:
                gcpause.freeze_at_end()
    except StorageError as error:
        if allow_not_found and error.kind == "not_found":
            return LoadedChat(None, [], None)
        error.chat_ref = str(path)
        raise
    return LoadedChat(collector.header, collector.messages, signature, collector.warnings)


@contextmanager
def opened(path: Path, size_limit: int = SIZE_LIMIT) -> Iterator[tuple[BinaryIO, Signature]]:
    """Open a chat file for reading; close it in any case. Raises StorageError for a file that cannot be opened."""
    try:
        file = open_shared(path)
    except FileNotFoundError:
        raise StorageError("not_found", "chat", chat_ref=str(path)) from None
    except ValueError:  # a name that is none, with a NUL in it
        raise StorageError("validation", "name", chat_ref=str(path)) from None
    except OSError as error:
        raise from_os(error, "open", path) from None
    try:
        try:
            signature = Signature.of_handle(file.fileno())
        except OSError as error:
            raise from_os(error, "open", path) from None
        if signature.size > size_limit:
            size = f"{signature.size:,} bytes, and the limit is {size_limit:,}"
            raise StorageError("io", "too_large", chat_ref=str(path), message=size)
        yield file, signature
    finally:
        try:
            file.close()
        except OSError as error:
            _log.warning("closing a chat file failed: %s", error.strerror)


def blocks(
    file: BinaryIO, size: int, block_size: int, path: Path, cancelled: Cancelled | None = None
) -> Iterator[bytes]:
    """Yield exactly the next `size` bytes of an open file (L1). Raises truncated, cancelled, io/read."""
    left = size
    while left:
        if cancelled is not None and cancelled():
            raise StorageError("cancelled", "user")
        try:
            block = file.read(min(block_size, left))
        except OSError as error:
            raise from_os(error, "read", path) from None
        if not block:
            raise StorageError("truncated", "early_eof", offset=size - left)
        left -= len(block)
        yield block


class _Collector:
    """Turns blocks into checked records: lines are joined across blocks, everything else is done in bulk."""

    def __init__(self, kind: ChatKind, messages_of: MessagesOf) -> None:
        self.bytes_seen = 0
        self.header: Header | None = None
        self.messages: list[Message] = []
        self.warnings: tuple[str, ...] = ()
        self._kind = kind
        self._messages_of = messages_of
        self._rest: list[bytes] = []
        self._rest_size = 0
        self._line = 0
        self._offset = 0
        self._bom_seen = False
        self._started = False

    def add(self, block: bytes) -> None:
        """Take the next block of the file."""
        self.bytes_seen += len(block)
        lines = block.split(b"\n")
        self._rest.append(lines[0])
        self._rest_size += len(lines[0])
        if self._rest_size > RECORD_LIMIT:
            raise StorageError("io", "too_large", line=self._line + 1, message="one message is over 256 MiB")
        if len(lines) == 1:
            return
        lines[0] = b"".join(self._rest)
        last = lines.pop()
        self._rest, self._rest_size = [last], len(last)
        self._take(lines)

    def finish(self) -> None:
        """Take the last line, which may lack its LF."""
        self._take([b"".join(self._rest)])

    def _take(self, lines: list[bytes]) -> None:
        done = 0
        while not self._started and done < len(lines):
            self._take_before_start(lines[done])
            done += 1
        body = lines[done:] if done else lines
        records = [raw for line in body if (raw := line.strip(BLANK))]
        if not jsontext.are_sound(records):
            self._check_one_by_one(body)
        self.messages += self._messages_of(records)
        self._line += len(body)
        self._offset += sum(map(len, body)) + len(body)

    def _take_before_start(self, line: bytes) -> None:
        raw, self._bom_seen = chat_format.strip_lead(line, bom_seen=self._bom_seen)
        if raw:
            self._started = True
            place = {"record": 0, "line": self._line + 1, "offset": self._offset + line.index(raw)}
            first = chat_format.decode_record(raw, **place, is_first=True)
            if chat_format.is_header_first(self._kind, first):
                chat_format.validate_header(first, **place)
                self.header = Header(raw)
                self.warnings = chat_format.header_warnings(first)
            else:
                self.messages += self._messages_of([raw])
        self._line += 1
        self._offset += len(line) + 1

    def _check_one_by_one(self, lines: list[bytes]) -> None:
        """Check lines of which one is damaged, or in need of the exact way."""
        offset = self._offset
        record = len(self.messages) + (self.header is not None)
        for number, line in enumerate(lines, self._line + 1):
            raw = line.strip(BLANK)
            if raw:
                chat_format.check_record(raw, record=record, line=number, offset=offset + line.index(raw))
                record += 1
            offset += len(line) + 1
