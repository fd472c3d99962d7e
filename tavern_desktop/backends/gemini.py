"""Google's Gemini protocol."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Iterator
from typing import Any
from urllib.parse import quote

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Reasoning, Started, Text, ToolCallPart, Usage, finished
from tavern_desktop.backends.openai_servers import asked
from tavern_desktop.backends.parsing import arguments_of, number, table, tables, text
from tavern_desktop.backends.pictures import Pictures, read_pictures
from tavern_desktop.backends.protocol import Backend, Model
from tavern_desktop.backends.providers import Taken, thinking_of
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.turns import Block, said_by, turns_of
from tavern_desktop.prompt.messages import PromptMessage

FIELDS = {
    "reply_tokens": "maxOutputTokens",
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
    "seed": "seed",
    "stop": "stopSequences",
    "reasoning_effort": "thinkingConfig",
}

UNSIGNED = "skip_thought_signature_validator"
"""Stands for the signature of a call that another model made; Google's own word for that."""

STOPS = 5
LONGEST_STOP = 16

_CATEGORIES = ("HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT", "CIVIC_INTEGRITY")
_SAFETY = [{"category": f"HARM_CATEGORY_{name}", "threshold": "OFF"} for name in _CATEGORIES]
_BUDGETS = {"min": 0, "low": 1024, "medium": 4096, "high": 12_288, "max": 24_576}
_LEVELS = {"min": "minimal", "max": "high"}


class Gemini(Backend):
    """`:streamGenerateContent`. Stops when the connection is closed."""

    protocol = "gemini"

    async def models(self) -> list[Model]:
        """Return the models that write texts."""
        answer = table(await self._exchange.ask("GET", f"{self._api}/models?pageSize=1000"))
        return [
            Model(
                text(entry.get("name")).removeprefix("models/"),
                text(entry.get("displayName")),
                number(entry.get("inputTokenLimit")),
            )
            for entry in tables(answer.get("models"))
            if "generateContent" in (entry.get("supportedGenerationMethods") or ())
        ]

    async def count_tokens(self, text: str) -> int | None:
        """Return the provider's count of a text."""
        body = {"contents": [{"role": "user", "parts": [{"text": text}]}]}
        answer = await asked(self._exchange, "POST", self._url(self.connection.model, "countTokens"), body)
        return number(table(answer).get("totalTokens"))

    def taken(self, model: str = "") -> Taken:
        """Return the settings the protocol has."""
        name = model or self.connection.model
        return Taken(self.server, name, FIELDS, self.protocol, self.connection.off, STOPS)

    @property
    def _api(self) -> str:
        return f"{self._base.removesuffix('/v1beta')}/v1beta"

    def _url(self, model: str, what: str) -> str:
        return f"{self._api}/models/{quote(model.removeprefix('models/'), safe='')}:{what}"

    def _headers(self) -> dict[str, str]:
        # In a header, not in the address: addresses end up in logs.
        return {"x-goog-api-key": "${key}"}

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_messages(request)
        if not self._model(request):
            raise BackendError("connection", f"Choose a model for {self.server} first.")
        pictures = await read_pictures(path for message in request.messages for path in message.images)
        url = f"{self._url(self._model(request), 'streamGenerateContent')}?alt=sse"
        body = self._body(request, pictures)
        async with contextlib.aclosing(self._read(url, body, _Reply(self.server))) as events:
            async for event in events:
                yield event

    def _body(self, request: Request, pictures: Pictures) -> dict[str, Any]:
        stops = [stop for stop in request.stop_strings if len(stop) <= LONGEST_STOP]
        config = self.taken(request.model).values(request.settings.said(), stops)
        effort = config.pop("thinkingConfig", None)
        thinking = _thinking(effort, thinking_of(self.protocol, self._model(request)))
        if thinking:
            config["thinkingConfig"] = thinking
        names = {call.id: call.name for message in request.messages for call in message.tool_calls}
        wants_signatures = thinking_of(self.protocol, self._model(request)) == "level"

        def parts(message: PromptMessage) -> list[Block]:
            return _parts(message, names, pictures, wants_signatures=wants_signatures)

        system, turns = turns_of(request.messages, parts, _text_part)
        body: dict[str, Any] = {
            "contents": [{"role": _ROLES[turn.role], "parts": turn.blocks} for turn in turns],
            "generationConfig": config,
            "safetySettings": _SAFETY,
        }
        if system:
            body["systemInstruction"] = {"parts": [_text_part(part) for part in system]}
        if request.tools:
            functions = [
                {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
                for tool in request.tools
            ]
            body["tools"] = [{"functionDeclarations": functions}]
            body["toolConfig"] = {"functionCallingConfig": {"mode": _MODES[request.tool_choice]}}
        return body


_ROLES = {"user": "user", "assistant": "model"}
_MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}


def _thinking(effort: Any, way: str) -> dict[str, Any]:
    """Return what asks for reasoning to be shown, and for how much where that is said."""
    if not way:
        return {}
    if not isinstance(effort, str):
        return {"includeThoughts": True}
    if way == "level":
        return {"includeThoughts": True, "thinkingLevel": _LEVELS.get(effort, effort)}
    return {"includeThoughts": True, "thinkingBudget": _BUDGETS[effort]}


def _text_part(said: str) -> Block:
    return {"text": said}


def _parts(message: PromptMessage, names: dict[str, str], pictures: Pictures, *, wants_signatures: bool) -> list[Block]:
    if message.role == "tool":
        name = names.get(message.tool_call_id, message.name)
        return [{"functionResponse": {"name": name, "response": {"result": message.text}}}]
    found: list[Block] = [_text_part(said_by(message))] if message.text.strip() else []
    found += [
        {"inlineData": {"mimeType": pictures[path].mime, "data": pictures[path].base64}} for path in message.images
    ]
    if message.thought is not None and message.thought.signature and found:
        found[0]["thoughtSignature"] = message.thought.signature
    for place, call in enumerate(message.tool_calls):
        part: Block = {"functionCall": {"name": call.name, "args": arguments_of(call.arguments)}}
        # Of calls made at once only the first is signed; its newest models take none without.
        signature = call.signature or (UNSIGNED if wants_signatures and place == 0 else "")
        found.append(part | ({"thoughtSignature": signature} if signature else {}))
    return found


class _Reply:
    """Reads one reply."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._has_started = False
        self._calls = 0
        self._usage: dict[str, Any] = {}
        self._raw = ""

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record. Raises BackendError filtered for a prompt that was refused."""
        if not self._has_started:
            self._has_started = True
            yield Started(text(record.get("modelVersion")))
        self._usage = table(record.get("usageMetadata")) or self._usage
        blocked = text(table(record.get("promptFeedback")).get("blockReason"))
        if blocked:
            raise BackendError("filtered", f"{self._server} refused the prompt for what it says: {blocked}.")
        for candidate in tables(record.get("candidates"))[:1]:
            for part in tables(table(candidate.get("content")).get("parts")):
                yield from self._part(part)
            self._raw = text(candidate.get("finishReason")) or self._raw

    def end(self) -> Iterator[Event]:
        """Yield what is known only at the end."""
        if self._usage:
            thought = number(self._usage.get("thoughtsTokenCount"))
            said = number(self._usage.get("candidatesTokenCount"))
            yield Usage(
                prompt=number(self._usage.get("promptTokenCount")),
                reply=None if said is None else said + (thought or 0),
                cached=number(self._usage.get("cachedContentTokenCount")),
                reasoning=thought,
            )
        if self._raw:
            yield finished("tool_calls" if self._calls and self._raw == "STOP" else self._raw)

    def _part(self, part: dict[str, Any]) -> Iterator[Event]:
        signature = text(part.get("thoughtSignature"))
        said = text(part.get("text"))
        call = table(part.get("functionCall"))
        if call:
            arguments = json.dumps(table(call.get("args")), ensure_ascii=False)
            id = text(call.get("id")) or f"call_{self._calls}"
            yield ToolCallPart(self._calls, id, text(call.get("name")), arguments, signature=signature)
            self._calls += 1
        elif part.get("thought") is True:
            yield Reasoning(said, signature=signature)
        else:
            if signature:
                yield Reasoning("", signature=signature)
            if said:
                yield Text(said)
