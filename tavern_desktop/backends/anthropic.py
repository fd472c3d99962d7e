"""Anthropic's Messages protocol."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Reasoning, Started, Text, ToolCallPart, Usage, finished
from tavern_desktop.backends.openai_servers import asked
from tavern_desktop.backends.parsing import arguments_of, number, table, tables, text
from tavern_desktop.backends.pictures import Pictures, read_pictures
from tavern_desktop.backends.protocol import Backend, Model
from tavern_desktop.backends.providers import Taken, rules_of, thinking_of
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.turns import Block, Turn, said_by, turns_of
from tavern_desktop.prompt.messages import PromptMessage

FIELDS = {
    "reply_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "stop": "stop_sequences",
    "reasoning_effort": "thinking",
}

REPLY_TOKENS = 4096
"""What is asked for where nothing is said: the field is demanded."""

LEAST_BUDGET = 1024
_SHARES = {"min": 0.0, "low": 0.1, "medium": 0.25, "high": 0.5, "max": 0.95}
_EFFORTS = {"min": "low", "max": "max"}


class Anthropic(Backend):
    """`/messages`. Stops when the connection is closed."""

    protocol = "anthropic"

    async def models(self) -> list[Model]:
        """Return the models of the list, newest first."""
        answer = table(await self._exchange.ask("GET", f"{self._base}/models?limit=1000"))
        return [
            Model(text(entry.get("id")), text(entry.get("display_name")), number(entry.get("max_input_tokens")))
            for entry in tables(answer.get("data"))
        ]

    async def count_tokens(self, text: str) -> int | None:
        """Return the provider's count of a text as one message, a few tokens of framing included."""
        body = {"model": self.connection.model, "messages": [{"role": "user", "content": text or " "}]}
        answer = await asked(self._exchange, "POST", f"{self._base}/messages/count_tokens", body)
        return number(table(answer).get("input_tokens"))

    def taken(self, model: str = "") -> Taken:
        """Return the settings the protocol has."""
        name = model or self.connection.model
        return Taken(self.server, name, FIELDS, self.protocol, self.connection.off)

    def can_continue(self, model: str = "") -> str:
        """Say no for the models that always answer."""
        name = model or self.connection.model
        if any(rule.prefill == "no" for rule in rules_of(self.protocol, name)):
            return f"The model {name} cannot continue a reply that has begun."
        return ""

    def _headers(self) -> dict[str, str]:
        return {"x-api-key": "${key}", "anthropic-version": "2023-06-01"}

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_messages(request)
        self._needs_no_prefill(request)
        if not self._model(request):
            raise BackendError("connection", f"Choose a model for {self.server} first.")
        pictures = await read_pictures(path for message in request.messages for path in message.images)
        body = self._body(request, pictures)
        async with contextlib.aclosing(self._read(f"{self._base}/messages", body, _Reply())) as events:
            async for event in events:
                yield event

    def _body(self, request: Request, pictures: Pictures) -> dict[str, Any]:
        values = self.taken(request.model).values(request.settings.said(), request.stop_strings)
        effort = values.pop("thinking", None)
        values.setdefault("max_tokens", REPLY_TOKENS)
        system, turns = turns_of(request.messages, lambda message: _blocks(message, pictures), _text_block)
        messages = [{"role": turn.role, "content": turn.blocks} for turn in turns]
        if request.is_continuation:
            _trim_end(messages[-1])
        body = {"model": self._model(request), "messages": messages, "stream": True, **values}
        if system:
            body["system"] = [_text_block(part) for part in system]
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            body["tool_choice"] = {"type": {"required": "any"}.get(request.tool_choice, request.tool_choice)}
        if isinstance(effort, str) and not request.is_continuation and _may_think(turns):
            _think(body, effort, thinking_of(self.protocol, self._model(request)))
        return body


def _think(body: dict[str, Any], effort: str, way: str) -> None:
    """Ask for reasoning. With it the samplers are not taken, and the reply length has to hold the reasoning too."""
    if way == "adaptive":
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
        body["output_config"] = {"effort": _EFFORTS.get(effort, effort)}
    elif way == "budget":
        most = body["max_tokens"] if body["max_tokens"] > LEAST_BUDGET else body["max_tokens"] + LEAST_BUDGET
        body["max_tokens"] = most
        body["thinking"] = {"type": "enabled", "budget_tokens": max(LEAST_BUDGET, int(most * _SHARES[effort]))}
    else:
        return
    for name in ("temperature", "top_p", "top_k"):
        body.pop(name, None)


def _text_block(said: str) -> Block:
    return {"type": "text", "text": said}


def _blocks(message: PromptMessage, pictures: Pictures) -> list[Block]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.tool_call_id, "content": message.text}]
    found: list[Block] = _thought(message)
    if message.role != "assistant":  # only the user's turns may hold pictures
        found += [
            {
                "type": "image",
                "source": {"type": "base64", "media_type": pictures[path].mime, "data": pictures[path].base64},
            }
            for path in message.images
        ]
    if message.text.strip():
        found.append(_text_block(said_by(message)))
    found += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call.arguments)}
        for call in message.tool_calls
    ]
    return found


def _thought(message: PromptMessage) -> list[Block]:
    """Return what was thought before calls, which the provider wants to see again; of other replies it does not."""
    thought = message.thought
    if thought is None or not thought.signature or not message.tool_calls:
        return []
    if not thought.text:
        return [{"type": "redacted_thinking", "data": thought.signature}]
    return [{"type": "thinking", "thinking": thought.text, "signature": thought.signature}]


def _may_think(turns: Sequence[Turn]) -> bool:
    """Say whether reasoning may be asked for: not behind results of calls whose own reasoning is not there."""
    is_result = turns[-1].blocks[-1].get("type") == "tool_result"
    return not is_result or (len(turns) > 1 and "thinking" in turns[-2].blocks[0]["type"])


def _trim_end(message: dict[str, Any]) -> None:
    """A text to be continued must not end in blanks."""
    last = message["content"][-1]
    if "text" in last:
        last["text"] = last["text"].rstrip()


class _Reply:
    """Reads one reply, streamed or whole."""

    def __init__(self) -> None:
        self._usage: dict[str, Any] = {}
        self._raw = ""

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record."""
        kind = text(record.get("type"))
        if kind == "message_start":
            message = table(record.get("message"))
            self._usage |= table(message.get("usage"))
            yield Started(text(message.get("model")))
        elif kind == "content_block_start":
            yield from _block(table(record.get("content_block")), number(record.get("index")) or 0)
        elif kind == "content_block_delta":
            yield from _delta(table(record.get("delta")), number(record.get("index")) or 0)
        elif kind == "message_delta":
            self._usage |= table(record.get("usage"))
            self._raw = text(table(record.get("delta")).get("stop_reason")) or self._raw
        elif kind == "message":  # not streamed
            self._usage, self._raw = table(record.get("usage")), text(record.get("stop_reason"))
            yield Started(text(record.get("model")))
            for index, block in enumerate(tables(record.get("content"))):
                yield from _block(block, index)

    def end(self) -> Iterator[Event]:
        """Yield what is known only at the end."""
        if self._usage:
            read, written = (number(self._usage.get(f"cache_{way}_input_tokens")) or 0 for way in ("read", "creation"))
            plain = number(self._usage.get("input_tokens"))
            yield Usage(
                prompt=None if plain is None else plain + read + written,
                reply=number(self._usage.get("output_tokens")),
                cached=read or None,
            )
        if self._raw:
            yield finished(self._raw)


def _block(block: dict[str, Any], index: int) -> Iterator[Event]:
    kind = text(block.get("type"))
    if kind == "tool_use":
        given = table(block.get("input"))
        arguments = json.dumps(given, ensure_ascii=False) if given else ""
        yield ToolCallPart(index, text(block.get("id")), text(block.get("name")), arguments)
    elif kind == "thinking":
        yield Reasoning(text(block.get("thinking")), signature=text(block.get("signature")))
    elif kind == "redacted_thinking":
        yield Reasoning("", signature=text(block.get("data")))
    elif said := text(block.get("text")):
        yield Text(said)


def _delta(delta: dict[str, Any], index: int) -> Iterator[Event]:
    if said := text(delta.get("text")):
        yield Text(said)
    if thought := text(delta.get("thinking")):
        yield Reasoning(thought)
    if signature := text(delta.get("signature")):
        yield Reasoning("", signature=signature)
    if arguments := text(delta.get("partial_json")):
        yield ToolCallPart(index, arguments=arguments)
