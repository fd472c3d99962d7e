"""What can be undone in a chat, for as long as it is open."""

from __future__ import annotations

from collections.abc import Sequence

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.commands import Command


class UndoStack:
    """The commands done to one chat, and how many of them are not taken back.

    A command that refuses to be taken back or done again is forgotten: those before it can still be reached.
    """

    def __init__(self) -> None:
        self._done: list[Command] = []
        self._undone: list[Command] = []

    @property
    def next_undo(self) -> Command | None:
        """What `undo` takes back, None if there is nothing."""
        return self._done[-1] if self._done else None

    @property
    def next_redo(self) -> Command | None:
        """What `redo` does again, None if there is nothing."""
        return self._undone[-1] if self._undone else None

    @property
    def undo_label(self) -> str | None:
        """The label of what `undo` takes back, None if there is nothing."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """The label of what `redo` does again, None if there is nothing."""
        return self._undone[-1].label if self._undone else None

    def add(self, command: Command) -> None:
        """Put a command that was just done; what had been taken back is given up."""
        self._done.append(command)
        self._undone.clear()

    def undo(self, chat: Chat) -> None:
        """Take back the newest command. Raises UndoRefused; IndexError if there is none."""
        command = self._done.pop()
        command.undo(chat)
        self._undone.append(command)

    def redo(self, chat: Chat) -> None:
        """Do again what was taken back last. Raises UndoRefused; IndexError if there is nothing."""
        command = self._undone.pop()
        command.do(chat)
        self._done.append(command)

    def put_below(self, done: Sequence[Command], undone: Sequence[Command]) -> None:
        """Put what was done before the chat was opened below what has been done since."""
        if not self._done and not self._undone:
            self._undone = list(undone)
        self._done[:0] = done

    def clear(self) -> None:
        """Forget everything."""
        self._done.clear()
        self._undone.clear()
