"""OpenAI's chat completions, as nearly every provider and server speaks them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Sequence
from typing import Any, ClassVar

from tavern_desktop.backends import openai_servers
from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.events import Event
from tavern_desktop.backends.openai_body import effort_of, fields_of, messages_of, tools_of
from tavern_desktop.backends.openai_reply import OpenAiReply
from tavern_desktop.backends.parsing import table, tables, text
from tavern_desktop.backends.pictures import read_pictures
from tavern_desktop.backends.protocol import Backend, Model
from tavern_desktop.backends.providers import Taken, provider_of, rules_of
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.transport import Http
from tavern_desktop.prompt.messages import PromptMessage


class OpenAi(Backend):
    """What chat and text completions have in common: models, counts, settings."""

    path: ClassVar[str]

    def __init__(self, connection: Connection, secrets: Secrets, http: Http) -> None:
        self.provider = provider_of(connection)
        super().__init__(connection, secrets, http)

    async def models(self) -> list[Model]:
        """Return the models of the list, by id."""
        url = self.provider.models_url if self._base == self.provider.url else ""
        answer = await self._exchange.ask("GET", url or f"{self._base}/models")
        entries = answer if isinstance(answer, list) else table(answer).get("data")
        found = [
            Model(text(entry.get("id")), text(entry.get("name")), openai_servers.context_of(entry))
            for entry in tables(entries)
            if text(entry.get("id"))
        ]
        return sorted(found, key=lambda model: model.id)

    async def context_size(self, model: str = "") -> int | None:
        """Return the context size of the model, of the loaded one where none is named."""
        name = model or self.connection.model
        told = await openai_servers.context(self._exchange, self._root, self.provider.context, name)
        return told or await super().context_size(model)

    async def count_tokens(self, text: str) -> int | None:
        """Return the server's count, where the provider is known to offer one."""
        if not self.provider.count:
            return None
        model = self.connection.model
        return await openai_servers.count(self._exchange, self._root, self.provider.count, text, model)

    async def apply_template(self, messages: Sequence[PromptMessage]) -> str | None:
        """Return messages as the model's template writes them, where the provider is known to offer that."""
        if not self.provider.template:
            return None
        return await openai_servers.template(self._exchange, self._root, messages, self.provider)

    @property
    def makes_alternatives(self) -> bool:
        """As the provider does."""
        return self.provider.alternatives

    def taken(self, model: str = "") -> Taken:
        """Return the settings of the provider, without those switched off."""
        return Taken(
            server=self.provider.name if self.provider.hosts else self.server,
            model=model or self.connection.model,
            fields=fields_of(self.provider),
            provider=self.provider.id,
            off=self.connection.off,
            stops=self.provider.stops,
            least=self.provider.least,
        )

    def _headers(self) -> dict[str, str]:
        return {**super()._headers(), **self.provider.headers}

    def _common(self, request: Request) -> dict[str, Any]:
        """Return the fields that both kinds of completions have."""
        model = self._model(request)
        values = self.taken(request.model).values(request.settings.said(), request.stop_strings)
        effort = values.pop("reasoning_effort", None)
        body = {**self.provider.body, **values, "stream": True}
        if model:
            body["model"] = model
        if isinstance(effort, str):
            body |= effort_of(effort, self.provider)
        if self.provider.usage:
            body["stream_options"] = {"include_usage": True}
        if request.count > 1 and self.makes_alternatives:
            body["n"] = request.count
        return body

    def _reply(self, body: dict[str, Any]) -> AsyncGenerator[Event, None]:
        return self._read(f"{self._base}{self.path}", body, OpenAiReply())


class OpenAiChat(OpenAi):
    """Chat completions."""

    protocol = "openai"
    path = "/chat/completions"

    def can_continue(self, model: str = "") -> str:
        """Say no for the providers and models that always answer."""
        name = model or self.connection.model
        if self.provider.prefill == "no":
            return f"{self.provider.name} cannot continue a reply that has begun."
        if any(rule.prefill == "no" for rule in rules_of(self.provider.id, name)):
            return f"The model {name} cannot continue a reply that has begun."
        return ""

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_messages(request)
        self._needs_no_prefill(request)
        pictures = await read_pictures(path for message in request.messages for path in message.images)
        body = {**self._common(request), "messages": messages_of(request, self.provider, pictures)}
        if request.tools:
            body |= {"tools": tools_of(request.tools), "tool_choice": request.tool_choice}
        if request.is_continuation:
            body |= self.provider.continue_body
        async with contextlib.aclosing(self._reply(body)) as events:
            async for event in events:
                yield event
