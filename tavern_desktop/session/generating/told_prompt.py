"""A prompt as plain data, for scripts and for the clipboard: what is sent, why, and what is not."""

from __future__ import annotations

from typing import Any

from tavern_desktop.prompt.kinds import free_tokens, tokens_by_kind
from tavern_desktop.prompt.messages import LeftOut, Prompt, PromptMessage


def told_request(prompt: Prompt, text: str) -> dict[str, Any]:
    """Return what is sent. `text`: the prompt as one text, "" where messages are sent."""
    if text:
        return {"prompt": text, "stop": list(prompt.stop)}
    return {"messages": [_message(message) for message in prompt.messages], "stop": list(prompt.stop)}


def told_prompt(prompt: Prompt, text: str) -> dict[str, Any]:
    """Return everything there is to tell of a prompt."""
    parts = [
        {
            "source": part.source,
            "role": part.message.role,
            "tokens": part.tokens,
            "reason": part.reason,
            "index": part.index,
            "text": part.message.text,
        }
        for part in prompt.parts
    ]
    left_out = [{name: getattr(left, name) for name in LeftOut.__slots__} for left in prompt.left_out]
    return {
        "request": told_request(prompt, text),
        "parts": parts,
        "left_out": left_out,
        "preset": prompt.preset,
        "tokens": prompt.tokens,
        "context": prompt.context,
        "reply": prompt.reply,
        "free": free_tokens(prompt),
        "by_kind": tokens_by_kind(prompt),
        "estimate": prompt.is_estimate,
    }


def as_text(prompt: Prompt, text: str) -> str:
    """Return what is sent as a text for people: one text as it is, messages with their roles in front."""
    if text:
        return text
    return "\n\n".join(f"{_who(message)}: {message.text}" for message in prompt.messages)


def _who(message: PromptMessage) -> str:
    return f"{message.role} ({message.name})" if message.name else message.role


def _message(message: PromptMessage) -> dict[str, Any]:
    found: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.name:
        found["name"] = message.name
    if message.tool_calls:
        found["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.tool_call_id:
        found["tool_call_id"] = message.tool_call_id
    if message.images:
        found["images"] = [path.name for path in message.images]
    return found
