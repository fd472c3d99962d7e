"""Messages, tools and settings as OpenAI's protocol wants them, with what is particular about a provider."""

from __future__ import annotations

import hashlib
import string
from collections.abc import Sequence
from typing import Any

from tavern_desktop.backends.pictures import Pictures
from tavern_desktop.backends.providers import Provider
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.prompt.messages import PromptMessage, ToolCall

FIELDS = {
    "reply_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repetition_penalty",
    "repetition_range": "repetition_penalty_range",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "seed": "seed",
    "stop": "stop",
    "reasoning_effort": "reasoning_effort",
}
"""Our settings and their fields; those OpenAI does not have are what most servers call them."""

_LETTERS = string.ascii_letters + string.digits


def fields_of(provider: Provider) -> dict[str, str]:
    """Return the settings a provider takes, with the fields they go into."""
    names = FIELDS if provider.settings is None else provider.settings
    effort_is_told = provider.effort != "no"
    return {
        name: provider.rename.get(name, FIELDS[name])
        for name in names
        if name in FIELDS and (name != "reasoning_effort" or effort_is_told)
    }


def messages_of(request: Request, provider: Provider, pictures: Pictures) -> list[dict[str, Any]]:
    """Return the list `messages`."""
    found: list[dict[str, Any]] = []
    has_turned = False
    for message in request.messages:
        entry = _message(message, provider, pictures)
        if message.role == "system" and has_turned and provider.after:
            entry["role"] = provider.after
        has_turned = has_turned or message.role != "system"
        is_merged = provider.merge or (provider.join_end and message.role == "assistant")
        if is_merged and found and _can_merge(found[-1], entry):
            found[-1]["content"] += f"\n\n{entry['content']}"
        else:
            found.append(entry)
    if request.is_continuation and provider.prefill not in ("plain", "no"):
        found[-1][provider.prefill] = True
    return found


def tools_of(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Return the list `tools`."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def effort_of(word: str, provider: Provider) -> dict[str, Any]:
    """Return the fields that tell how much a model shall think."""
    if provider.effort == "thinking":
        return {"thinking": {"type": "disabled" if word == "min" else "enabled"}}
    told = {"min": "minimal", "max": "high"}.get(word, word)
    return {"reasoning": {"effort": told}} if provider.effort == "openrouter" else {"reasoning_effort": told}


def call_of(call: ToolCall, provider: Provider) -> dict[str, Any]:
    """Return a tool call of an earlier reply."""
    function = {"name": call.name, "arguments": call.arguments}
    told = {"id": _tool_id(call.id, provider), "type": "function", "function": function}
    return told | ({"extra_content": {"google": {"thought_signature": call.signature}}} if call.signature else {})


def _message(message: PromptMessage, provider: Provider, pictures: Pictures) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": _content(message, pictures)}
    if message.name:
        entry["name"] = message.name
    if message.tool_calls:
        entry["tool_calls"] = [call_of(call, provider) for call in message.tool_calls]
        entry["content"] = entry["content"] or None
    if message.thought is not None and message.thought.signature and provider.effort == "openrouter":
        entry["reasoning_details"] = [{"type": "reasoning.encrypted", "data": message.thought.signature}]
    if message.role == "tool":
        entry["tool_call_id"] = _tool_id(message.tool_call_id, provider)
    return entry


def _content(message: PromptMessage, pictures: Pictures) -> str | list[dict[str, Any]]:
    if not message.images:
        return message.text
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.text}]
    parts += [{"type": "image_url", "image_url": {"url": pictures[path].url}} for path in message.images]
    return parts


def _can_merge(one: dict[str, Any], other: dict[str, Any]) -> bool:
    plain = {"role", "content"}
    return (
        one["role"] == other["role"]
        and one.keys() == other.keys() == plain
        and isinstance(one["content"], str)
        and isinstance(other["content"], str)
    )


def _tool_id(id: str, provider: Provider) -> str:
    if provider.tool_ids != "nine" or (len(id) == 9 and id.isascii() and id.isalnum()):
        return id
    digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).digest()
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:9])
