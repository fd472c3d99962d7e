"""What a model server sends, sorted into what a reply consists of: text, reasoning, counts, other alternatives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tavern_desktop.backends.events import (
    Event,
    Failed,
    Finished,
    Progress,
    Reasoning,
    Started,
    Text,
    ToolCallPart,
    Usage,
    Waiting,
)
from tavern_desktop.backends.gathered import calls_of
from tavern_desktop.prompt.messages import ToolCall
from tavern_desktop.prompt.reasoning import ReasoningParser
from tavern_desktop.session.generating.events import EventType

Item = tuple[EventType, str, dict[str, Any] | None]
Beside = tuple[int, str, str]
"""The number of an alternative that is not shown, a piece of its text, and of its reasoning."""


@dataclass
class Alternative:
    """One alternative that is being written. Pieces are joined when they are asked for."""

    parser: ReasoningParser = field(default_factory=ReasoningParser)
    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    finish: str = ""

    def add(self, text: str, reasoning: str) -> None:
        """Add a piece."""
        if text:
            self.texts.append(text)
        if reasoning:
            self.thoughts.append(reasoning)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def reasoning(self) -> str:
        return "".join(self.thoughts)


class Incoming:
    """The reply so far. `take` returns what is new in the first alternative, as events for those who watch."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.started_at = clock()
        self.first_text_at: float | None = None
        self.reasoning_from: float | None = None
        self.reasoning_to: float | None = None
        self.model = ""
        self._signatures: list[str] = []
        self.usage: Usage | None = None
        self.failed: Failed | None = None
        self.alternatives: dict[int, Alternative] = {}
        self._calls: dict[int, list[ToolCallPart]] = {}
        self._beside: list[Beside] = []
        self._open: EventType | None = None

    @property
    def main(self) -> Alternative:
        """The alternative that is shown while it is written."""
        return self._alternative(0)

    @property
    def others(self) -> list[Alternative]:
        """Alternatives that came beside it, in order."""
        return [self.alternatives[number] for number in sorted(self.alternatives) if number]

    @property
    def signature(self) -> str:
        """What the provider wants back with the reasoning, "" where it sealed several pieces: they are kept as one."""
        return self._signatures[0] if len(self._signatures) == 1 else ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The tools that the first alternative calls."""
        return calls_of(self._calls)

    @property
    def reasoning_ms(self) -> int | None:
        """How long the model thought, None if it did not."""
        if self.reasoning_from is None:
            return None
        return round(((self.reasoning_to or self._clock()) - self.reasoning_from) * 1000)

    @property
    def seconds_writing(self) -> float:
        """How long ago the first piece of text or reasoning came, 0 while nothing has."""
        times = [at for at in (self.first_text_at, self.reasoning_from) if at is not None]
        return self._clock() - min(times) if times else 0.0

    @property
    def first_token_ms(self) -> int | None:
        """Milliseconds from the request to the first piece of text or reasoning."""
        times = [at for at in (self.first_text_at, self.reasoning_from) if at is not None]
        return round((min(times) - self.started_at) * 1000) if times else None

    def take(self, events: Sequence[Event]) -> list[Item]:
        """Take what the server sent; return what those who watch see of it."""
        items: list[Item] = []
        for event in events:
            self._take(event, items)
        return items

    def end(self) -> list[Item]:
        """Nothing more comes: return what was held back and the ends of what is open."""
        items: list[Item] = []
        for number, alternative in self.alternatives.items():
            text, reasoning = alternative.parser.end()
            alternative.add(text, reasoning)
            if number == 0:
                self._show(text, reasoning, items)
            else:
                self._beside.append((number, text, reasoning))
        self._close(items)
        return items

    def take_beside(self) -> list[Beside]:
        """Return what came in the other alternatives since this was asked last."""
        pieces, self._beside = self._beside, []
        return pieces

    def _take(self, event: Event, items: list[Item]) -> None:
        if isinstance(event, Text):
            alternative = self._alternative(event.choice)
            text, reasoning = alternative.parser.feed(event.text)
            self._add(event.choice, alternative, text, reasoning, items)
        elif isinstance(event, Reasoning):
            if event.signature and event.choice == 0:
                self._signatures.append(event.signature)
            self._add(event.choice, self._alternative(event.choice), "", event.text, items)
        elif isinstance(event, ToolCallPart):
            if event.choice == 0:
                self._calls.setdefault(event.number, []).append(event)
        elif isinstance(event, Started):
            self.model = event.model or self.model
        elif isinstance(event, Usage):
            self.usage = event
        elif isinstance(event, Finished):
            self._alternative(event.choice).finish = event.reason
        elif isinstance(event, Failed):
            self.failed = event
        elif isinstance(event, Progress):
            items.append(("status", "", {"done": event.done, "total": event.total}))
        elif isinstance(event, Waiting):
            items.append(("status", event.sentence, {"seconds": event.seconds}))

    def _add(self, choice: int, alternative: Alternative, text: str, reasoning: str, items: list[Item]) -> None:
        alternative.add(text, reasoning)
        if choice == 0:
            self._note_times(text, reasoning)
            self._show(text, reasoning, items)
        else:
            self._beside.append((choice, text, reasoning))

    def _note_times(self, text: str, reasoning: str) -> None:
        now = self._clock()
        if reasoning and self.reasoning_from is None:
            self.reasoning_from = now
        if text and self.first_text_at is None:
            self.first_text_at = now
            if self.reasoning_from is not None:
                self.reasoning_to = now

    def _show(self, text: str, reasoning: str, items: list[Item]) -> None:
        if reasoning:
            self._begin("thinking_chunk", items)
            items.append(("thinking_chunk", reasoning, None))
        if text:
            self._begin("text_chunk", items)
            items.append(("text_chunk", text, None))

    def _begin(self, kind: EventType, items: list[Item]) -> None:
        if self._open != kind:
            self._close(items)
            self._open = kind

    def _close(self, items: list[Item]) -> None:
        if self._open is not None:
            items.append(("text_end" if self._open == "text_chunk" else "thinking_end", "", None))
            self._open = None

    def _alternative(self, number: int) -> Alternative:
        return self.alternatives.setdefault(number, Alternative())
