"""Saving a chat's metadata alone: a new first line before the untouched bytes of everything else (contract §7).

The body is copied in blocks from one handle, so that memory is bounded by the header whatever the file's size,
and nothing of it is looked at: damaged records, CRLF and blank lines come out as they are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from tavern_desktop.chat.header import Header
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.format import ChatKind, Lead
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import BLOCK_SIZE, blocks, opened
from tavern_desktop.storage.signature import Signature

ATTEMPTS = 5
"""How often an extension's write begins anew because somebody else wrote the file meanwhile."""

Metadata = dict[str, Any]


def read_metadata(path: Path, *, kind: ChatKind = "character") -> Metadata:
    """Return `chat_metadata` as it is on disk, {} where there is none; the body is not read.

    Raises as `save_metadata` does.
    """
    with opened(path) as (file, signature):
        header = _lead(file, signature, kind, path).header
    return {} if header is None else header.metadata()


def save_metadata(
    path: Path,
    metadata: Metadata,
    *,
    kind: ChatKind = "character",
    expected: Signature | None = None,
    force: bool = False,
) -> Signature:
    """Make `metadata` the whole metadata of an existing chat and return the new file's signature.

    Other fields of the header stay; a group chat of old gets a header line (G2). `expected` is the state of the
    file that the caller knows, None where any will do; `force` says that the person agreed to replace another
    chat's. Raises ChangedOnDisk, StorageError not_found, bad_header (also for the new metadata), bad_encoding,
    integrity, io; then the file is as it was.
    """

    def with_new(lead: Lead) -> Header:
        header = Header.new(metadata) if lead.header is None else lead.header.with_metadata(metadata)
        chat_format.validate_header(header.data())
        return header

    return _rewrite(path, kind, with_new, expected=expected, force=force)


def set_extension(path: Path, namespace: str, value: Any, *, kind: ChatKind = "character") -> Signature:
    """Change `chat_metadata.extensions[namespace]` alone, whatever else has changed; None removes it (M9).

    Raises StorageError validation/argument for a name of nothing but blanks, else as `save_metadata`.
    """
    if not namespace.strip():
        raise StorageError("validation", "argument", "an extension needs a name", chat_ref=path)

    def with_value(lead: Lead) -> Header:
        return _with_extension(lead.header, namespace, value)

    for attempt in range(ATTEMPTS):
        try:
            return _rewrite(path, kind, with_value, expected=None, force=False)
        except ChangedOnDisk as change:
            if change.found is None or attempt + 1 == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def _rewrite(
    path: Path, kind: ChatKind, change: Callable[[Lead], Header], *, expected: Signature | None, force: bool
) -> Signature:
    """Publish the file with the header that `change` makes of the one on disk."""
    target = Path(os.path.realpath(path))
    with opened(target) as (file, found):
        if expected is not None and found != expected:
            raise ChangedOnDisk(target, found)
        lead = _lead(file, found, kind, target)
        header = change(lead)
        start = lead.start if lead.header is None else min(lead.body, found.size)
        pieces = _pieces(header.to_write(), file, start, found.size, target)
        return publish(target, pieces, expected=found, integrity=header.integrity(), force=force)


def _lead(file: BinaryIO, signature: Signature, kind: ChatKind, path: Path) -> Lead:
    try:
        lead = chat_format.read_lead(blocks(file, signature.size, BLOCK_SIZE, path), kind)
    except StorageError as error:
        raise error.with_facts(chat_ref=path, side="existing") from None
    if lead.first is None:
        raise StorageError("bad_header", "no_records", chat_ref=path)
    return lead


def _with_extension(header: Header | None, namespace: str, value: Any) -> Header:
    if header is None:  # what its header would have to hold is in the group's record
        raise StorageError("bad_header", "no_records", "a group chat of old has no header")
    metadata = header.metadata()
    extensions = metadata.get("extensions")
    if extensions is not None and not isinstance(extensions, dict):
        raise StorageError("bad_header", "metadata_type", side="existing")
    extensions = dict(extensions or {})
    if value is None:
        if namespace not in extensions:
            return header
        del extensions[namespace]
    else:
        extensions[namespace] = value
    return header.with_metadata(metadata | {"extensions": extensions})


def _pieces(header: bytes, file: BinaryIO, start: int, size: int, path: Path) -> Iterator[bytes]:
    """Yield the new first line with its LF, then the body byte for byte."""
    yield header + b"\n"
    file.seek(start)
    yield from blocks(file, size - start, BLOCK_SIZE, path)
