"""The commands of earlier runs of the program, from the journal: they can be undone and redone like those of this run.

What was done is found by going back from a state that is known; its steps are addressed to the keys that its messages
have now. What was taken back, and what took it back, is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.deltas import UNKNOWN, Delta, DeltaMismatch, Head, Insert, Remove
from tavern_desktop.session.commands import Command, Mark
from tavern_desktop.session.journal_steps import go
from tavern_desktop.session.refusals import UndoRefused
from tavern_desktop.session.steps import Step
from tavern_desktop.session.version_steps import steps_between
from tavern_desktop.session.versions import Version
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_format import Meta

MOST_COMMANDS = 50
"""Commands of earlier runs that can be undone."""


class PastCommand(Command):
    """What was done in an earlier run."""

    def __init__(self, meta: Meta, steps: list[Step]) -> None:
        super().__init__()
        self.label, self.kind = meta.label, meta.kind
        self.mark = Mark(meta.number)
        self._steps = steps

    def _plan(self, chat: Chat) -> list[Step]:
        raise AssertionError("its steps are known")


class ElsewhereCommand(PastCommand):
    """What another program did while the chat was closed: not all of what it took out is known."""

    def undo(self, chat: Chat) -> None:
        raise UndoRefused("Nothing before this can be undone: another program changed the chat while it was closed.")


@dataclass(frozen=True, slots=True)
class Past:
    """Commands, each list with the next to be undone, or redone, at its end."""

    done: list[Command] = field(default_factory=list)
    undone: list[Command] = field(default_factory=list)


def past_of(journal: Journal, number: int, version: Version) -> Past:
    """Return what was done up to the state `number`, which is `version`. Runs off the owner. Raises nothing."""
    metas = [meta for meta in journal.metas() if meta.number <= number]
    past = Past()
    try:
        _Walk(journal, metas, version).redo(past.undone)
        _Walk(journal, metas, version).undo(past.done)
    except (DeltaMismatch, StorageError):
        pass  # what was found up to there is right
    past.done.reverse()
    past.undone.reverse()
    return past


class _Walk:
    """Goes back through the changes, the newest first."""

    def __init__(self, journal: Journal, metas: list[Meta], version: Version) -> None:
        self._journal = journal
        self._metas = metas
        self._at = 0
        self._version = version
        self._undone = {meta.undoes for meta in metas if meta.kind == "undo" and meta.undoes is not None}

    def redo(self, found: list[Command]) -> None:
        """Add what was taken back last, the newest first: to do it again is to take that back."""
        while self._at < len(self._metas) and len(found) < MOST_COMMANDS:
            meta = self._metas[self._at]
            if meta.kind != "undo" or meta.undoes is None:
                return
            after = self._version
            self._go_back(meta)
            command = PastCommand(meta, steps_between(after, self._version))
            command.kind, command.mark = "command", Mark(meta.undoes)
            found.append(command)

    def undo(self, found: list[Command]) -> None:
        """Add what was done and not taken back, the newest first."""
        while self._at < len(self._metas) and len(found) < MOST_COMMANDS:
            meta = self._metas[self._at]
            if meta.kind == "undo" and meta.undoes is not None:
                if not self._pass_over(meta.undoes):
                    return
                continue
            if _has_unknown(self._journal.delta(meta.number)):
                found.append(ElsewhereCommand(meta, []))
                return
            after = self._version
            self._go_back(meta)
            if meta.kind == "merge" and self._at < len(self._metas) and self._metas[self._at].kind == "found":
                self._go_back(self._metas[self._at])
            steps = steps_between(after=after, before=self._version)
            if steps and not (meta.kind == "outside" and _is_of_header(self._journal.delta(meta.number))):
                found.append(PastCommand(meta, steps))

    def _pass_over(self, target: int) -> bool:
        """Go over a command that was taken back, and all that happened until then; False if some of that stands."""
        while self._at < len(self._metas):
            meta = self._metas[self._at]
            self._at += 1
            if meta.number == target:
                if meta.kind == "merge" and self._at < len(self._metas) and self._metas[self._at].kind == "found":
                    self._at += 1
                return True
            if meta.kind != "undo" and meta.number not in self._undone and meta.kind != "found":
                return False
        return False

    def _go_back(self, meta: Meta) -> None:
        """Make the version the one before a change. Raises DeltaMismatch, StorageError."""
        delta = self._journal.delta(meta.number)
        messages = list(self._version.messages)
        header = go(delta, self._version.header, messages, back=True)
        self._version = Version(header, messages)
        self._at += 1


def _has_unknown(delta: Delta) -> bool:
    return any(UNKNOWN in op.records for op in delta.ops if isinstance(op, Insert | Remove))


def _is_of_header(delta: Delta) -> bool:
    return all(isinstance(op, Head) for op in delta.ops)
