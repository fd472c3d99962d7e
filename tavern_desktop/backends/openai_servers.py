"""What servers of OpenAI's protocol offer beside it: counting, templates, the context size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.exchange import Exchange
from tavern_desktop.backends.openai_body import messages_of
from tavern_desktop.backends.parsing import number, table, tables, text
from tavern_desktop.backends.providers import Provider
from tavern_desktop.backends.request import Request
from tavern_desktop.prompt.messages import PromptMessage

_CONTEXT_FIELDS = ("context_length", "max_model_len", "max_context_length", "context_window")

_ABSENT = frozenset({"not_found", "unsupported", "rejected", "server", "bad_reply"})
"""Kinds of errors that mean: this server does not have that."""


async def asked(exchange: Exchange, method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    """Return an answer, None where the server does not have what is asked for. Raises BackendError."""
    try:
        return await exchange.ask(method, url, body)
    except BackendError as error:
        if error.kind in _ABSENT:
            return None
        raise


async def count(exchange: Exchange, root: str, way: str, said: str, model: str) -> int | None:
    """Return the tokens of a text, None where the server does not count."""
    asking: dict[str, tuple[str, dict[str, Any], str]] = {
        "llamacpp": ("/tokenize", {"content": said}, "tokens"),
        "vllm": ("/tokenize", {"model": model, "prompt": said, "add_special_tokens": False}, "count"),
        "tabby": ("/v1/token/encode", {"text": said, "add_bos_token": False, "encode_special_tokens": False}, "length"),
        "koboldcpp": ("/api/extra/tokencount", {"prompt": said, "special": False}, "value"),
    }
    path, body, field = asking[way]
    answer = table(await asked(exchange, "POST", f"{root}{path}", body)).get(field)
    return len(answer) if isinstance(answer, list) else number(answer)


async def template(exchange: Exchange, root: str, messages: Sequence[PromptMessage], provider: Provider) -> str | None:
    """Return messages as one text by llama.cpp; None where it does not have that."""
    entries = messages_of(Request(messages=tuple(messages)), provider, {})
    answer = await asked(exchange, "POST", f"{root}/apply-template", {"messages": entries})
    return text(table(answer).get("prompt")) or None


async def context(exchange: Exchange, root: str, way: str, model: str) -> int | None:
    """Return the context size that a server tells elsewhere than in its list of models."""
    if way == "props":
        place = f"?model={quote(model)}" if model else ""
        props = table(await asked(exchange, "GET", f"{root}/props{place}"))
        return number(table(props.get("default_generation_settings")).get("n_ctx"))
    if way == "tabby":
        parameters = table(table(await asked(exchange, "GET", f"{root}/v1/model")).get("parameters"))
        return number(parameters.get("max_seq_len"))
    if way == "koboldcpp":
        return number(table(await asked(exchange, "GET", f"{root}/api/extra/true_max_context_length")).get("value"))
    if way == "lmstudio":
        for entry in tables(table(await asked(exchange, "GET", f"{root}/api/v0/models")).get("data")):
            if entry.get("id") == model or (not model and entry.get("state") == "loaded"):
                return number(entry.get("loaded_context_length")) or number(entry.get("max_context_length"))
    return None


def context_of(entry: dict[str, Any]) -> int | None:
    """Return the context size that an entry of a list of models tells under one of the names in use."""
    return next((size for field in _CONTEXT_FIELDS if (size := number(entry.get(field)))), None)
