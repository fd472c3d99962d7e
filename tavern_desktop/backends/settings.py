"""How a model is to write: the settings of a generation, kept with a connection and with a chat."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

Effort = Literal["min", "low", "medium", "high", "max"]

_Tokens = Annotated[int, Meta(ge=1, le=100_000_000)]
_Share = Annotated[float, Meta(ge=0, le=1)]
_Penalty = Annotated[float, Meta(ge=-2, le=2)]


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """None means: not said here. What is said nowhere is not sent, and the server decides."""

    reply_tokens: _Tokens | None = None
    context_tokens: _Tokens | None = None
    temperature: Annotated[float, Meta(ge=0, le=10)] | None = None
    top_p: _Share | None = None
    top_k: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    min_p: _Share | None = None
    repetition_penalty: Annotated[float, Meta(gt=0, le=10)] | None = None
    repetition_range: Annotated[int, Meta(ge=-1, le=100_000_000)] | None = None
    """How many of the newest tokens the repetition penalty looks at; 0 none, -1 all."""
    frequency_penalty: _Penalty | None = None
    presence_penalty: _Penalty | None = None
    seed: Annotated[int, Meta(ge=0, le=2**53 - 1)] | None = None
    reasoning_effort: Effort | None = None
    stop: tuple[str, ...] | None = None
    system_prompt: str | None = None
    leaves_out_old_tools: bool | None = None
    """Whether calls of tools, with their results, are sent only since the person spoke last."""
    samplers: dict[str, Any] | None = None
    """Further ones that a preset brings, by SillyTavern's names; see `backends.samplers`."""

    def over(self, base: Generation) -> Generation:
        """Return these settings, and those of `base` where these say nothing."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        return msgspec.structs.replace(base, **own)

    def said(self) -> dict[str, object]:
        """Return what is said here, by name."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}


class PresetNames(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Which presets and templates of the data folder a prompt is put together by, kept with a connection and a chat.

    "" means: not said here. `IN_USE` means what SillyTavern has in use, `OWN_WAY` none of them.
    """

    chat: str = ""
    """Chat completion, for servers that take messages; the others are for those that take one text."""
    text: str = ""
    """Samplers."""
    instruct: str = ""
    context: str = ""
    sysprompt: str = ""

    def over(self, base: PresetNames) -> PresetNames:
        """Return these names, and those of `base` where these say nothing."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if value}
        return msgspec.structs.replace(base, **own)


NO_PRESETS = PresetNames()

IN_USE, OWN_WAY, BY_MODEL = "*", "/", "?"
"""Stand where a preset's name does; no file can be called so. BY_MODEL: the instruct template that is for the model."""

LABELS = {
    "reply_tokens": "reply length",
    "context_tokens": "context size",
    "temperature": "temperature",
    "top_p": "top-p",
    "top_k": "top-k",
    "min_p": "min-p",
    "repetition_penalty": "repetition penalty",
    "repetition_range": "repetition range",
    "frequency_penalty": "frequency penalty",
    "presence_penalty": "presence penalty",
    "seed": "seed",
    "reasoning_effort": "reasoning effort",
    "stop": "stop strings",
    "system_prompt": "system prompt",
    "leaves_out_old_tools": "old tool calls",
    "tools": "tools",
}
"""What people call them."""

NOT_SENT = frozenset({"context_tokens", "system_prompt", "leaves_out_old_tools"})
"""Settings that shape the prompt here; a server that wants the context size as well names it itself."""
