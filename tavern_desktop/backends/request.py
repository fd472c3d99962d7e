"""What is asked of a model, before any protocol's own form."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tavern_desktop.backends.settings import Generation
from tavern_desktop.prompt.messages import PromptMessage


class Tool(msgspec.Struct, frozen=True):
    """A function the model may call; `parameters` is a JSON schema of an object."""

    name: str
    description: str
    parameters: dict[str, Any]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One generation. Chat protocols take `messages`, text protocols `prompt`.

    A last message that `is_prefill` is continued instead of answered. `count` is the number of alternatives wanted.
    `model` replaces the connection's. `stop` is added to the stop strings of the settings.
    """

    messages: tuple[PromptMessage, ...] = ()
    prompt: str = ""
    settings: Generation = Generation()
    stop: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_choice: Literal["auto", "required", "none"] = "auto"
    count: int = 1
    model: str = ""

    def __repr__(self) -> str:
        """Say how much there is, never what: this may end up in a log."""
        return f"Request({len(self.messages)} messages, {len(self.prompt)} characters)"

    @property
    def is_continuation(self) -> bool:
        """Whether the last message is to be continued."""
        return bool(self.messages) and self.messages[-1].is_prefill

    @property
    def stop_strings(self) -> list[str]:
        """All stop strings, each once, empty ones left out."""
        return [text for text in dict.fromkeys((*self.stop, *(self.settings.stop or ()))) if text]
