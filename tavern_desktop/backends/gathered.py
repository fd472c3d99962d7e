"""A reply put together from its events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tavern_desktop.backends.events import (
    Event,
    Failed,
    Finished,
    Reasoning,
    Started,
    Text,
    ToolCallPart,
    Usage,
)
from tavern_desktop.prompt.messages import ToolCall


class Gathered:
    """What has come so far. Texts are kept in pieces until they are asked for."""

    def __init__(self) -> None:
        self.model = ""
        self.usage = Usage()
        self.finished: dict[int, Finished] = {}
        self.failed: Failed | None = None
        self.signatures: dict[int, list[str]] = defaultdict(list)
        self._texts: dict[int, list[str]] = defaultdict(list)
        self._reasonings: dict[int, list[str]] = defaultdict(list)
        self._calls: dict[int, dict[int, list[ToolCallPart]]] = defaultdict(lambda: defaultdict(list))

    def take(self, event: Event) -> None:
        """Add an event."""
        if isinstance(event, Text):
            self._texts[event.choice].append(event.text)
        elif isinstance(event, Reasoning):
            self._reasonings[event.choice].append(event.text)
            if event.signature:
                self.signatures[event.choice].append(event.signature)
        elif isinstance(event, ToolCallPart):
            self._calls[event.choice][event.number].append(event)
        elif isinstance(event, Usage):
            self.usage = event
        elif isinstance(event, Started):
            self.model = event.model
        elif isinstance(event, Finished):
            self.finished[event.choice] = event
        elif isinstance(event, Failed):
            self.failed = event

    @property
    def choices(self) -> list[int]:
        """The alternatives that have begun, from 0."""
        return sorted({*self._texts, *self._reasonings, *self._calls, *self.finished})

    def text(self, choice: int = 0) -> str:
        """Return the reply."""
        return "".join(self._texts[choice])

    def reasoning(self, choice: int = 0) -> str:
        """Return what the model thought."""
        return "".join(self._reasonings[choice])

    def tool_calls(self, choice: int = 0) -> tuple[ToolCall, ...]:
        """Return the calls, in order; one without an id gets one."""
        return calls_of(self._calls[choice])


def calls_of(parts: Mapping[int, Sequence[ToolCallPart]]) -> tuple[ToolCall, ...]:
    """Return the calls whose parts came under these numbers, in order; each has an id of its own."""
    calls: list[ToolCall] = []
    for number, own in sorted(parts.items()):
        call = _call(number, own)
        taken = any(other.id == call.id for other in calls)
        calls.append(replace(call, id=f"{call.id}_{number}") if taken else call)
    return tuple(calls)


def _call(number: int, parts: Sequence[ToolCallPart]) -> ToolCall:
    id = next((part.id for part in parts if part.id), f"call_{number}")
    name, arguments, signature = (
        "".join(getattr(part, field) for part in parts) for field in ("name", "arguments", "signature")
    )
    return ToolCall(id, name, arguments or "{}", signature)
