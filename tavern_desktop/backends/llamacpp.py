"""llama.cpp's own protocol: the text goes in as it is, the server's counts and templates are at hand."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from typing import Any

from tavern_desktop.backends import openai_servers
from tavern_desktop.backends.events import Event, Progress, Started, Text, Usage, finished
from tavern_desktop.backends.parsing import number, table, tables, text
from tavern_desktop.backends.protocol import Backend, Model, Status
from tavern_desktop.backends.providers import Provider, Taken
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.samplers import fields_for
from tavern_desktop.prompt.messages import PromptMessage

FIELDS = {
    "reply_tokens": "n_predict",
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
}

_PLAIN = Provider(id="llamacpp", name="llama.cpp")


class LlamaCpp(Backend):
    """`/completion` and what is around it. Stops when the connection is closed."""

    protocol = "llamacpp"
    takes_messages = False
    takes_text = True

    async def models(self) -> list[Model]:
        """Return the loaded model; several where the server chooses among them by name."""
        entries = tables(table(await self._exchange.ask("GET", f"{self._root}/v1/models")).get("data"))
        return [Model(text(entry.get("id")), context=openai_servers.context_of(entry)) for entry in entries]

    async def status(self) -> Status:
        """Return what the server says of itself."""
        props = table(await self._exchange.ask("GET", f"{self._root}/props"))
        context = number(table(props.get("default_generation_settings")).get("n_ctx"))
        alias = text(props.get("model_alias")) or text(props.get("model_path")).replace("\\", "/").rpartition("/")[2]
        return Status(self.server, self.connection.model or alias, context, text(props.get("build_info")))

    async def context_size(self, model: str = "") -> int | None:
        """Return the context size of one reply."""
        return await openai_servers.context(self._exchange, self._root, "props", model or self.connection.model)

    async def count_tokens(self, text: str) -> int | None:
        """Return the count of the model's tokenizer."""
        return await openai_servers.count(self._exchange, self._root, "llamacpp", text, self.connection.model)

    async def apply_template(self, messages: Sequence[PromptMessage]) -> str | None:
        """Return messages as the model's template writes them."""
        return await openai_servers.template(self._exchange, self._root, messages, _PLAIN)

    def taken(self, model: str = "") -> Taken:
        """Return all settings but reasoning effort."""
        return Taken(self.server, model or self.connection.model, FIELDS, self.protocol, self.connection.off)

    async def _events(self, request: Request) -> AsyncGenerator[Event, None]:
        self._needs_prompt(request)
        values = self.taken(request.model).values(request.settings.said(), request.stop_strings)
        more = fields_for(self.protocol, request.settings.samplers, self.connection.off)
        body = {"prompt": request.prompt, "stream": True, "cache_prompt": True, "return_progress": True}
        body |= {**more, **values}
        if model := self._model(request):
            body["model"] = model
        async with contextlib.aclosing(self._read(f"{self._root}/completion", body, _Reply())) as events:
            async for event in events:
                yield event


class _Reply:
    """Reads one reply."""

    def __init__(self) -> None:
        self._has_started = False

    def take(self, record: dict[str, Any]) -> Iterator[Event]:
        """Yield the events of a record; the last record of each alternative carries the counts."""
        if not record:
            return
        if not self._has_started:
            self._has_started = True
            yield Started(text(record.get("model")))
        progress = table(record.get("prompt_progress"))
        if progress:
            yield Progress(number(progress.get("processed")) or 0, number(progress.get("total")) or 0)
        index = number(record.get("index")) or 0
        if said := text(record.get("content")):
            yield Text(said, index)
        if record.get("stop") is True:
            yield _usage(record)
            yield finished(_why(record), index)

    def end(self) -> Iterator[Event]:
        """Yield nothing: the last record has said all."""
        return iter(())


def _usage(record: dict[str, Any]) -> Usage:
    timings = table(record.get("timings"))
    speed = timings.get("predicted_per_second")
    return Usage(
        prompt=number(record.get("tokens_evaluated")),
        reply=number(record.get("tokens_predicted")),
        cached=number(record.get("tokens_cached")) if timings.get("cache_n") is None else number(timings["cache_n"]),
        tokens_per_second=float(speed) if isinstance(speed, int | float) else None,
    )


def _why(record: dict[str, Any]) -> str:
    """Return the server's word for the end; older servers have a flag for each."""
    if told := text(record.get("stop_type")):
        return told
    flags = {"stopped_limit": "limit", "stopped_word": "word", "stopped_eos": "eos"}
    return next((word for flag, word in flags.items() if record.get(flag) is True), "")
