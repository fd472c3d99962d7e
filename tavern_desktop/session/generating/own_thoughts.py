"""What providers want back with earlier replies, and only where the model that wrote them is asked again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from tavern_desktop.prompt.messages import PromptMessage


def for_model(messages: Sequence[PromptMessage], api: str, models: Collection[str]) -> tuple[PromptMessage, ...]:
    """Return messages without what other models thought and signed.

    `models`: the names of the one that is asked, by which it is set up and by which it calls itself.
    """
    return tuple(_unsigned(message) if _is_of_another(message, api, models) else message for message in messages)


def _is_of_another(message: PromptMessage, api: str, models: Collection[str]) -> bool:
    thought = message.thought
    return thought is not None and (thought.api != api or thought.model not in models)


def _unsigned(message: PromptMessage) -> PromptMessage:
    calls = tuple(replace(call, signature="") for call in message.tool_calls)
    return replace(message, thought=None, tool_calls=calls)
