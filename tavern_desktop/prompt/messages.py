"""What a request to a model consists of, before any server's own format.

A prompt is built as a list of messages with what each is there for. Chat protocols send the messages; text protocols
send them as one text, written by a template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

PromptRole = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call a model made: `arguments` is the JSON text of an object."""

    id: str
    name: str
    arguments: str
    signature: str = ""
    """What its provider wants back with it, from the same model only."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a model thought before it said something, sealed by its provider: good for the same model only.

    `signature` is "" where only the calls of the message have one.
    """

    text: str
    signature: str
    api: str
    model: str


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message of a request.

    `name` is sent as a field of its own where a protocol has one. `images` are files that go with the text.
    `tool_calls` are an assistant's; a "tool" message answers the call `tool_call_id`.
    `is_prefill`: the model goes on from this text instead of answering it. `thought` is sent where the provider wants
    it back.
    """

    role: PromptRole
    text: str
    name: str = ""
    images: tuple[Path, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    is_prefill: bool = False
    thought: Thought | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A message of a prompt and why it is there.

    `source` is what it comes from: "main", "description", "personality", "scenario", "persona", "examples",
    "history", "post_history", "impersonate", "continue", "prompt: NAME" for a preset's own, "lore: TITLE" …
    `index` is the number of the chat's message, None for others.
    """

    source: str
    message: PromptMessage
    tokens: int
    reason: str
    index: int | None = None
    joins: str = ""
    """Neighbours with the same word here are sent as one message, a line each."""
    stands_alone: bool = False
    """A heading or a word on whose turn it is: never made one with other system messages."""


NO_ROOM = "no room left in the context"
"""Why something is left out that would else be sent."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of the chat or the card that is not sent, and why. For a run of messages the first and last number."""

    source: str
    reason: str
    tokens: int | None = None
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """A whole request: parts in the order in which they are sent."""

    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...] = ()
    stop: tuple[str, ...] = ()
    context: int = 0
    """Tokens that prompt and reply may have together."""
    reply: int = 0
    """Tokens kept free for the reply."""
    is_estimate: bool = True
    """Whether the tokens are estimated, not counted by the server."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Fields that the chat's metadata has once a reply to this is in the chat."""
    sent: tuple[PromptMessage, ...] = ()
    """The messages as they are sent, where neighbouring parts make one."""
    text: str = ""
    """The whole as one text, where templates wrote it; the parts' texts one behind the other."""
    preset: str = ""
    """What it was put together by, for people; "" for the program's own way."""

    @property
    def messages(self) -> list[PromptMessage]:
        """The messages to send."""
        return list(self.sent) or [part.message for part in self.parts]

    @property
    def tokens(self) -> int:
        """How many tokens the prompt has."""
        return sum(part.tokens for part in self.parts)

    @property
    def first_index(self) -> int | None:
        """The number of the oldest message of the chat that is sent; None if none is."""
        return min((part.index for part in self.parts if part.index is not None), default=None)

    @property
    def context_begin(self) -> int | None:
        """The number of the message from which on the model knows the chat; None where it knows all of it."""
        is_cut = any(left.source == "history" and left.reason == NO_ROOM for left in self.left_out)
        return self.first_index if is_cut else None


PromptErrorKind = Literal["too_large", "tool_pairing", "empty"]


@dataclass(eq=False)
class PromptError(Exception):
    """A prompt that cannot be built; nothing is sent. `sentence` is for people, `source` the part at fault."""

    kind: PromptErrorKind
    sentence: str
    source: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.sentence
