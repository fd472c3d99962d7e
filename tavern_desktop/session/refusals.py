"""Why something the person asked for was not done: one sentence, for the person."""

from __future__ import annotations


class Refused(Exception):
    """Nothing was changed; `sentence` says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class CommandRefused(Refused):
    """A command cannot be carried out on the chat as it is."""


class UndoRefused(Refused):
    """What an undo or redo would change was changed by something else since."""
