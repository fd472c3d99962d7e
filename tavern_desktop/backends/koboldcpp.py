"""KoboldCpp's own protocol. It goes on writing when a connection is closed: a stop is a request of its own (B-42)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from tavern_desktop.backends import openai_servers
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Text, Usage, finished
from tavern_desktop.backends.parsing import number, table, text
from tavern_desktop.backends.pictures import read_pictures
from tavern_desktop.backends.protocol import Backend, Model, Status
from tavern_desktop.backends.providers import Taken
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.samplers import fields_for

FIELDS = {
    "reply_tokens": "max_length",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "repetition_penalty": "rep_pen",
    "repetition_range": "rep_pen_range",
    "presence_penalty": "presence_penalty",
    "seed": "sampler_seed",
    "stop": "stop_sequence",
}

ABORT_SECONDS = 5.0

_STOP_REASONS = {0: "length", 1: "eos", 2: "word"}

log = logging.getLogger(__name__)


class KoboldCpp(Backend):
    """`/api/extra/generate/stream` and what is around it."""

    protocol = "koboldcpp"
    takes_messages = False
    takes_text = True

    async def models(self) -> list[Model]:
        """Return the model that is loaded."""
        name = text(table(await self._exchange.ask("GET", f"{self._api}/v1/model")).get("result"))
        return [Model(name)] if name and name != "inactive" else []

    async def status(self) -> Status:
        """Return what the server says of itself."""
        version = table(await self._exchange.ask("GET", f"{self._api}/extra/version"))
        found = await self.models()
        name = found[0].id if found else ""
        return Status(self.server, name, await self.context_size(), text(version.get("version")))

    async def context_size(self, model: str = "") -> int | None:
        """Return the context size the model was loaded with."""
        return await openai_servers.context(self._exchange, self._kobold, "koboldcpp", model)

    async def count_tokens(self, text: str) -> int | None:
        """Return the count of the model's tokenizer."""
        return await openai_servers.count(self._exchange, self._kobold, "koboldcpp", text, "")

    def taken(self, model: str = "") -> Taken:
        """Return the settings it knows."""
        return Taken(self.server, model or self.connection.model, FIELDS, self.protocol, self.connection.off)

    @property
    def _kobold(self) -> str:
        """The address without `/api`, which people copy along."""
        return self._root.removesuffix("/api")

    @property
    def _api(self) -> str:
        return f"{self._kobold}/api"

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_prompt(request)
        # The name of this generation: only it is stopped, not another program's.
        name = f"KCPP{secrets.randbelow(10**8):08}"
        body = await self._body(request, name)
        reply, may_go_on = _Reply(), True
        try:
            url = f"{self._api}/extra/generate/stream"
            async with contextlib.aclosing(self._read(url, body, reply)) as events:
                async for event in events:
                    yield event
            may_go_on = False
        except BackendError as error:
            may_go_on = error.kind in ("silent", "disconnected", "bad_reply")
            raise
        finally:
            if may_go_on:
                await self._abort(name)
        usage, last_word = await self._performance()
        yield usage
        if reply.raw or last_word:
            yield finished(reply.raw or last_word)

    async def _body(self, request: Request, name: str) -> dict[str, Any]:
        settings = request.settings
        values = self.taken(request.model).values(settings.said(), request.stop_strings)
        more = fields_for(self.protocol, settings.samplers, self.connection.off)
        body = {"prompt": request.prompt, "genkey": name, "trim_stop": True, **more, **values}
        if settings.context_tokens:
            body["max_context_length"] = settings.context_tokens
        paths = [path for message in request.messages for path in message.images]
        pictures = await read_pictures(paths)
        if pictures:
            body["images"] = [pictures[path].base64 for path in paths]
        return body

    async def _abort(self, name: str) -> None:
        """Have the server stop, even while we are being cancelled."""
        ask = self._exchange.ask("POST", f"{self._api}/extra/abort", {"genkey": name}, seconds=ABORT_SECONDS)
        try:
            await asyncio.shield(asyncio.ensure_future(ask))
        except BackendError as error:
            log.info("a model server could not be told to stop: %s", error.for_log())

    async def _performance(self) -> tuple[Usage, str]:
        """Return the counts of the reply just made, and why it ended by the server's own account."""
        try:
            found = table(await self._exchange.ask("GET", f"{self._api}/extra/perf", seconds=ABORT_SECONDS))
        except BackendError:
            return Usage(), ""
        reply, speed = number(found.get("last_token_count")), found.get("last_eval_speed")
        usage = Usage(
            prompt=number(found.get("last_input_count")),
            reply=reply,
            tokens_per_second=float(speed) if isinstance(speed, int | float) else None,
        )
        return usage, _STOP_REASONS.get(number(found.get("stop_reason")) or 0, "")


class _Reply:
    """Reads one reply; `raw` is why it ended, once that was said."""

    def __init__(self) -> None:
        self.raw = ""

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record."""
        if said := text(record.get("token")):
            yield Text(said)
        told = text(record.get("finish_reason"))
        self.raw = told if told and told != "null" else self.raw

    def end(self) -> Iterator[Event]:
        """Yield nothing: what ends a reply is asked for apart."""
        return iter(())
