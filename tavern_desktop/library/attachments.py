"""Pictures that go with messages, kept in the data folder where SillyTavern keeps them (chat files §6)."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError, from_os
from tavern_desktop.storage.publish import write_small_file

MOST_BYTES = 64 << 20
"""No picture that a model could take is larger."""

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
)


def picture_kind(data: bytes) -> str:
    """Return the ending for a picture, judged by its content; "" for what is none that we know."""
    for start, ending in _KINDS:
        if data.startswith(start):
            return ending
    return "webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""


def read_picture(path: Path) -> bytes:
    """Return the bytes of a picture file. Raises StorageError, validation/argument for what is no picture."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise StorageError("io", "too_large", chat_ref=path)
        data = path.read_bytes()
    except OSError as error:
        raise from_os(error, "read", path) from None
    if not picture_kind(data):
        raise StorageError("validation", "argument", f"{path.name} is no picture that can be attached.")
    return data


def store_picture(root: DataRoot, owner: str, data: bytes) -> str:
    """Write a picture that goes with a message in a chat of `owner`; return its address for the message.

    `owner` is the name of the character or group. The same picture twice is one file. Raises StorageError.
    """
    ending = picture_kind(data)
    if not ending:
        raise StorageError("validation", "argument", "This is no picture that can be attached.")
    folder = root.user_folder / "user" / "images" / _folder_name(owner)
    digest = hashlib.sha256(data).hexdigest()[:16]
    known = next(folder.glob(f"*_{digest}.{ending}"), None) if folder.is_dir() else None
    name = known.name if known is not None else f"{time.time_ns() // 1_000_000}_{digest}.{ending}"
    if known is None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise from_os(error, "write", folder) from None
        write_small_file(folder / name, data)
    return f"/user/images/{folder.name}/{name}"


def _folder_name(owner: str) -> str:
    """Return a plain folder name: what no file system takes goes, and what could lead elsewhere."""
    kept = "".join(letter for letter in owner if letter not in '/?<>\\:*|"' and letter.isprintable())
    return kept.strip(" .")[:100] or "chat"
