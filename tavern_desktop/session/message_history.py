"""What one message said before: its earlier texts, out of the journal (known failures B-28).

Only the message itself is led back through the changes, not the chat around it, so that a thousand changes of a long
chat cost the reading of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from tavern_desktop.chat import facts
from tavern_desktop.chat.deltas import UNKNOWN, Delta, DeltaMismatch, Edit, Insert, Move, Remove
from tavern_desktop.chat.message import Message
from tavern_desktop.session.history import Past, Snapshot, past_of
from tavern_desktop.storage.journal import Journal


@dataclass(frozen=True, slots=True)
class EarlierText:
    """A message as it was until `past` changed it."""

    past: Past
    message: Message

    @property
    def text(self) -> str:
        return facts.text(self.message.data())


def earlier_texts(journal: Journal | None, present: Snapshot, index: int) -> list[EarlierText]:
    """Return what the message at `index` of the chat said before, the newest first; each text that differs once.

    Where the journal does not fit any more, or the message came in, the list ends. Raises StorageError.
    """
    message = present.messages[index]
    trail = _Trail(index, message.raw)
    found: list[EarlierText] = []
    shown = facts.text(message.seen_data())
    for meta, delta in journal.deltas_back() if journal is not None else ():
        before = trail.raw
        try:
            trail.go_back(delta)
        except DeltaMismatch:
            break
        if trail.raw in (before, UNKNOWN):
            continue
        earlier = EarlierText(past_of(meta), Message(message.key, trail.raw))
        if earlier.text != shown:
            found.append(earlier)
            shown = earlier.text
    return found


class _Trail:
    """Where one message stands and what it says, going back. While it is not there, its last text is waited for."""

    def __init__(self, index: int, raw: bytes) -> None:
        self.raw = raw
        self._index: int | None = index

    def go_back(self, delta: Delta) -> None:
        """Take a change back. Raises DeltaMismatch."""
        for op in reversed(delta.ops):
            if self._index is None:
                self._look_for(op)
            else:
                self._index = self._before(op, self._index)

    def _before(self, op: object, index: int) -> int | None:
        match op:
            case Edit() if op.index == index:
                self.raw = op.edited(self.raw, back=True)
            case Insert() if op.index <= index:
                return None if index < op.index + len(op.records) else index - len(op.records)
            case Remove() if op.index <= index:
                return index + len(op.records)
            case Move():
                return _led(op.reversed(), index)
        return index

    def _look_for(self, op: object) -> None:
        """See whether the message was taken out here and came back later, as by an undo."""
        if isinstance(op, Remove) and self.raw in op.records:
            self._index = op.index + op.records.index(self.raw)


def _led(op: Move, index: int) -> int:
    """Return where a move leads what stands at `index`."""
    count = op.last - op.first + 1
    at = op.destination if op.destination < op.first else op.destination - count
    if op.first <= index <= op.last:
        return at + index - op.first
    rest = index if index < op.first else index - count
    return rest if rest < at else rest + count
