"""What is known of each connection at the moment: whether its server answers, with which model and how much room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tavern_desktop.backends.errors import Kind
from tavern_desktop.backends.protocol import Status
from tavern_desktop.chat.signal import Signal

ReachState = Literal["unknown", "asking", "loading", "connected", "failed"]
"""`loading`: a model file is being read by our own server."""


@dataclass(frozen=True, slots=True)
class Reach:
    """One connection. `sentence` says why it failed, or how far it is; `kind` is that of a server's failure, else "".
    `context`: tokens, None if not known."""

    state: ReachState = "unknown"
    model: str = ""
    context: int | None = None
    sentence: str = ""
    kind: Kind | Literal[""] = ""


UNKNOWN = Reach()


class Reaches:
    """By the ids of their connections. Belongs to the owner."""

    def __init__(self) -> None:
        self.changed: Signal[str] = Signal()
        """The id of the connection of which more is known."""
        self._by_id: dict[str, Reach] = {}

    def of(self, id: str) -> Reach:
        """Return what is known of a connection."""
        return self._by_id.get(id, UNKNOWN)

    def note(self, id: str, reach: Reach) -> None:
        """Take what has come to be known."""
        if self.of(id) != reach:
            self._by_id[id] = reach
            self.changed.emit(id)

    def note_status(self, id: str, status: Status) -> None:
        """Take what a server said of itself."""
        self.note(id, Reach("connected", status.model, status.context))

    def note_reply(self, id: str, model: str, failure: str, kind: Kind | Literal[""] = "") -> None:
        """Take that a reply came, or why none did ("" for none)."""
        known = self.of(id)
        if failure:
            self.note(id, Reach("failed", known.model or model, known.context, failure, kind))
        else:
            self.note(id, Reach("connected", known.model or model, known.context))

    def forget(self, id: str) -> None:
        """Take that a connection is another one now, or gone."""
        if self._by_id.pop(id, UNKNOWN) != UNKNOWN:
            self.changed.emit(id)
