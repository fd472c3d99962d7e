"""Ollama: messages by `/api/chat`, one text by `/api/generate`, one JSON object a line."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from tavern_desktop.backends.events import Event, Reasoning, Started, Text, ToolCallPart, Usage, finished
from tavern_desktop.backends.openai_body import tools_of
from tavern_desktop.backends.parsing import arguments_of, number, table, tables, text
from tavern_desktop.backends.pictures import Pictures, read_pictures
from tavern_desktop.backends.protocol import Backend, Model, Status
from tavern_desktop.backends.providers import Taken
from tavern_desktop.backends.request import Request
from tavern_desktop.prompt.messages import PromptMessage

FIELDS = {
    "reply_tokens": "num_predict",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "repeat_penalty",
    "repetition_range": "repeat_last_n",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "seed": "seed",
    "stop": "stop",
    "reasoning_effort": "think",
}


class Ollama(Backend):
    """Its native protocol. Stops when the connection is closed."""

    protocol = "ollama"
    takes_text = True

    async def models(self) -> list[Model]:
        """Return the models that are installed."""
        entries = tables(table(await self._exchange.ask("GET", f"{self._root}/api/tags")).get("models"))
        return sorted((Model(text(entry.get("name"))) for entry in entries), key=lambda model: model.id)

    async def status(self) -> Status:
        """Return what the server says of itself; the model is the one that is loaded, if ours is not chosen."""
        version = table(await self._exchange.ask("GET", f"{self._root}/api/version"))
        loaded = tables(table(await self._exchange.ask("GET", f"{self._root}/api/ps")).get("models"))
        model = self.connection.model or (text(loaded[0].get("name")) if loaded else "")
        size = await self.context_size(model) if model else None
        return Status(self.server, model, size, text(version.get("version")))

    async def context_size(self, model: str = "") -> int | None:
        """Return the context size the model was made for; what is used is what a request asks for."""
        name = model or self.connection.model
        if not name:
            return None
        answer = table(await self._exchange.ask("POST", f"{self._root}/api/show", {"model": name}))
        facts = table(answer.get("model_info"))
        sizes = [number(value) for field, value in facts.items() if field.endswith(".context_length")]
        return next((size for size in sizes if size), None)

    def taken(self, model: str = "") -> Taken:
        """Return all settings."""
        return Taken(self.server, model or self.connection.model, FIELDS, self.protocol, self.connection.off)

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        pictures = await read_pictures(path for message in request.messages for path in message.images)
        path, body = self._chat(request, pictures) if request.messages else self._text(request)
        async with contextlib.aclosing(self._read(f"{self._root}{path}", body, _Reply())) as events:
            async for event in events:
                yield event

    def _chat(self, request: Request, pictures: Pictures) -> tuple[str, dict[str, Any]]:
        body = {**self._common(request), "messages": _messages(request, pictures)}
        if request.tools and request.tool_choice != "none":
            body["tools"] = tools_of(request.tools)
        return "/api/chat", body

    def _text(self, request: Request) -> tuple[str, dict[str, Any]]:
        self._needs_prompt(request)
        # raw: the text is written by a template already, Ollama's own must not come around it.
        return "/api/generate", {**self._common(request), "prompt": request.prompt, "raw": True}

    def _common(self, request: Request) -> dict[str, Any]:
        options = self.taken(request.model).values(request.settings.said(), request.stop_strings)
        body: dict[str, Any] = {"model": self._model(request), "stream": True}
        effort = options.pop("think", None)
        if effort is not None:
            body["think"] = {"min": False, "max": "high"}.get(effort, effort)
        if request.settings.context_tokens:
            options["num_ctx"] = request.settings.context_tokens
        return {**body, "options": options}


class _Reply:
    """Reads one reply."""

    def __init__(self) -> None:
        self._calls = 0
        self._has_started = False

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a line."""
        if not self._has_started:
            self._has_started = True
            yield Started(text(record.get("model")))
        message = table(record.get("message")) or record
        if thought := text(message.get("thinking")):
            yield Reasoning(thought)
        if said := text(message.get("content")) or text(message.get("response")):
            yield Text(said)
        for call in tables(message.get("tool_calls")):
            yield self._call(table(call.get("function")), text(call.get("id")))
        if record.get("done") is True:
            yield _usage(record)
            raw = text(record.get("done_reason"))
            yield finished("tool_calls" if self._calls and raw == "stop" else raw or "stop")

    def end(self) -> Iterator[Event]:
        """Yield nothing: the last line has said all."""
        return iter(())

    def _call(self, function: dict[str, Any], told: str) -> ToolCallPart:
        number_ = self._calls
        self._calls += 1
        arguments = json.dumps(function.get("arguments") or {}, ensure_ascii=False)
        return ToolCallPart(number_, told or f"call_{number_}", text(function.get("name")), arguments)


def _messages(request: Request, pictures: Pictures) -> list[dict[str, Any]]:
    names = {call.id: call.name for message in request.messages for call in message.tool_calls}
    return [_message(message, names, pictures) for message in request.messages]


def _message(message: PromptMessage, names: dict[str, str], pictures: Pictures) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.images:
        entry["images"] = [pictures[path].base64 for path in message.images]
    if message.tool_calls:
        entry["tool_calls"] = [
            {"function": {"name": call.name, "arguments": arguments_of(call.arguments)}} for call in message.tool_calls
        ]
    if message.role == "tool":
        entry["tool_name"] = names.get(message.tool_call_id, "")
    return entry


def _usage(record: dict[str, Any]) -> Usage:
    reply, nanoseconds = number(record.get("eval_count")), number(record.get("eval_duration"))
    speed = reply / nanoseconds * 1e9 if reply and nanoseconds else None
    return Usage(prompt=number(record.get("prompt_eval_count")), reply=reply, tokens_per_second=speed)
