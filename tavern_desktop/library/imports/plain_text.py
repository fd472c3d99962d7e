"""The bytes of a file to be imported as every reader here expects them: UTF-8, no byte order mark, no empty tail."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.format import BOM
from tavern_desktop.storage.reader import BLOCK_SIZE, blocks, opened

_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_OPENINGS = {b"{\0": "utf-16-le", b"\0{": "utf-16-be"}
"""How a JSON text in UTF-16 begins that has no mark."""


@contextmanager
def plain_text(path: Path, notes: Notes) -> Iterator[Path]:
    """Give a file with the same text to read: `path` itself where it is as it should be, else a copy for a while.

    Raises StorageError not_found, bad_encoding, io.
    """
    head, tail = _ends(path)
    encoding = _UTF16.get(head[:2]) or _OPENINGS.get(head[:2])
    if encoding is None and not head.startswith(BOM) and not tail.endswith(b"\0"):
        yield path
        return
    text = _converted(_whole(path), encoding, notes)
    with tempfile.TemporaryDirectory(prefix="tavern-desktop-") as folder:
        copy = Path(folder) / path.name
        try:
            copy.write_bytes(text)
        except OSError as error:
            raise from_os(error, "write", copy) from None
        yield copy


def _ends(path: Path) -> tuple[bytes, bytes]:
    with opened(path) as (file, signature):
        try:
            head = file.read(4)
            file.seek(max(0, signature.size - 1))
            return head, file.read(1)
        except OSError as error:
            raise from_os(error, "read", path) from None


def _whole(path: Path) -> bytes:
    with opened(path) as (file, signature):
        return b"".join(blocks(file, signature.size, BLOCK_SIZE, path))


def _converted(data: bytes, encoding: str | None, notes: Notes) -> bytes:
    if encoding is not None:
        notes.add("utf16")
        try:
            # Half an emoji is kept as JSON can say it: it can only stand inside a string.
            data = data.decode(encoding, "surrogatepass").encode("utf-8", "backslashreplace")
        except UnicodeDecodeError:
            raise StorageError("bad_encoding", "utf8", "the text is no valid UTF-16") from None
        data = data.removeprefix(BOM)
    elif data.startswith(BOM):
        notes.add("bom")
        data = data[len(BOM) :]
    if data.endswith(b"\0"):
        notes.add("nul_tail")
        data = data.rstrip(b"\0")
    return data
