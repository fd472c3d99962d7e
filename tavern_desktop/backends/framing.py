"""From the bytes of a reply to its records: server-sent events, or one JSON object a line.

Fed with pieces as they come from the socket, cut anywhere. Only bytes are looked at here: a character that is cut in
two is whole again in its line. Memory is bounded by the size of one record.
"""

from __future__ import annotations

from typing import NamedTuple

RECORD_LIMIT = 32 * 1024 * 1024
"""Bytes one record may have: pictures come inside them."""

_BOM = b"\xef\xbb\xbf"


class RecordTooLong(ValueError):
    """A record has no end within the limit."""


class Lines:
    """Cuts pieces into lines that end in CRLF, LF or CR."""

    def __init__(self, limit: int = RECORD_LIMIT) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._is_after_cr = False
        self._is_first = True

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the lines this piece completes, without their ends. Raises RecordTooLong."""
        if self._is_after_cr and piece:
            # The CR ended its line already, without waiting for what follows; a LF after it is its other half.
            piece = piece.removeprefix(b"\n")
            self._is_after_cr = False
        if len(self._rest) + len(piece) > self._limit:
            raise RecordTooLong
        if b"\n" not in piece and b"\r" not in piece:
            self._rest += piece
            return []
        lines = (bytes(self._rest) + piece).splitlines()
        self._rest.clear()
        if piece.endswith(b"\r"):
            self._is_after_cr = True
        elif not piece.endswith(b"\n"):
            self._rest += lines.pop()
        return self._without_bom(lines)

    def end(self) -> list[bytes]:
        """Return what is left when nothing more comes."""
        line = bytes(self._rest)
        self._rest.clear()
        return self._without_bom([line]) if line else []

    def _without_bom(self, lines: list[bytes]) -> list[bytes]:
        if lines and self._is_first:
            self._is_first = False
            lines[0] = lines[0].removeprefix(_BOM)
        return lines


class ServerEvent(NamedTuple):
    """One event of a stream: its name, "" for most, and its data."""

    name: str
    data: bytes


class EventStream:
    """Reads `text/event-stream`: data lines joined, comments and unknown fields passed over."""

    def __init__(self, limit: int = RECORD_LIMIT) -> None:
        self._lines = Lines(limit)
        self._limit = limit
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Return the events this piece completes. Raises RecordTooLong."""
        return self._events(self._lines.feed(piece))

    def end(self) -> list[ServerEvent]:
        """Return the last event, if the stream ended without an empty line after it."""
        return self._events([*self._lines.end(), b""])

    def _events(self, lines: list[bytes]) -> list[ServerEvent]:
        found = []
        for line in lines:
            if line:
                self._take(line)
            elif self._data:
                found.append(ServerEvent(self._name, b"\n".join(self._data)))
                self._forget()
            else:
                self._forget()
        return found

    def _take(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field not in (b"data", b"event", b"error"):
            return
        value = value.removeprefix(b" ")
        if field == b"event":
            self._name = value.decode("utf-8", "replace")
            return
        if field == b"error":  # older llama.cpp tells of a failure in a field of its own
            self._name = "error"
        self._size += len(value)
        if self._size > self._limit:
            raise RecordTooLong
        self._data.append(value)

    def _forget(self) -> None:
        self._name, self._data, self._size = "", [], 0


class JsonLines:
    """Reads one JSON object a line (NDJSON)."""

    def __init__(self, limit: int = RECORD_LIMIT) -> None:
        self._lines = Lines(limit)

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Return the lines this piece completes. Raises RecordTooLong."""
        return [ServerEvent("", line) for line in self._lines.feed(piece) if line.strip()]

    def end(self) -> list[ServerEvent]:
        """Return the last line, if it had no end."""
        return [ServerEvent("", line) for line in self._lines.end() if line.strip()]


class WholeBody:
    """Reads a body that is one JSON value: the answer of a server that does not stream."""

    def __init__(self, limit: int = RECORD_LIMIT) -> None:
        self._limit = limit
        self._body = bytearray()

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Keep the piece. Raises RecordTooLong."""
        self._body += piece
        if len(self._body) > self._limit:
            raise RecordTooLong
        return []

    def end(self) -> list[ServerEvent]:
        """Return the whole body."""
        body = bytes(self._body).removeprefix(_BOM).strip()
        return [ServerEvent("", body)] if body else []


Framing = EventStream | JsonLines | WholeBody
