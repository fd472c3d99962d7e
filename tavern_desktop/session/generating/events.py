"""What happens while a reply is generated, as numbered events that a view can follow and replay.

Events of one task have the indices 0, 1, 2 … without gaps (conversation entry §4). What they say about a reply
adds up to a `Partial`; the stored message, not this sum, counts once the task has ended.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record

EventType = Literal[
    "message_start",
    "text_chunk",
    "text_end",
    "thinking_chunk",
    "thinking_end",
    "message_end",
    "tool_start",
    "tool_end",
    "status",
    "done",
    "failed",
    "stopped",
]

TERMINAL: frozenset[str] = frozenset({"done", "failed", "stopped"})
"""Types of the last event of a task."""


class Event(NamedTuple):
    """One event of a task. `text` is what a chunk adds, or the sentence of a status or a failure.

    `data`: for tool events `call_id`, `name` and `arguments`; for the last event `message_key` and `epoch`.
    """

    task_id: str
    idx: int
    type: EventType
    text: str = ""
    data: dict[str, Any] | None = None


@dataclass(slots=True)
class Partial:
    """A reply as far as the events before `upto` tell it."""

    text: str = ""
    reasoning: str = ""
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    upto: int = 0

    def copy(self) -> Partial:
        """Return a value that later events do not change."""
        return Partial(self.text, self.reasoning, [dict(call) for call in self.tool_calls], self.upto)

    def add(self, events: Iterable[Event]) -> None:
        """Go on with the events that follow. Chunks are joined once, however many there are."""
        texts: list[str] = []
        thoughts: list[str] = []
        for event in events:
            if event.type == "message_start":  # another message: what was before it stands in the chat
                self.text = self.reasoning = ""
                self.tool_calls = []
                texts, thoughts = [], []
            elif event.type == "text_chunk":
                texts.append(event.text)
            elif event.type == "thinking_chunk":
                thoughts.append(event.text)
            elif event.type == "tool_start":
                self.tool_calls.append(dict(event.data or {}))
            self.upto = event.idx + 1
        self.text += "".join(texts)
        self.reasoning += "".join(thoughts)


class Openness:
    """What a stream has begun and not ended."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._begun: set[str] = set()
        self._calls: set[str] = set()
        self._unnamed_calls = 0
        for event in events:
            self.note(event)

    @property
    def is_open(self) -> bool:
        """Say whether something begun is not ended: the stream is in the middle of it."""
        return bool(self._begun or self._calls or self._unnamed_calls > 0)

    def note(self, event: Event) -> None:
        """Take notice of the next event."""
        what, _, step = event.type.partition("_")
        if what == "tool":
            self._note_call(step == "start", (event.data or {}).get("call_id"))
        elif step in ("start", "chunk"):
            self._begun.add(what)
        elif step == "end":
            self._begun.discard(what)

    def _note_call(self, starts: bool, call_id: object) -> None:
        if not isinstance(call_id, str):
            self._unnamed_calls += 1 if starts else -1
        elif starts:
            self._calls.add(call_id)
        else:
            self._calls.discard(call_id)


def needs_rebuild(last_message: Record | None, openness: Openness) -> bool:
    """Say whether a view that comes in must build the reply in progress from its first event (conversation entry §3.1).

    `last_message` is the last record of the file's state, None in an empty chat.
    """
    if last_message is None or facts.role(last_message) != "assistant" or not _has_content(last_message):
        return True
    return openness.is_open


def _has_content(data: Record) -> bool:
    return bool(facts.text(data).strip() or data.get("tool_calls") or facts.extra(data).get("reasoning"))
