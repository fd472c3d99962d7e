"""A picture for a character that has none: a plain one in a colour of its own, as PNG."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable

from tavern_desktop.library.card_file import PNG

Draw = Callable[[str], bytes]
"""Returns a picture, as PNG, for a character of this name."""

WIDTH, HEIGHT = 512, 768
_COLOURS = ((122, 92, 142), (63, 111, 115), (138, 106, 61), (91, 107, 134), (134, 82, 79), (95, 122, 79))


def plain_picture(name: str) -> bytes:
    """Return a picture that darkens downwards; the same for the same name, always."""
    colour = _COLOURS[zlib.crc32(name.encode("utf-8", "replace")) % len(_COLOURS)]
    rows = []
    for y in range(HEIGHT):
        share = 1.1 - 0.4 * y / HEIGHT
        rows.append(b"\0" + bytes(min(255, round(part * share)) for part in colour) * WIDTH)
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return PNG + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(b"".join(rows), 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
