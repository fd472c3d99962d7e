"""How a chat's journal stands in its files: frames, each a head that tells what it is and perhaps a payload.

A frame is `TJ`, the length of the head (2 bytes), the length of the payload (4), a checksum of all that and the head
(4), all little-endian; then the head and the payload, both MessagePack. Heads are read without their payloads, so that
the list of a thousand versions costs a few milliseconds. A payload has its own checksum in its head.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from tavern_desktop.chat.deltas import Delta, Edit, Head, Insert, Move, Op, Remove
from tavern_desktop.chat.hunks import Hunk

VERSION = 1
MAGIC = b"TJ"
_LENGTHS = struct.Struct("<2sHI")
_FRAME = struct.Struct("<2sHII")
_MOST_LABEL = 200
_PACKED_FROM = 512
"""Bytes of a payload from which it is compressed, without holding other threads up."""
_STARTING_PIECES = 8
_ARRAY = struct.Struct(">BI")
"""The beginning of a MessagePack array of any length."""

JournalKind = Literal["command", "undo", "redo", "outside", "found", "merge", "restore", "recovered", "reload"]
"""What made a change. outside: another program wrote it, and we followed; found: a version found on disk that we then
merged with or saved over; merge: what became of both; restore: an earlier version was taken back; recovered: what a
process that died had not saved; reload: the person took what is on disk."""

_KINDS: tuple[JournalKind, ...] = (
    "command", "undo", "redo", "outside", "found", "merge", "restore", "recovered", "reload"
)  # fmt: skip


class Opening(msgspec.Struct, frozen=True, array_like=True, tag=0):
    """What a file of the journal begins with."""

    version: int
    through: int
    """The last entry that the file was made to hold when it took the place of others; 0 if it did not."""
    chat: str
    """Path of the chat, for whoever looks into the folder."""


class Meta(msgspec.Struct, frozen=True, array_like=True, tag=1):
    """What is known of a change without reading it. It leads from the state `before` to the state `number`."""

    number: int
    before: int
    """`number - 1`, unless changes were joined to save room."""
    at_ms: int
    """When, in milliseconds since 1970; of several joined ones the last."""
    kind_code: int
    label: str
    count: int
    """How many messages the state `number` has."""
    added: int
    removed: int
    edited: int
    moved: int
    undoes: int | None
    """The change that this one takes back, or does again."""
    joined: int
    """How many changes it stands for."""
    is_shrink: bool
    """Whether so much is gone after it that the version before it is always kept: ten messages, or half of the chat."""
    is_packed: bool
    checksum: int
    """Of the payload."""

    @property
    def kind(self) -> JournalKind:
        """What made the change."""
        return _KINDS[self.kind_code] if self.kind_code < len(_KINDS) else "outside"

    @property
    def count_before(self) -> int:
        """How many messages the state `before` has."""
        return self.count - self.added + self.removed


class PublishedNote(msgspec.Struct, frozen=True, array_like=True, tag=2):
    """A state that was written to the chat's file."""

    size: int
    mtime_ns: int
    file_id: tuple[int, int]
    number: int
    count: int
    at_ms: int


FrameHead = Opening | Meta | PublishedNote


class Frame(NamedTuple):
    """A frame as found in a file: its payload stands at `payload` and ends at `end`."""

    head: FrameHead
    payload: int
    end: int


_decode_head = msgspec.msgpack.Decoder(FrameHead).decode
_encode = msgspec.msgpack.Encoder().encode


class BadFrame(Exception):
    """Here stands no whole frame."""


def framed(head: FrameHead, payload: bytes = b"") -> bytes:
    """Return a frame as it is written."""
    encoded = _encode(head)
    lengths = _LENGTHS.pack(MAGIC, len(encoded), len(payload))
    frame = _FRAME.pack(MAGIC, len(encoded), len(payload), zlib.crc32(encoded, zlib.crc32(lengths)))
    return b"".join((frame, encoded, payload))


def read_frame(file: BinaryIO, at: int) -> Frame:
    """Read the frame at `at`, where the file stands, but not its payload. Raises BadFrame, OSError."""
    start = file.read(_FRAME.size)
    if len(start) < _FRAME.size:
        raise BadFrame
    magic, head_length, payload_length, checksum = _FRAME.unpack(start)
    encoded = file.read(head_length)
    if magic != MAGIC or checksum != zlib.crc32(encoded, zlib.crc32(start[: _LENGTHS.size])):
        raise BadFrame
    try:
        head = _decode_head(encoded)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise BadFrame from None
    payload = at + _FRAME.size + head_length
    return Frame(head, payload, payload + payload_length)


def entry_frame(
    number: int,
    before: int,
    at_ms: int,
    kind: JournalKind,
    label: str,
    delta: Delta,
    undoes: int | None = None,
    joined: int = 1,
    is_shrink: bool = False,
) -> bytes:
    """Return the frame of a change. Several joined ones are a shrink if the first of them is."""
    payload, is_packed = _packed(delta)
    label = label[:_MOST_LABEL].encode("utf-8", "replace").decode("utf-8")
    meta = Meta(
        number, before, at_ms, _KINDS.index(kind), label, delta.count_after, delta.added, delta.removed,
        delta.edited, delta.moved, undoes, joined,
        is_shrink or _shrinks(delta), is_packed, zlib.crc32(payload),
    )  # fmt: skip
    return framed(meta, payload)


def _shrinks(delta: Delta) -> bool:
    lost = delta.count - delta.count_after
    return lost >= 10 or (lost > 0 and delta.count_after * 2 <= delta.count)


def is_whole(meta: Meta, payload: bytes) -> bool:
    """Say whether a payload is the one that was written."""
    return zlib.crc32(payload) == meta.checksum


def entry_delta(meta: Meta, payload: bytes) -> Delta:
    """Return the change of an entry. Raises BadFrame where the payload is damaged."""
    if not is_whole(meta, payload):
        raise BadFrame
    return decode_delta(zlib.decompress(payload) if meta.is_packed else payload)


def _packed(delta: Delta) -> tuple[bytes, bool]:
    """Return a delta as it is written, and whether it is compressed. It is never encoded as one piece: others wait."""
    pieces = _pieces(delta)
    start = b"".join(itertools.islice(pieces, _STARTING_PIECES))
    rest = next(pieces, b"")
    if len(start) < _PACKED_FROM and not rest:
        return start, False
    packer = zlib.compressobj(1)
    parts = [packer.compress(start + rest), *map(packer.compress, pieces), packer.flush()]
    return b"".join(parts), True


def _pieces(delta: Delta) -> Iterator[bytes]:
    """Yield the MessagePack of `[count, [operation, …]]`, an operation in each piece."""
    yield b"\x92" + _encode(delta.count) + _ARRAY.pack(0xDD, len(delta.ops))
    for op in delta.ops:
        yield _encode(_plain(op))


def decode_delta(data: bytes) -> Delta:
    """Return the delta that was encoded. Raises BadFrame."""
    try:
        count, ops = msgspec.msgpack.decode(data)
        return Delta(count, tuple(_op(*op) for op in ops))
    except (msgspec.MsgspecError, ValueError, TypeError, KeyError):
        raise BadFrame from None


def _plain(op: Op) -> tuple[Any, ...]:
    match op:
        case Edit():
            return (0, op.index, op.digest, *_flat(op.hunks))
        case Insert():
            return (1, op.index, *op.records)
        case Remove():
            return (2, op.index, *op.records)
        case Move():
            return (3, op.first, op.last, op.destination)
        case Head():
            return (4, op.digest, *_flat(op.hunks))


def _op(tag: int, *fields: Any) -> Op:
    match tag:
        case 0:
            return Edit(fields[0], _hunks(fields[2:]), fields[1])
        case 1:
            return Insert(fields[0], fields[1:])
        case 2:
            return Remove(fields[0], fields[1:])
        case 3:
            return Move(*fields)
        case 4:
            return Head(_hunks(fields[1:]), fields[0])
    raise BadFrame


def _flat(hunks: Sequence[Hunk]) -> list[Any]:
    return [field for hunk in hunks for field in hunk]


def _hunks(fields: Sequence[Any]) -> tuple[Hunk, ...]:
    return tuple(map(Hunk._make, zip(fields[::3], fields[1::3], fields[2::3], strict=True)))
