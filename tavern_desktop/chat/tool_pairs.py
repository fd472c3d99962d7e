"""Which tool result belongs to which call (storage contract 14.4).

A chat may hold half a round and loads all the same; only a prompt needs every call answered. So this is asked when a
prompt is made, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.facts import Record

Detail = Literal["missing", "orphan", "duplicate", "bad_id", "bad_arguments"]


class ToolPairingError(ValueError):
    """Calls and results that cannot be sent again: `detail` as storage errors name it, `index` of the message."""

    def __init__(self, detail: Detail, index: int) -> None:
        super().__init__(f"tool_pairing/{detail} at message {index}")
        self.detail: Detail = detail
        self.index = index


@dataclass(slots=True)
class _Call:
    """A call that was issued and what became of it."""

    caller: int
    is_hidden: bool
    is_answered: bool = False


def tool_pairs(messages: Sequence[Record]) -> list[tuple[int, int]]:
    """Return (index of the caller, index of the result) for each tool result that takes part in a prompt.

    A result belongs to the nearest earlier message that issued its id; one of a hidden caller takes no part. Raises
    ToolPairingError for the first problem in the order of the messages, a missing result only at the end.
    """
    newest: dict[str, _Call] = {}
    issued: list[_Call] = []
    pairs: list[tuple[int, int]] = []
    for index, data in enumerate(messages):
        if is_result(data):
            call = _answered(newest, data, index)
            if not call.is_hidden:
                pairs.append((call.caller, index))
        for identity in _issued(data, index):
            newest[identity] = _Call(index, bool(data.get("is_system")))
            issued.append(newest[identity])
    for call in issued:
        if not (call.is_answered or call.is_hidden):
            raise ToolPairingError("missing", call.caller)
    return pairs


def is_result(data: Record) -> bool:
    """Say whether the message is the result of a tool: its role alone decides."""
    return data.get("role") == "tool"


def tool_calls(data: Record) -> list[Any]:
    """Return the calls that an assistant's message issues, as they stand there; none for any other message."""
    calls = data.get("tool_calls")
    return calls if isinstance(calls, list) and not data.get("is_user") and not is_result(data) else []


def arguments(call: Record) -> Record:
    """Return the arguments of a call: an object, or the JSON text of one. Raises ValueError for anything else."""
    function = call.get("function")
    given = function.get("arguments", {}) if isinstance(function, dict) else {}
    if isinstance(given, dict):
        return given
    if not isinstance(given, str):
        raise ValueError("the arguments of a tool call are neither an object nor text")
    return jsontext.decode(given.encode("utf-8", "backslashreplace")) if given else {}


def _answered(newest: dict[str, _Call], data: Record, index: int) -> _Call:
    """Return the call that a result answers, which thereby is answered."""
    identity = data.get("tool_call_id")
    if not isinstance(identity, str) or not identity:
        raise ToolPairingError("bad_id", index)
    call = newest.get(identity)
    if call is None:
        raise ToolPairingError("orphan", index)
    if call.is_answered:
        raise ToolPairingError("duplicate", index)
    call.is_answered = True
    return call


def _issued(data: Record, index: int) -> list[str]:
    """Return the ids of the calls in a message. What a hidden one passed to its tools is not looked at."""
    identities: list[str] = []
    for call in tool_calls(data):
        identity = call.get("id") if isinstance(call, dict) else None
        if not isinstance(identity, str) or not identity:
            raise ToolPairingError("bad_id", index)
        if identity in identities:
            raise ToolPairingError("duplicate", index)
        identities.append(identity)
        if not data.get("is_system"):
            _require_arguments(call, index)
    return identities


def _require_arguments(call: Record, index: int) -> None:
    try:
        arguments(call)
    except ValueError:
        raise ToolPairingError("bad_arguments", index) from None
