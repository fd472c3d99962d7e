"""Which chat a character's card names as its current one, written into the card and nothing else of it changed."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import PNG
from tavern_desktop.storage.publish import write_small_file

CHAT = "chat"
"""Top level of the card's JSON: the stem of the current chat."""

_KEYWORDS = (b"chara", b"ccv3")


def change_current_chat(card: Path, old: str, new: str) -> bool:
    """Where the card names `old` as the current chat make it name `new`; return whether it did.

    A file that is no card is left alone. Raises OSError, StorageError.
    """
    data = card.read_bytes()
    changed = False
    pieces = [PNG]
    for kind, body in _chunks(data):
        said = _with_chat(kind, body, old, new)
        changed = changed or said is not None
        pieces.append(_chunk(kind, body if said is None else said))
    if changed:
        write_small_file(card, b"".join(pieces))
    return changed


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield (kind, body) of each chunk; raises nothing for a damaged picture, which then has no text to change."""
    if not data.startswith(PNG):
        return
    at = len(PNG)
    while at + 12 <= len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if len(body) < length:
            return
        yield kind, body
        at += 12 + length


def _with_chat(kind: bytes, body: bytes, old: str, new: str) -> bytes | None:
    """Return the body of a card's text chunk with the other chat, None for any other chunk."""
    keyword, found, text = body.partition(b"\0")
    if kind != b"tEXt" or not found or keyword.lower() not in _KEYWORDS:
        return None
    try:
        card = jsontext.decode(base64.b64decode(text, validate=True))
    except (binascii.Error, JsonTextError):
        return None
    if card.get(CHAT) != old:
        return None
    return keyword + b"\0" + base64.b64encode(jsontext.encode(card | {CHAT: new}))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
