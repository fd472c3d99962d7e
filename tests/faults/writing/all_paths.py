"""All ways in which this program writes."""

from __future__ import annotations

from tests.faults.writing import characters, chat_files, greater_acts, open_chats, own_files, presets
from tests.faults.writing.base import WritePath


def _all(kind: type[WritePath]) -> list[type[WritePath]]:
    found = [kind] if "name" in vars(kind) else []
    return found + [path for below in kind.__subclasses__() for path in _all(below)]


MODULES = (characters, chat_files, own_files, open_chats, greater_acts, presets)
"""Where they are."""
WRITE_PATHS = {path.name: path for path in sorted(_all(WritePath), key=lambda path: path.name)}
