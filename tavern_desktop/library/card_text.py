"""Changing what a character's card says, in its picture: the text chunks anew, everything else byte for byte."""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import PNG, CardError
from tavern_desktop.storage.publish import change_small_file

CHAT = "chat"
"""Top level of the card's JSON: the stem of the current chat."""

Card = dict[str, Any]
Change = Callable[[Card], Card]
"""Takes the JSON of a card and returns what it shall be: the same object where nothing is to change."""

V2 = {"spec": "chara_card_v2", "spec_version": "2.0"}
V3 = {"spec": "chara_card_v3", "spec_version": "3.0"}

_KEYWORDS = (b"chara", b"ccv3")


def change_card(path: Path, change: Change) -> bool:
    """Write the card at `path` as `change` wants it; return whether anything was changed.

    A file that is no card is left alone. Raises OSError, StorageError.
    """
    return change_small_file(path, lambda data: changed_card(data, change))


def changed_card(data: bytes, change: Change) -> bytes | None:
    """Return a picture whose card says what `change` makes of it, None where nothing changes.

    Both texts of a card are changed, that of V2 and that of V3.
    """
    if not data.startswith(PNG):
        return None
    is_changed = False
    pieces = [PNG]
    at = len(PNG)
    for start, end in _chunks(data):
        said = _with_change(data[start:end], change)
        is_changed = is_changed or said is not None
        pieces.append(data[start:end] if said is None else said)
        at = end
    pieces.append(data[at:])  # what stands behind the last whole chunk, as in a picture that is cut off
    return b"".join(pieces) if is_changed else None


def with_card(picture: bytes, card: Card) -> bytes:
    """Return a PNG that holds `card` in both of today's forms and no other; every other chunk is as it was (§A6).

    Raises CardError where the picture is no whole PNG.
    """
    if not picture.startswith(PNG):
        raise CardError("The picture is not a PNG picture.")
    pieces = [PNG]
    for start, end in _chunks(picture):
        if picture[start + 4 : start + 8] == b"IEND":
            pieces += [_chunk(b"chara", card | V2), _chunk(b"ccv3", card | V3), picture[start:]]
            return b"".join(pieces)
        if not _is_card(picture[start:end]):
            pieces.append(picture[start:end])
    raise CardError("The picture is damaged: its end is missing.")


def current_chat(new: str, *, instead_of: Callable[[object], bool]) -> Change:
    """Return the change that makes `new` the current chat of a card that names one that `instead_of` accepts."""

    def change(card: Card) -> Card:
        return card | {CHAT: new} if instead_of(card.get(CHAT)) and card.get(CHAT) != new else card

    return change


def renamed(name: str) -> Change:
    """Return the change that gives a card another name, wherever it says its name."""

    def change(card: Card) -> Card:
        data = card.get("data")
        changed = card | {"name": name} if "name" in card or not isinstance(data, dict) else dict(card)
        if isinstance(data, dict):
            changed["data"] = data | {"name": name}
        return card if jsontext.same(changed, card) else changed

    return change


def _chunks(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each whole chunk begins and ends."""
    at = len(PNG)
    while at + 12 <= len(data):
        end = at + 12 + struct.unpack(">I", data[at : at + 4])[0]
        if end > len(data):
            return
        yield at, end
        at = end


def _with_change(chunk: bytes, change: Change) -> bytes | None:
    """Return a card's text chunk changed, None for any other chunk or where nothing changes."""
    keyword, found, text = chunk[8:-4].partition(b"\0")
    if chunk[4:8] != b"tEXt" or not found or keyword.lower() not in _KEYWORDS:
        return None
    try:
        card = jsontext.decode(_plain(text))
    except (binascii.Error, JsonTextError):
        return None
    changed = change(card)
    if changed is card:
        return None
    return _chunk(keyword, changed)


def _is_card(chunk: bytes) -> bool:
    is_text = chunk[4:8] in (b"tEXt", b"zTXt", b"iTXt")
    return is_text and chunk[8:-4].partition(b"\0")[0].lower() in _KEYWORDS


def _chunk(keyword: bytes, card: Card) -> bytes:
    body = b"tEXt" + keyword + b"\0" + base64.b64encode(jsontext.encode(card))
    return struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))


def _plain(text: bytes) -> bytes:
    """Undo base64 as tolerantly as cards are read: with blanks in it, or without its ending. Raises binascii.Error."""
    compact = b"".join(text.split()).rstrip(b"=")
    return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
