"""Names of chat files: which are allowed, and how a wish becomes one (storage contract §12)."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from typing import Literal

from tavern_desktop.storage.errors import StorageError

ChatKind = Literal["character", "group"]
"""Whose chat a file is: it decides what its first line may be."""

SUFFIX = ".jsonl"
_MAX_BYTES = 255

_FORBIDDEN = re.compile(r'[/?<>\\:*|"\x00-\x1f\x80-\x9f]')
_DOTS = re.compile(r"\.+")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE | re.DOTALL)


def normalize_name(name: str) -> tuple[str, str]:
    """Return (file name, stem) for a chat of this name, as SillyTavern would spell it.

    Raises validation/name when nothing usable is left.
    """
    file_name = sanitize(name.removesuffix(SUFFIX) + SUFFIX)
    stem = file_name.removesuffix(SUFFIX)
    if stem == file_name or not stem:
        raise StorageError("validation", "name", "nothing usable is left of the name")
    return file_name, stem


def sanitize(name: str) -> str:
    """Return a name that every file system takes, "" where nothing of it can stay."""
    # A lone surrogate has no UTF-8, so no file can be named with it.
    name = _FORBIDDEN.sub("", name).encode("utf-8", "ignore").decode("utf-8")
    if _DOTS.fullmatch(name) or _DEVICE.fullmatch(name):
        return ""
    name = name.rstrip(". ")
    return name.encode("utf-8")[:_MAX_BYTES].decode("utf-8", "ignore")


def free_name(wanted: str, is_taken: Callable[[str], bool]) -> str:
    """Return the first file name of `wanted`, `wanted 2`, `wanted 3`, … that is not taken.

    For names that the program makes: one that no file can have, a device's, gets `_` in front. A long name is
    shortened before the number, which is never cut.
    """
    stem = _usable_stem(wanted.removesuffix(SUFFIX))
    number = 1
    while True:
        ending = f" {number}" if number > 1 else ""
        file_name = _cut(stem, _MAX_BYTES - len(SUFFIX) - len(ending)) + ending + SUFFIX
        if not is_taken(file_name):
            return file_name
        number += 1


def _usable_stem(wanted: str) -> str:
    for name in (wanted, f"_{wanted}"):
        with contextlib.suppress(StorageError):
            return normalize_name(_cut(name, _MAX_BYTES - len(SUFFIX)))[1]
    raise AssertionError("a name that begins with _ can be used")


def with_ending(stem: str, ending: str) -> str:
    """Return the file name of `stem` and `ending`; a long stem is shortened, the ending never."""
    return _cut(stem, _MAX_BYTES - len(SUFFIX) - len(ending.encode("utf-8"))) + ending + SUFFIX


def require_plain_name(name: str) -> str:
    """Return `name` if it names something in a folder and nothing outside of it. Raises validation/name."""
    if not name or name in (".", "..") or re.search(r"[/\\\x00]", name):
        raise StorageError("validation", "name", "not a plain file name")
    return name


def _cut(text: str, size: int) -> str:
    """Return as much of the beginning of `text` as fits into `size` bytes of UTF-8, whole characters only."""
    return text.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore")
