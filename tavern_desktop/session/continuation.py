"""A chat that goes on in a new file, linked to the one before: for chats that grow too long for another program.

The new chat begins with the newest messages of the old one, which is not touched, and takes over its settings.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tavern_desktop.chat import edits, facts
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.links import PARENT
from tavern_desktop.chat.message import Message
from tavern_desktop.library.records import go_on_in, reason
from tavern_desktop.session.loading import load_chat
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.versions import Version, write_new
from tavern_desktop.storage import names
from tavern_desktop.storage.directory import kind_of
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.names import SUFFIX

CARRIED = 100
"""Messages that a new part begins with unless the person wants another number."""

NAMESPACE, CONTINUES = "tavern_desktop", "continues"
"""`chat_metadata.tavern_desktop.continues`: the chat before, and how many of its messages come before this one's."""

_BY_POSITION = ("timedWorldInfo",)
"""Metadata that counts messages from the beginning, and would be wrong in a chat that begins elsewhere."""
_PART = re.compile(r"^(?P<stem>.+) \(part (?P<number>\d{1,4})\)$")
_MEMORY = "memory"
"""In `extra`: what SillyTavern has summed up of the chat so far. Its newest summary counts."""


@dataclass(frozen=True, slots=True)
class Continued:
    """The new chat; `warnings` is what did not work besides."""

    path: Path
    warnings: tuple[str, ...] = ()


class Continuations:
    """Makes new parts of chats, open or not. Belongs to the owner of `runner`, and so does the callback."""

    def __init__(self, runner: Runner, chats: OpenChats) -> None:
        self._runner = runner
        self._chats = chats

    def start(self, path: Path, name: str, carried: int, done: Callable[[Outcome[Continued]], None]) -> None:
        """Write a new chat `name` with the newest `carried` messages of the one at `path`.

        Raises StorageError validation/name at once; of the rest `done` is told.
        """
        names.normalize_name(name)
        session = self._chats.session_for(path)
        if session is not None and session.chat is not None:
            path = session.path
            snapshot = session.chat.snapshot()
            work = _worker(path, name, carried, lambda: snapshot)
        else:
            work = _worker(path, name, carried, lambda: self._read(path))
        self._runner.submit(work, done, lane=str(path))

    def _read(self, path: Path) -> tuple[Header, Sequence[Message]]:
        loaded = load_chat(
            path, kind_of(path), self._chats.header_for_headerless, lambda: False, lambda _done, _total: None
        )
        return loaded.header, loaded.messages


def next_part(stem: str) -> str:
    """Return what the next part of a chat is called."""
    found = _PART.match(stem)
    return f"{found['stem']} (part {int(found['number']) + 1})" if found else f"{stem} (part 2)"


def continuation(path: Path, header: Header, messages: Sequence[Message], carried: int) -> Version:
    """Return the chat that goes on from the one at `path`: an identity of its own, all else of the metadata copied."""
    before = len(messages) - min(carried, len(messages))
    stem = path.name.removesuffix(SUFFIX)
    metadata = {key: value for key, value in header.metadata().items() if key not in _BY_POSITION}
    ours = metadata.get(NAMESPACE)
    link = {CONTINUES: {"chat": stem, "messages": before}}
    metadata |= {
        "integrity": str(uuid.uuid4()),
        PARENT: stem,
        NAMESPACE: (ours if isinstance(ours, dict) else {}) | link,
    }
    return Version(header.with_metadata(metadata), _with_memory(messages, before))


def _with_memory(messages: Sequence[Message], before: int) -> list[Message]:
    """Return the messages from `before` on; the first one gets the newest summary if that stands before it."""
    carried = list(messages[before:])
    mark = f'"{_MEMORY}"'.encode()
    for index in range(len(messages) - 1, -1, -1):
        if mark in messages[index].raw:
            memory = facts.extra(messages[index].data()).get(_MEMORY)
            if isinstance(memory, str) and memory:
                if index < before and carried:
                    carried[0] = edits.saying(carried[0], edits.set_fields(carried[0].data(), {}, {_MEMORY: memory}))
                break
    return carried


def _worker(
    path: Path, name: str, carried: int, read: Callable[[], tuple[Header, Sequence[Message]]]
) -> Callable[[], Continued]:
    def work() -> Continued:
        version = continuation(path, *read(), carried)
        target = _write(path.parent, name, version)
        try:
            go_on_in(path, target)
        except (StorageError, OSError) as error:
            return Continued(target, (f"Created, but the old chat is still the current one: {reason(error)}.",))
        return Continued(target)

    return work


def _write(folder: Path, name: str, version: Version) -> Path:
    while True:
        target = folder / names.free_name(name, lambda each: os.path.lexists(folder / each))
        try:
            write_new(target, version)
        except ChangedOnDisk:  # somebody else took the name meanwhile
            continue
        return target
