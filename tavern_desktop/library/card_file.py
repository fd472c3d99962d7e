"""Reading the character card out of a PNG: its text chunks, without decoding the picture.

Only as far as lists and new chats need it. A file is judged by its content, not by its name.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import orjson

PNG = b"\x89PNG\r\n\x1a\n"
MAX_CHUNK = 64 << 20
"""No card is larger; a length beyond it is damage, not a card to be read into memory."""

_OTHER_KINDS = (
    (b"RIFF", "a WebP picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"{", "JSON text"),
    (b"[", "JSON text"),
    (b"<", "an HTML or XML page"),
    (b"PK", "a ZIP archive"),
)


class CardError(ValueError):
    """A file with no readable card in it; the text is one sentence for people."""


def read_card(path: Path | str) -> dict[str, Any]:
    """Return the card in the PNG at `path` as its JSON says, a V3 card before a V2 one.

    Raises CardError, OSError.
    """
    # Pictures are megabytes and chunks are skipped by seeking, so a large read-ahead would be wasted.
    with open(path, "rb", buffering=16384) as file:
        return _decode(json_in_png(file))


def json_in_png(file: BinaryIO) -> bytes:
    """Return the JSON text of the card in a PNG. Raises CardError, OSError."""
    start = file.read(len(PNG))
    if start != PNG:
        raise CardError(what_it_is(start))
    text = _card_text(file)
    if text is None:
        raise CardError("The picture holds no character card.")
    compact = b"".join(text.split()).rstrip(b"=")
    try:
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except binascii.Error:
        raise CardError("The picture's character card is not readable (not base64).") from None


def card_data(card: dict[str, Any]) -> dict[str, Any]:
    """Return the object that holds a card's fields: `data` from V2 on, the card itself before."""
    data = card.get("data")
    return data if "spec" in card and isinstance(data, dict) else card


def text_field(card: dict[str, Any], name: str) -> str:
    """Return a field of the card as text, "" where it is missing or no text."""
    value = card_data(card).get(name)
    return value if isinstance(value, str) else ""


def _card_text(file: BinaryIO) -> bytes | None:
    """Return the first `ccv3` text, else the first `chara` text. Raises CardError for a file cut off before any."""
    second_best = None
    for keyword, text in _texts(file):
        if keyword == b"ccv3":
            return text
        if keyword == b"chara" and second_best is None:
            second_best = text
        if not keyword and second_best is None:
            raise CardError("The picture is cut off or damaged, and with it any character card.")
    return second_best


def _texts(file: BinaryIO) -> Iterator[tuple[bytes, bytes]]:
    """Yield (keyword in lower case, text) for every text chunk, and ("", "") where a file is cut off or damaged."""
    while len(head := file.read(8)) == 8:
        length, kind = struct.unpack(">I4s", head)
        if kind not in (b"tEXt", b"zTXt", b"iTXt"):
            if kind == b"IEND":
                return
            file.seek(length + 4, 1)
            continue
        if length > MAX_CHUNK:
            break
        body = file.read(length)
        file.seek(4, 1)
        keyword, found, rest = body.partition(b"\0")
        if found and keyword and len(body) == length:
            yield keyword.lower(), _plain_text(kind, rest)
    yield b"", b""


def _plain_text(kind: bytes, rest: bytes) -> bytes:
    """Undo what zTXt and iTXt put before and around the text; "" where it is damaged."""
    packed = kind == b"zTXt"
    if kind == b"zTXt":
        rest = rest[1:]
    elif kind == b"iTXt":
        packed = rest[:1] == b"\1"
        rest = b"".join(rest[2:].split(b"\0", 2)[2:])
    if not packed:
        return rest
    try:
        return zlib.decompressobj().decompress(rest, MAX_CHUNK)
    except zlib.error:
        return b""


def _decode(decoded: bytes) -> dict[str, Any]:
    try:
        card = orjson.loads(decoded)
    except orjson.JSONDecodeError:
        raise CardError("The picture's character card is not readable (not JSON).") from None
    if not isinstance(card, dict):
        raise CardError("The picture's character card is not readable (not a JSON object).")
    return card


def what_it_is(start: bytes, wanted: str = "a PNG picture") -> str:
    """Return a sentence on what a file really is, by how it starts."""
    if not start.strip(b"\0"):
        return f"The file is empty, not {wanted}."
    for mark, name in _OTHER_KINDS:
        if start.lstrip().startswith(mark):
            return f"The file is {name}, not {wanted}."
    return f"The file is not {wanted}."
