"""The format floor: what the bytes of a chat file mean (storage contract §2). Nothing else interprets them.

A file is lines split at LF. Lines of only space, TAB, CR and LF are blank and have no number; every other line
is a record, a JSON object. Record 0 is the header, except in group chats of old (§13 G1).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.names import ChatKind as ChatKind

BLANK = b" \t\r\n"
BOM = b"\xef\xbb\xbf"
FRAME = 4 * 1024 * 1024
"""No piece of a commit is larger, unless one record is (storage contract §5.3)."""

_JOINED = 256

HEADERLESS_SUSPECT = "headerless_suspect"
"""Warning: the first line of a character's chat looks like a message (H7)."""


def strip_lead(line: bytes, *, bom_seen: bool) -> tuple[bytes, bool]:
    """Take blanks and at most one BOM off a line that stands before the first record (F3).

    Returns the rest and whether a BOM has been seen by now.
    """
    rest = line.strip(BLANK)
    if rest.startswith(BOM) and not bom_seen:
        return rest[len(BOM) :].strip(BLANK), True
    return rest, bom_seen


def is_header_first(kind: ChatKind, first: dict[str, Any]) -> bool:
    """Tell whether record 0 is a header: always, but in a group chat only with `chat_metadata` of its own (G1)."""
    return kind == "character" or "chat_metadata" in first


def decode_record(raw: bytes, *, record: int, line: int, offset: int, is_first: bool = False) -> dict[str, Any]:
    """Return the object of a record. Raises bad_header (`is_first`), bad_record or bad_encoding."""
    refuse_bom(raw, record=record, line=line, offset=offset, is_first=is_first)
    try:
        return jsontext.decode(raw)
    except JsonTextError as error:
        raise record_error(error, record=record, line=line, offset=offset, is_first=is_first) from None


def check_record(raw: bytes, *, record: int | None, line: int | None, offset: int) -> None:
    """Raise bad_record or bad_encoding unless a record after the first is acceptable."""
    refuse_bom(raw, record=record, line=line, offset=offset, is_first=False)
    try:
        jsontext.check(raw)
    except JsonTextError as error:
        raise record_error(error, record=record, line=line, offset=offset) from None


def refuse_bom(raw: bytes, *, record: int | None, line: int | None, offset: int, is_first: bool) -> None:
    """Raise for a record that begins with a BOM (F3, F4)."""
    if raw.startswith(BOM):
        kind = "bad_header" if is_first else "bad_record"
        raise StorageError(kind, "bom", record=record, line=line, offset=offset)


def record_error(
    error: JsonTextError, *, record: int | None, line: int | None, offset: int, is_first: bool = False
) -> StorageError:
    """Return the storage error for a record that is no acceptable JSON object."""
    place: dict[str, Any] = {
        "record": record,
        "line": line,
        "offset": offset + (error.offset or 0),
        "message": str(error),
    }
    if error.detail == "utf8":
        return StorageError("bad_encoding", "utf8", **place)
    return StorageError("bad_header" if is_first else "bad_record", error.detail, **place)


def validate_header(data: dict[str, Any], **place: Any) -> None:
    """Raise bad_header unless metadata and integrity are of the right types (H2, H3)."""
    metadata = data.get("chat_metadata")
    if metadata is None:
        return
    if not isinstance(metadata, dict):
        raise StorageError("bad_header", "metadata_type", **place)
    if "integrity" not in metadata:
        return
    integrity = metadata["integrity"]
    if not isinstance(integrity, str):
        raise StorageError("bad_header", "integrity_type", **place)
    if not integrity:
        raise StorageError("bad_header", "integrity_empty", **place)


def header_warnings(data: dict[str, Any]) -> tuple[str, ...]:
    """Return what is odd about an acceptable header of a character's chat (H7)."""
    if "chat_metadata" not in data and isinstance(data.get("mes"), str):
        return (HEADERLESS_SUSPECT,)
    return ()


@dataclass(frozen=True, slots=True)
class Lead:
    """Where a chat begins: record 0 and what it is.

    `first` is its JSON text, None in a file without records. `header` is that record, None where it is a
    message of an old group chat. `line_start` is the offset of the line it stands in, `body` the offset at
    which messages may begin, `start` that of record 0 itself: behind a BOM and blanks.
    """

    first: bytes | None
    header: Header | None
    line_start: int
    body: int
    start: int = 0


def read_lead(blocks: Iterable[bytes], kind: ChatKind = "character") -> Lead:
    """Read as many blocks as hold record 0, and check it. Raises bad_header or bad_encoding."""
    offset, bom_seen = 0, False
    for number, line in enumerate(lines(blocks), 1):
        raw, bom_seen = strip_lead(line, bom_seen=bom_seen)
        if raw:
            place = {"record": 0, "line": number, "offset": offset + line.index(raw)}
            data = decode_record(raw, **place, is_first=True)
            if not is_header_first(kind, data):
                return Lead(raw, None, offset, 0, place["offset"])
            validate_header(data, **place)
            return Lead(raw, Header(raw), offset, offset + len(line) + 1, place["offset"])
        offset += len(line) + 1
    return Lead(None, None, offset - 1, offset - 1)


def records(blocks: Iterable[bytes]) -> Iterator[tuple[int, int, bytes]]:
    """Yield (line, offset, raw) of each record: line from 1, offset of raw in the file, raw without blanks.

    For places where a file is small or speed does not matter; the reader of whole chats does the same in bulk.
    """
    offset, bom_seen, started = 0, False, False
    for line, text in enumerate(lines(blocks), 1):
        if started:
            raw = text.strip(BLANK)
        else:
            raw, bom_seen = strip_lead(text, bom_seen=bom_seen)
        if raw:
            started = True
            yield line, offset + text.index(raw), raw
        offset += len(text) + 1


def lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file given in blocks, without their LF; the last one may be empty."""
    rest: list[bytes] = []
    for block in blocks:
        head, *others = block.split(b"\n")
        rest.append(head)
        if others:
            yield b"".join(rest)
            yield from others[:-1]
            rest = [others[-1]]
    yield b"".join(rest)


def chat_of_entries(entries: Sequence[object]) -> tuple[Header, list[Message]]:
    """Return the chat that plain values make, the first of them its header (§6.1).

    Raises validation/payload_empty, validation/entry_not_object with the `index`, bad_header.
    """
    if not entries:
        raise StorageError("validation", "payload_empty")
    objects: list[dict[str, Any]] = []
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise StorageError("validation", "entry_not_object", index=index)
        objects.append(entry)
    validate_header(objects[0])
    return Header.of(objects[0]), [Message.new(data) for data in objects[1:]]


def commit_pieces(header: Header, messages: Iterable[Message]) -> Iterator[bytes]:
    """Return the bytes of a full commit (§2.4) piece by piece: lines joined by LF, no BOM, no LF at the end.

    Raises bad_header at once for a header that could not be read back; cold_swipe on the way.
    """
    validate_header(decode_record(header.raw, record=0, line=1, offset=0, is_first=True))
    return _pieces(header.to_write(), messages)


def _raws(messages: Iterable[Message], first: int) -> list[bytes]:
    """Return whole records; an error says of which message one could not be read back, `first` being their number."""
    raws: list[bytes] = []
    try:
        raws.extend(map(attrgetter("raw"), messages))
    except StorageError as error:
        raise error.with_facts(index=first + len(raws)) from None
    return raws


def _pieces(header: bytes, messages: Iterable[Message]) -> Iterator[bytes]:
    """Join a few hundred records at a time: few enough to stay in the processor's cache on their way out."""
    yield header
    rest = iter(messages)
    done = 0
    while raws := _raws(itertools.islice(rest, _JOINED), done):
        done += len(raws)
        if sum(map(len, raws)) + len(raws) <= FRAME:
            yield b"\n".join([b"", *raws])
        else:
            for raw in raws:
                yield b"\n"
                yield raw
