"""A branch or checkpoint: the chat up to a message as a new file beside it, which points back to where it comes from.

One goes on in a branch; a checkpoint stays as it is, and the message that it was made at is marked with it.
"""

from __future__ import annotations

import itertools
import os
import re
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.links import PARENT
from tavern_desktop.chat.message import Message
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk
from tavern_desktop.storage.names import SUFFIX

_ENDING = re.compile(r" - (?:Branch|Checkpoint) #\d+$")
_OLD_BEGINNING = re.compile(r"^(?:Branch|Checkpoint) #\d+ - ")

Word = Literal["Branch", "Checkpoint"]


def write_branch(path: Path, header: Header, messages: Sequence[Message]) -> Path:
    """Write `messages` as a branch of the chat at `path`, which is not touched; return the new file.

    It gets an identity of its own, everything else of the metadata is copied (chat files §12). Runs off the
    owner. Raises StorageError.
    """
    return _write(path, header, messages, lambda: numbered(path, "Branch"))


def write_checkpoint(path: Path, header: Header, messages: Sequence[Message], name: str) -> Path:
    """Write `messages` as a checkpoint of the chat at `path`, as `write_branch` does.

    `name` is the person's wish, numbered where it is taken; "" means `<chat> - Checkpoint #n`.
    Raises StorageError, also validation/name.
    """
    if not name.strip():
        return _write(path, header, messages, lambda: numbered(path, "Checkpoint"))
    wanted = names.normalize_name(name)[0]
    folder = path.parent
    return _write(
        path,
        header,
        messages,
        lambda: folder / names.free_name(wanted, lambda each: os.path.lexists(folder / each)),
    )


def numbered(path: Path, word: Word) -> Path:
    """Return the first `<chat> - <word> #n` that is free beside the chat; a branch's branch counts on."""
    stem = _OLD_BEGINNING.sub("", _ENDING.sub("", path.name.removesuffix(SUFFIX)))
    for number in itertools.count(1):
        target = path.with_name(names.with_ending(stem, f" - {word} #{number}"))
        if not os.path.lexists(target):
            return target
    raise AssertionError("numbers do not end")


def _write(path: Path, header: Header, messages: Sequence[Message], free: Callable[[], Path]) -> Path:
    metadata = header.metadata() | {"integrity": str(uuid.uuid4()), PARENT: path.name.removesuffix(SUFFIX)}
    version = Version(header.with_metadata(metadata), list(messages))
    while True:
        target = free()
        try:
            write_new(target, version)
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
        return target
