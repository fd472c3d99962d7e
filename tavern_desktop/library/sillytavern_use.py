"""Whether SillyTavern works in a data folder too, and which of its chats would come to harm there."""

from __future__ import annotations

import os
from typing import Literal

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.settings_file import read_settings

NEAR_MESSAGES = 110_000
"""Its page was seen to open 124,000 messages, and to replace 126,000 by a greeting."""
NEAR_BYTES = 450_000_000
"""It takes a chat of more than 512 MiB for none, and cannot save one of more than 500 MB."""

_SERVER_FILES = ("cookie-secret.txt", "_storage")
_VERSION = "currentVersion"


def is_used_by_sillytavern(root: DataRoot, own_library: os.PathLike[str]) -> bool:
    """Say whether its server or its page have left their marks; our own library is only made like theirs.

    Reads `settings.json`; for a worker.
    """
    if os.path.realpath(root.path) == os.path.realpath(own_library):
        return False
    has_served = any((root.path / name).exists() for name in _SERVER_FILES)
    return has_served or isinstance(read_settings(root).get(_VERSION), str)


def limit_in_sight(messages: int, size: int) -> Literal["messages", "bytes"] | None:
    """Return of what a chat has, or will soon have, more than SillyTavern can open; None while all is well."""
    if messages >= NEAR_MESSAGES:
        return "messages"
    return "bytes" if size >= NEAR_BYTES else None
