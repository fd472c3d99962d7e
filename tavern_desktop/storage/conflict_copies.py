"""The second files that synchronisers put beside a chat when it was changed in two places at once (contract §10.1).

Most say so in their names. A number in brackets does not: browsers, file managers and people write it too, so there
the content has to prove that both files are versions of one chat.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.names import SUFFIX, ChatKind

_PHRASES = "|".join(
    (
        "conflicted copy",  # Dropbox, Nextcloud
        "SFConflict",  # Seafile
        "In Konflikt stehende Kopie",
        "copie en conflit",
        "copia en conflicto",
        "copia in conflitto",
        "cópia em conflito",
        "冲突副本",
        "的冲突副本",
    )
)
_CERTAIN = re.compile(
    r"\.sync-conflict-.*"  # Syncthing
    rf"| ?\([^()]*(?:{_PHRASES})[^()]*\)(?: ?\(\d+\))?"
    r"|_conflict-\d{8}-\d{6}",  # ownCloud
    re.IGNORECASE | re.DOTALL,
)
_DOUBTFUL = re.compile(r" ?\((?:\d{1,3}|conflict)\)| ?\[conflict(?:ed)?\]", re.IGNORECASE)
_DATE = re.compile(r"(20\d\d-?\d\d-?\d\d)(?:[-@_ T]+(\d\d[-:]?\d\d(?:[-:]?\d\d)?))?")

_HEAD = 64 * 1024
_COMPARED = 2
"""Messages at the beginning that two versions of a chat without an identity have in common."""


class CopyName(NamedTuple):
    """A file name taken apart: the name of the chat, and whether the rest is proof enough of a conflict copy."""

    chat: str
    is_certain: bool


def read_name(name: str) -> CopyName | None:
    """Return what a chat's file name says if it may be a conflict copy's, None for any other."""
    stem = name.removesuffix(SUFFIX)
    for pattern, is_certain in ((_CERTAIN, True), (_DOUBTFUL, False)):
        found = next((match for match in pattern.finditer(stem) if match.end() == len(stem) and match.start()), None)
        if found is not None:
            return CopyName(stem[: found.start()] + SUFFIX, is_certain)
    return None


def is_named_copy(name: str) -> bool:
    """Say whether the name alone makes a file a conflict copy."""
    found = read_name(name)
    return found is not None and found.is_certain


def made_at_ms(name: str) -> int | None:
    """Return when the synchroniser says the copy was made (local time, since 1970), None where its name has no date."""
    read = read_name(name)
    found = _DATE.search(name, len(read.chat) - len(SUFFIX)) if read is not None else None
    if found is None:
        return None
    date, clock = (re.sub(r"\D", "", part or "") for part in found.groups())
    try:
        return int(datetime.datetime.strptime(date + clock.ljust(6, "0"), "%Y%m%d%H%M%S").timestamp() * 1000)
    except ValueError:
        return None


def chat_of(name: str, others: Container[str]) -> CopyName | None:
    """Return what `name` is a copy of if that chat is among `others`; a copy of a copy belongs to the chat."""
    found = read_name(name)
    while found is not None and found.chat not in others:
        earlier = read_name(found.chat)
        found = CopyName(earlier.chat, found.is_certain and earlier.is_certain) if earlier is not None else None
    return found


def is_same_chat(one: Path, other: Path, kind: ChatKind) -> bool:
    """Say whether two files are versions of one chat: by its identity and its first message.

    Where neither has an identity the first two messages must be the same. A file that cannot be read is none.
    """
    try:
        first, second = (_beginning(path, kind) for path in (one, other))
    except StorageError:
        return False
    if first.identity != second.identity or not first.messages or not second.messages:
        return False
    compared = _COMPARED if first.identity is None else 1
    return len(first.messages) >= compared and first.messages[:compared] == second.messages[:compared]


class _Beginning(NamedTuple):
    identity: str | None
    messages: list[bytes]


def _beginning(path: Path, kind: ChatKind) -> _Beginning:
    """Read the header and the first messages of a file. Raises StorageError."""
    # Names are told at every start, files are read for few: reading is imported with the first.
    from tavern_desktop.chat.header import Header
    from tavern_desktop.storage import format as chat_format
    from tavern_desktop.storage.reader import blocks, opened

    with opened(path) as (file, signature):
        records = chat_format.records(blocks(file, signature.size, _HEAD, path))
        found = [raw for _line, _offset, raw in itertools.islice(records, 1 + _COMPARED)]
    if not found:
        return _Beginning(None, [])
    first = chat_format.decode_record(found[0], record=0, line=1, offset=0, is_first=True)
    if not chat_format.is_header_first(kind, first):
        return _Beginning(None, found[:_COMPARED])
    chat_format.validate_header(first)
    return _Beginning(Header(found[0]).integrity(), found[1:])
