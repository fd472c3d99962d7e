"""A branch: the chat up to a message as a new file beside it, which points back to where it comes from."""

from __future__ import annotations

import itertools
import os
import re
import uuid
from collections.abc import Sequence
from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.errors import ChangedOnDisk
from tavern_desktop.storage.names import SUFFIX
from tavern_desktop.storage.summary import PARENT

_ENDING = re.compile(r" - Branch #\d+$")
_OLD_BEGINNING = re.compile(r"^Branch #\d+ - ")


def write_branch(path: Path, header: Header, messages: Sequence[Message]) -> Path:
    """Write `messages` as a branch of the chat at `path`, which is not touched; return the new file.

    It gets an identity of its own, everything else of the metadata is copied (chat files §12). Runs off the
    owner. Raises StorageError.
    """
    metadata = header.metadata() | {"integrity": str(uuid.uuid4()), PARENT: path.name.removesuffix(SUFFIX)}
    version = Version(header.with_metadata(metadata), list(messages))
    while True:
        target = free_branch(path)
        try:
            write_new(target, version)
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
        return target


def free_branch(path: Path) -> Path:
    """Return the first `<chat> - Branch #n` that is free beside the chat; a branch's branch counts on."""
    stem = _OLD_BEGINNING.sub("", _ENDING.sub("", path.name.removesuffix(SUFFIX)))
    for number in itertools.count(1):
        target = path.with_name(names.with_ending(stem, f" - Branch #{number}"))
        if not os.path.lexists(target):
            return target
    raise AssertionError("numbers do not end")
