"""Calls of tools and their results as messages of a prompt: each call with its result right behind it.

A chat is read from its newest message on, so results are met before the calls they answer and wait for them. What does
not fit together keeps a prompt from being built, and names the message; the chat itself loads all the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.tool_pairs import ToolPairingError, arguments, tool_calls, tool_pairs
from tavern_desktop.prompt.messages import PromptError, PromptMessage, ToolCall

Results = tuple[tuple[int, PromptMessage], ...]
"""Numbers of messages, and as what they are sent."""

SIGNATURE = "signature"
"""In a call as a chat keeps it: what its provider wants back."""

_SENTENCES = {
    "missing": "Message #{index} calls a tool, and the result is not in the chat.",
    "orphan": "Message #{index} is a tool's result, and no message calls the tool.",
    "duplicate": "Message #{index} answers or makes a call that is there already.",
    "bad_id": "Message #{index} is about a tool call without an id.",
    "bad_arguments": "Message #{index} calls a tool with arguments that are not valid JSON.",
}
WAY_ON = " Delete or hide it, or have old tool calls left out in the generation settings."


class ToolRounds:
    """The calls of one history. `take_` methods are called in the order of the messages, newest first."""

    def __init__(self, messages: Sequence[Message], end: int) -> None:
        self._messages, self._end = messages, end
        self._waiting: dict[str, tuple[int, PromptMessage]] = {}

    def take_result(self, index: int, data: Record) -> None:
        """Keep a result until its call is met. Raises PromptError."""
        identity = data.get("tool_call_id")
        if not isinstance(identity, str) or not identity or identity in self._waiting:
            raise self._error()
        self._waiting[identity] = index, PromptMessage("tool", facts.text(data), tool_call_id=identity)

    def take_calls(self, data: Record) -> tuple[tuple[ToolCall, ...], Results]:
        """Return the calls of a message and their results. Raises PromptError."""
        try:
            calls = tuple(_call(call) for call in tool_calls(data))
        except (ValueError, TypeError):
            raise self._error() from None
        results = [self._waiting.pop(call.id, None) for call in calls]
        found = tuple(result for result in results if result is not None)
        if len(found) != len(calls):
            raise self._error()
        return calls, found

    def leave_out(self, data: Record) -> None:
        """Forget the results of a message's calls, which are not sent."""
        for call in tool_calls(data):
            if isinstance(call, dict):
                self._waiting.pop(str(call.get("id")), None)

    def end(self) -> None:
        """There are no older messages. Raises PromptError for a result whose call was not met."""
        if self._waiting:
            raise self._error()

    def _error(self) -> PromptError:
        """Return what is wrong first, in the order of the messages."""
        records = (_decoded(message) for message in self._messages[: self._end])
        try:
            tool_pairs(list(records))
        except ToolPairingError as error:
            sentence = _SENTENCES[error.detail].format(index=error.index)
            return PromptError(
                "tool_pairing", sentence + WAY_ON, "history", {"detail": error.detail, "index": error.index}
            )
        return PromptError("tool_pairing", "The tool calls of this chat do not fit together." + WAY_ON, "history")


def invocations(index: int, data: Record) -> tuple[PromptMessage | None, Results]:
    """Return what SillyTavern keeps of calls and results in one row as a message with calls, and their results."""
    entries = facts.extra(data).get("tool_invocations")
    calls: list[ToolCall] = []
    results: list[tuple[int, PromptMessage]] = []
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get("name"):
            identity = str(entry.get("id") or f"call_{index}_{number}")
            given = str(entry.get("parameters"))
            calls.append(ToolCall(identity, str(entry["name"]), given if _is_object(given) else "{}"))
            results.append((index, PromptMessage("tool", str(entry.get("result") or ""), tool_call_id=identity)))
    return (PromptMessage("assistant", "", tool_calls=tuple(calls)) if calls else None), tuple(results)


def may_be_about_tools(raw: bytes) -> bool:
    """Say whether a record may call a tool or be a result, without decoding it."""
    return b'"tool' in raw


def _decoded(message: Message) -> Record:
    return message.seen_data() if may_be_about_tools(message.seen) else {}


def _call(call: Any) -> ToolCall:
    function = call.get("function") if isinstance(call, dict) else None
    identity, name = call.get("id"), function.get("name") if isinstance(function, dict) else None
    if not isinstance(identity, str) or not identity or not isinstance(name, str):
        raise ValueError("a call has no id or no name")
    signature = call.get(SIGNATURE)
    signed = signature if isinstance(signature, str) else ""
    return ToolCall(identity, name, json.dumps(arguments(call), ensure_ascii=False), signed)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
