"""A chat that many small changes were made to, with its journal and every state it had."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recorder import Recorder
from tavern_desktop.storage.journal import Entry, Journal

HOUR = 3_600_000
DAY = 24 * HOUR


@dataclass
class Story:
    """`states` are (header, records), by number; `now` is the time of the next change in milliseconds."""

    journal: Journal
    chat: Chat = field(default_factory=lambda: Chat(Header(b"{}"), Message.read(map(_raw, range(30)))))
    now: int = 1_790_000_000_000
    states: list[tuple[bytes, list[bytes]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._recorder = Recorder(self.chat)
        self._chance = random.Random(3)
        self.states.append(self.state())

    def state(self) -> tuple[bytes, list[bytes]]:
        return self.chat.header.raw, [message.raw for message in self.chat.messages]

    def take(self) -> Entry:
        """Return what happened since the last time as the next entry."""
        pending = self._recorder.take()
        assert pending is not None
        number = self.journal.number + 1
        self.states.append(self.state())
        return Entry(number, self.now, "command", f"Change {number}", pending.delta())

    def write(self) -> int:
        """Write down what happened since the last time; return the number of the state."""
        entry = self.take()
        self.journal.append([entry])
        return entry.number

    def change(self, every: int = HOUR) -> int:
        """Do something small, write it down, and let time pass."""
        chat, chance = self.chat, self._chance
        size = len(chat)
        kind = chance.choice(["insert", "insert", "edit", "edit", "remove", "move"])
        at = chance.randrange(size)
        if kind == "insert":
            chat.insert(size, Message.read([_raw(chance.randrange(10_000))]))
        elif kind == "edit" or size < 5:
            chat.replace(at, [Message(chat.messages[at].key, _raw(chance.randrange(10_000)))])
        elif kind == "remove":
            chat.remove(at, at)
        else:
            chat.move(0, 0, size)
        number = self.write()
        self.now += every
        return number

    def changes(self, count: int, every: int = HOUR) -> Iterator[int]:
        for _ in range(count):
            yield self.change(every)


def _raw(number: int) -> bytes:
    return b'{"mes":"%d %s"}' % (number, b"It rained all night. " * (number % 7))
