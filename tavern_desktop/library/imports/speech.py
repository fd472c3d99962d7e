"""Messages made of what other programs' files say: a text, whose it is, and a date where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from tavern_desktop.chat import edits
from tavern_desktop.chat.message import Message

Conversation = list[Message]


@dataclass(frozen=True, slots=True)
class Speakers:
    """The names of the two who speak, for files that name nobody."""

    user: str
    character: str

    def message(self, text: str, *, by_user: bool, name: str = "", at_ms: int | None = None) -> Message:
        """Return a message; `at_ms` counts from 1970, None means now."""
        speaker = name or (self.user if by_user else self.character)
        record = edits.new_message("user" if by_user else "assistant", text, speaker, send_date=_iso(at_ms))
        return edits.created(record)


def _iso(at_ms: int | None) -> str | None:
    """Return a moment as SillyTavern writes it, None for one that no calendar has."""
    if at_ms is None:
        return None
    try:
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
