"""What can go wrong between us and a server of tools: one exception, a closed list of kinds, one sentence each."""

from __future__ import annotations

from typing import Literal

Kind = Literal[
    "missing",  # the package that speaks the protocol is not installed
    "setup",  # the server is set up wrongly
    "start",  # its program cannot be started, or ended before it said anything
    "unreachable",  # nobody answers at its address
    "refused",  # it wants another key, or this is not its address
    "protocol",  # it says something else than the protocol
    "silent",  # it did not answer in time
    "ended",  # it ended, or the connection was lost
    "off",  # it is switched off, or taken out
]

UNKNOWN_OUTCOMES: frozenset[Kind] = frozenset({"silent", "ended"})
"""After these nobody can say whether a call that was under way was carried out."""


class ToolServerError(Exception):
    """A server of tools cannot be used. `sentence` is for people and holds nothing secret; `said` is what the server's
    program wrote on its error output, for people too, and never for a log."""

    def __init__(self, kind: Kind, sentence: str, *, said: str = "", is_of_start: bool = False) -> None:
        """`is_of_start`: it did not get ready, so that no call can have reached it."""
        super().__init__(kind, sentence)
        self.is_of_start = is_of_start
        self.kind: Kind = kind
        self.sentence = sentence
        self.said = said

    def __str__(self) -> str:
        return self.sentence
