"""What a state of a chat consisted of, as digests: by this a file is known again when its signature has changed.

One small file beside the journal holds the digests of the records of one state, 64 bits each; those of later states
follow by the journal's changes. It is a help, not a source: where it is missing or damaged nothing is known.
"""

from __future__ import annotations

import struct
import sys
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tavern_desktop.chat import deltas
from tavern_desktop.chat.deltas import Delta, Edit, Head, Insert, Move, Remove, digest
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.own_folders import make_folder
from tavern_desktop.storage.publish import write_small_file

FILE_NAME = "state"
SAMPLE = 16
"""Records at each end of a file that are looked at first: other programs change what is there."""
_START = struct.Struct("<4sQI")
_MAGIC = b"TJS1"


class Exchange(NamedTuple):
    """Digests of records that went out of a state, and of those that came in."""

    gone: list[int]
    came: list[int]


class _State(NamedTuple):
    number: int
    digests: array[int]
    exchange: Exchange
    """What was exchanged since the state before."""


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
    return next((state.digests for state in _states(journal) if state.number == number), None)


def state_of(journal: Journal, records: Sequence[bytes]) -> int | None:
    """Return the newest state that has exactly these records, None where none of those that can be told has.

    Quick where records at the ends tell that there is none. Raises StorageError io/read.
    """
    kept = _usable_state(journal)
    if kept is None or len(records) not in _counts(journal, *kept):
        return None
    ends = sorted({*range(min(SAMPLE, len(records))), *range(max(0, len(records) - SAMPLE), len(records))})
    sample = [digest(records[index]) for index in ends]
    digests = None
    found = None
    for state in _states(journal):
        if len(state.digests) == len(records) and [state.digests[index] for index in ends] == sample:
            digests = digests or digests_of(records)
            if state.digests == digests:
                found = state.number
    return found


def _usable_state(journal: Journal) -> tuple[int, array[int]] | None:
    """Return the state that is kept if the journal leads on from it: it may be of one that was set aside."""
    kept = kept_state(journal.folder)
    return kept if kept is not None and journal.oldest <= kept[0] <= journal.number else None


def _counts(journal: Journal, number: int, digests: array[int]) -> set[int]:
    """Return how many messages the states have that may be told."""
    return {len(digests), *(meta.count for meta in journal.metas() if meta.number > number)}


def closest_state(journal: Journal, records: Sequence[bytes], *, newest: bool = True) -> int | None:
    """Return the state that a file with these records most likely comes from; None where no state can be told.

    That is the newest (or else the oldest) of those with the fewest records that only the state or only the file has.
    Raises StorageError io/read.
    """
    surplus = Counter(digests_of(records))
    """How many more of each the file has than the state."""
    distance = least = found = None
    for state in _states(journal):
        if distance is None:
            surplus.subtract(state.digests)
            distance = sum(map(abs, surplus.values()))
        for change, changed in ((1, state.exchange.gone), (-1, state.exchange.came)):
            for one in changed:
                distance += abs(surplus[one] + change) - abs(surplus[one])
                surplus[one] += change
        if least is None or distance < least or (newest and distance == least):
            least, found = distance, state.number
    return found


def advance(digests: array[int], delta: Delta) -> Exchange | None:
    """Lead the digests of a state to the next one; None where the delta does not fit, then they are of no use."""
    if len(digests) != delta.count:
        return None
    exchange = Exchange([], [])
    for op in delta.ops:
        match op:
            case Edit():
                exchange.gone.append(digests[op.index])
                exchange.came.append(op.digest)
                digests[op.index] = op.digest
            case Insert():
                came = digests_of(op.records)
                exchange.came.extend(came)
                digests[op.index : op.index] = came
            case Remove():
                end = op.index + len(op.records)
                exchange.gone.extend(digests[op.index : end])
                del digests[op.index : end]
            case Move():
                deltas.move(digests, op)
            case Head():
                pass  # it is no record
    return exchange


def _states(journal: Journal) -> Iterable[_State]:
    """Yield the states that can be told, the oldest first; their digests are changed for the next."""
    kept = _usable_state(journal)
    if kept is None:
        return
    number, digests = kept
    yield _State(number, digests, Exchange([], []))
    for meta in reversed(journal.metas()):
        if meta.number <= number:
            continue
        exchange = advance(digests, journal.delta(meta.number)) if meta.before == number else None
        if exchange is None:
            return
        number = meta.number
        yield _State(number, digests, exchange)


def _turned(digests: array[int]) -> array[int]:
    """Return the digests in the byte order of the file, or of this machine."""
    if sys.byteorder == "big":
        digests = digests[:]
        digests.byteswap()
    return digests


def _checksum(number: int, data: bytes) -> int:
    return zlib.crc32(data, number & 0xFFFFFFFF)
