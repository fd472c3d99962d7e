"""A chat whose every change is written down in a journal of its own, as a session does it."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.recorder import Recorder
from tavern_desktop.session.commands import Command
from tavern_desktop.session.history import Snapshot
from tavern_desktop.storage.journal import Entry, Journal
from tavern_desktop.storage.journal_format import JournalKind

DAY = 24 * 3600 * 1000
BEGAN = 1_780_000_000_000
"""Milliseconds since 1970 of the first change; each further one is a minute later."""


class Versioned:
    """`at_ms` is when the next change happens."""

    def __init__(self, chat: Chat, folder: Path) -> None:
        self.chat = chat
        self.journal = Journal(folder)
        self.at_ms = BEGAN
        self._recorder = Recorder(chat)

    @property
    def present(self) -> Snapshot:
        return Snapshot(*self.chat.snapshot())

    def do(self, command: Command, kind: JournalKind = "command") -> int:
        """Carry out a command and return the number of the state it leads to."""
        command.do(self.chat)
        return self.note(kind, command.label)

    def undo(self, command: Command) -> int:
        command.undo(self.chat)
        return self.note("undo", command.label)

    def note(self, kind: JournalKind, label: str) -> int:
        pending = self._recorder.take()
        assert pending is not None
        number = self.journal.number + 1
        self.journal.append([Entry(number, self.at_ms, kind, label, pending.delta())])
        self.at_ms += 60_000
        return number
