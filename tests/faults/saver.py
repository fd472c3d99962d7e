"""A process that saves a chat over and over, to be killed at any moment.

Each version says in its header which it is, and in its last message how many messages it has, so that a file
can be told to be one whole version. After each save the number is printed: that version is published.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.format import commit_pieces
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.signature import Signature

INTEGRITY = "11111111-1111-4111-8111-111111111111"


def version(number: int) -> tuple[Header, list[Message]]:
    """Return a chat of some hundred kilobytes, its size and text telling its number."""
    header = Header.of({"chat_metadata": {"integrity": INTEGRITY, "version": number}})
    count = 50 + number % 7
    messages = [Message.new({"mes": f"{number} {index} " + "x" * 5000}) for index in range(count)]
    return header, [*messages, Message.new({"mes": f"{number} end", "count": count})]


def save_for_ever(path: Path, number: int) -> None:
    """Save version after version, starting with `number`, until killed."""
    while True:
        header, messages = version(number)
        publish(path, commit_pieces(header, messages), expected=Signature.of_path(path), integrity=INTEGRITY)
        print(number, flush=True)
        number += 1


if __name__ == "__main__":
    save_for_ever(Path(sys.argv[1]), int(sys.argv[2]))
