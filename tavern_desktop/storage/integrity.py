"""Whether a save may replace what is on disk: `integrity` names the chat a file holds (storage contract §6.2)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import blocks, opened
from tavern_desktop.storage.signature import Signature

_HEAD_BLOCK = 64 * 1024


def header_of(payload: bytes) -> Header:
    """Return the header of ready-made bytes, nothing else of them being looked at (§2.5).

    Raises validation/payload_empty where there is no record, bad_header, bad_encoding.
    """
    header = chat_format.read_lead([payload]).header
    if header is None:
        raise StorageError("validation", "payload_empty")
    return header


def identity_on_disk(path: str | os.PathLike[str]) -> tuple[Signature, str | None]:
    """Return the signature and the integrity of a file, read through one handle.

    Raises not_found, io, and with side "existing" bad_header or bad_encoding: a header that cannot be read is
    never taken for "no identity".
    """
    try:
        with opened(Path(path), size_limit=sys.maxsize) as (file, signature):
            header = chat_format.read_lead(blocks(file, signature.size, _HEAD_BLOCK, Path(path))).header
    except StorageError as error:
        raise error.with_facts(chat_ref=path, side="existing") from None
    return signature, None if header is None else header.integrity()


def require_same_chat(on_disk: str | None, incoming: str | None) -> None:
    """Raise integrity/mismatch or integrity/missing where the file holds another chat than the one to be saved."""
    if on_disk is None or on_disk == incoming:
        return
    raise StorageError("integrity", "missing" if incoming is None else "mismatch", side="existing")
