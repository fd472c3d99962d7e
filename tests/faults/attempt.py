"""A process that tries to save a chat once, where that is refused: prints how it went as JSON.

    python -m tests.faults.attempt FILE MEGABYTES [--as-nobody]

MEGABYTES is how large the new version is. `--as-nobody` gives up root once everything is imported.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from tavern_desktop.chat.message import Message
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import load

NOBODY = 65534


def attempt(path: Path, megabytes: float) -> dict[str, object]:
    """Load the chat, add a message of that size and save it."""
    chat = load(path)
    assert chat.header is not None
    size = int(megabytes * 1024 * 1024)
    messages = [*chat.messages, *(Message.new({"mes": "x" * 1000}) for _ in range(size // 1000))]
    pieces = commit_pieces(chat.header, messages)
    try:
        publish(path, pieces, expected=chat.signature, integrity=chat.header.integrity())
    except StorageError as error:
        return {"kind": error.kind, "detail": error.detail, "sentence": sentence(error)}
    return {"kind": None}


def give_up_root() -> None:
    """Become a user who may do nothing special; who is no root is one already."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


if __name__ == "__main__":
    if "--as-nobody" in sys.argv:
        give_up_root()
    print(json.dumps(attempt(Path(sys.argv[1]), float(sys.argv[2]))))
