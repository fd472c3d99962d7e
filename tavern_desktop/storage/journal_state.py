"""What a state of a chat consisted of, as digests: by this a file is known again when its signature has changed.

One small file beside the journal holds the digests of the records of one state, 64 bits each; those of later states
follow by the journal's changes. It is a help, not a source: where it is missing or damaged nothing is known.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path

from tavern_desktop.chat import deltas
from tavern_desktop.chat.deltas import Delta, Edit, Insert, Move, Remove, digest
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import write_small_file

FILE_NAME = "state"
_START = struct.Struct("<4sQI")
_MAGIC = b"TJS1"


def digests_of(records: Iterable[bytes]) -> array[int]:
    """Return the digests of these records: about 2 µs each."""
    return array("Q", map(digest, records))


def save_state(folder: Path, number: int, digests: array[int]) -> None:
    """Keep the digests of the state `number` in a journal's folder, in place of those before. Raises StorageError."""
    make_folder(folder)
    data = _turned(digests).tobytes()
    write_small_file(folder / FILE_NAME, _START.pack(_MAGIC, number, _checksum(number, data)) + data)


def kept_state(folder: Path) -> tuple[int, array[int]] | None:
    """Return the state whose digests are kept, and these; None where that is not known."""
    try:
        data = (folder / FILE_NAME).read_bytes()
        magic, number, checksum = _START.unpack_from(data)
    except (OSError, struct.error):
        return None
    body = data[_START.size :]
    if magic != _MAGIC or checksum != _checksum(number, body) or len(body) % 8:
        return None
    return number, _turned(array("Q", body))


def digests_at(journal: Journal, number: int) -> array[int] | None:
    """Return the digests of a state; None where they cannot be told. Raises StorageError io/read."""
    return next((digests for state, digests in _states(journal) if state == number), None)


def state_of(journal: Journal, records: Sequence[bytes]) -> int | None:
    """Return the newest state that has exactly these records, None where none of those that can be told has.

    Raises StorageError io/read.
    """
    digests = digests_of(records)
    found = None
    for number, known in _states(journal):
        if known == digests:
            found = number
    return found


def advance(digests: array[int], delta: Delta) -> bool:
    """Lead the digests of a state to the next one; False where the delta does not fit, then they are of no use."""
    if len(digests) != delta.count:
        return False
    for op in delta.ops:
        match op:
            case Edit():
                digests[op.index] = op.digest
            case Insert():
                digests[op.index : op.index] = digests_of(op.records)
            case Remove():
                del digests[op.index : op.index + len(op.records)]
            case Move():
                deltas.move(digests, op)
            case _:
                pass  # the header is no record
    return True


def _states(journal: Journal) -> Iterable[tuple[int, array[int]]]:
    """Yield the states that can be told, each with its digests, which are changed for the next; the oldest first."""
    kept = kept_state(journal.folder)
    if kept is None:
        return
    number, digests = kept
    yield number, digests
    for meta in reversed(journal.metas()):
        if meta.number <= number:
            continue
        if meta.before != number or not advance(digests, journal.delta(meta.number)):
            return
        number = meta.number
        yield number, digests


def _turned(digests: array[int]) -> array[int]:
    """Return the digests in the byte order of the file, or of this machine."""
    if sys.byteorder == "big":
        digests = digests[:]
        digests.byteswap()
    return digests


def _checksum(number: int, data: bytes) -> int:
    return zlib.crc32(data, number & 0xFFFFFFFF)
