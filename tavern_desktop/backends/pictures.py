"""Pictures of a message, read and written the ways servers want them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tavern_desktop.backends.errors import BackendError

LARGEST = 20 * 1024 * 1024
"""Bytes of one picture that is sent."""

_BEGINNINGS = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif", b"BM": "image/bmp"}


class Picture(NamedTuple):
    """A picture ready to be sent."""

    mime: str
    base64: str

    @property
    def url(self) -> str:
        """The picture as an address that holds it."""
        return f"data:{self.mime};base64,{self.base64}"


Pictures = dict[Path, Picture]


async def read_pictures(paths: Iterable[Path]) -> Pictures:
    """Read pictures off the loop. Raises BackendError rejected for one that cannot be sent."""
    wanted = list(dict.fromkeys(paths))
    return await asyncio.to_thread(lambda: {path: _read(path) for path in wanted}) if wanted else {}


def _read(path: Path) -> Picture:
    try:
        if path.stat().st_size > LARGEST:
            raise BackendError("rejected", f"The picture {path.name} is too large to be sent.")
        data = path.read_bytes()
    except OSError as error:
        raise BackendError("rejected", f"The picture {path.name} cannot be read: {error.strerror or error}.") from None
    return Picture(_mime(path, data), base64.b64encode(data).decode("ascii"))


def _mime(path: Path, data: bytes) -> str:
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    for beginning, mime in _BEGINNINGS.items():
        if data.startswith(beginning):
            return mime
    raise BackendError("rejected", f"{path.name} is no picture that can be sent.")
