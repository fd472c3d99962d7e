"""What comes back from a model: one set of events for every protocol.

A stream gives any number of them and ends with `Finished`, one for each alternative, or with `Failed`; what came
before a failure stays good. They are small values that can be written to a log and read again.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from tavern_desktop.backends.errors import BackendError, Kind

FinishReason = Literal["stop", "length", "tool_calls", "filtered", "other"]
"""The model had said all (or a stop string came), the reply length was reached, it wants tools, it was held back."""


class Started(msgspec.Struct, frozen=True, tag="started"):
    """The reply begins. `model` is the name the server gives, "" where it gives none."""

    model: str = ""


class Text(msgspec.Struct, frozen=True, tag="text"):
    """A piece of a reply, never half a character. `choice` counts alternatives from 0."""

    text: str
    choice: int = 0


class Reasoning(msgspec.Struct, frozen=True, tag="reasoning"):
    """A piece of what the model thinks before it replies; `signature` is what a provider wants back with it."""

    text: str
    choice: int = 0
    signature: str = ""


class ToolCallPart(msgspec.Struct, frozen=True, tag="tool_call"):
    """A piece of a tool call: all texts of the same `number` belong together, one after the other."""

    number: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    choice: int = 0
    signature: str = ""


class Usage(msgspec.Struct, frozen=True, tag="usage"):
    """What the server counted, in tokens; None where it does not say."""

    prompt: int | None = None
    reply: int | None = None
    cached: int | None = None
    """How many tokens of the prompt it knew from before."""
    reasoning: int | None = None
    tokens_per_second: float | None = None


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """How far the server has read the prompt, in tokens."""

    done: int
    total: int


class Waiting(msgspec.Struct, frozen=True, tag="waiting"):
    """Nothing has come yet and the request is sent again after `seconds`; `sentence` says why."""

    sentence: str
    seconds: float


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """One alternative is complete. `raw` is the server's own word for the reason."""

    reason: FinishReason
    raw: str = ""
    choice: int = 0


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The reply ended early, or never began; see `BackendError` for the fields."""

    kind: Kind
    sentence: str
    status: int | None = None
    retry_after: float | None = None
    setting: str = ""

    @staticmethod
    def of(error: BackendError) -> Failed:
        """Return the event that tells of an error."""
        return Failed(error.kind, error.sentence, error.status, error.retry_after, error.setting)


Event = Started | Text | Reasoning | ToolCallPart | Usage | Progress | Waiting | Finished | Failed

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Event)


def encode(event: Event) -> bytes:
    """Return an event as one line of JSON, for the log of a reply that is being written."""
    return _encoder.encode(event)


def decode(line: bytes) -> Event:
    """Return the event of a line. Raises msgspec.DecodeError."""
    return _decoder.decode(line)


_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "eos": "stop",
    "word": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "complete": "stop",
    "pause_turn": "stop",
    "length": "length",
    "limit": "length",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "tool_use": "tool_calls",
    "content_filter": "filtered",
    "refusal": "filtered",
    "sensitive": "filtered",
    "safety": "filtered",
    "recitation": "filtered",
    "blocklist": "filtered",
    "prohibited_content": "filtered",
    "spii": "filtered",
    "image_safety": "filtered",
}


def finished(raw: str, choice: int = 0) -> Finished:
    """Return the end of an alternative for a server's own word."""
    return Finished(_REASONS.get(raw.lower(), "other"), raw, choice)
