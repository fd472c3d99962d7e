"""Connections as SillyTavern has them, with its keys: offered, and only when the person asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tavern_desktop.backends.connection import Connection, Protocol, check
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.parsing import table, text
from tavern_desktop.backends.providers import providers
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.secrets_file import SavedKey, active_key, read_keys
from tavern_desktop.library.settings_file import read_settings
from tavern_desktop.session.connections import new_id
from tavern_desktop.storage.errors import StorageError

_NO_MODEL = "OR_Website"
"""What SillyTavern writes where OpenRouter is to choose."""

_TEXT_SERVERS: dict[str, tuple[str, Protocol, str, str]] = {
    "koboldcpp": ("KoboldCpp", "koboldcpp", "", ""),
    "llamacpp": ("llama.cpp", "llamacpp", "", ""),
    "ollama": ("Ollama", "ollama", "", ""),
    "tabby": ("TabbyAPI", "openai-text", "tabby", "/v1"),
    "vllm": ("vLLM", "openai-text", "vllm", "/v1"),
    "aphrodite": ("Aphrodite", "openai-text", "vllm", "/v1"),
    "ooba": ("Text Generation WebUI", "openai-text", "", "/v1"),
    "generic": ("Text completion server", "openai-text", "", "/v1"),
}
"""Its types of text completion servers: name, protocol, provider, what is added to the address."""


class TakenOver:
    """A connection that could be added, and its key. `is_active`: the one SillyTavern uses now."""

    def __init__(self, connection: Connection, key: str, is_active: bool) -> None:
        self.connection = connection
        self.key = key
        self.is_active = is_active

    def __repr__(self) -> str:
        return f"TakenOver({self.connection.name})"


def sillytavern_connections(root: DataRoot) -> list[TakenOver]:
    """Return the connections that SillyTavern's settings and keys make, the active one first.

    Raises StorageError for a file of keys that cannot be read.
    """
    settings = read_settings(root)
    try:
        keys = read_keys(root)
    except StorageError as error:
        if error.kind != "not_found":
            raise
        keys = []
    found = [*_chat(settings, keys), *_text(settings, keys)]
    return sorted(filter(_is_usable, found), key=lambda offer: not offer.is_active)


def _chat(settings: dict[str, Any], keys: list[SavedKey]) -> Iterator[TakenOver]:
    held = table(settings.get("oai_settings"))
    source = held.get("chat_completion_source") if settings.get("main_api") == "openai" else None
    for provider in providers():
        key = active_key(keys, provider.secret)
        if not provider.model_setting or not key:
            continue
        model = text(held.get(provider.model_setting)).replace(_NO_MODEL, "")
        own = provider.id if provider.protocol == "openai" else ""
        connection = Connection(
            id=new_id(), name=provider.name, protocol=provider.protocol, url=provider.url, model=model, provider=own
        )
        yield TakenOver(connection, key, source == provider.api)
    url = text(held.get("custom_url")).strip()
    if url:
        name = urlsplit(url).netloc or "Custom"
        connection = Connection(
            id=new_id(), name=name, protocol="openai", url=url, model=text(held.get("custom_model"))
        )
        yield TakenOver(connection, active_key(keys, "api_key_custom"), source == "custom")


def _text(settings: dict[str, Any], keys: list[SavedKey]) -> Iterator[TakenOver]:
    held = table(settings.get("textgenerationwebui_settings"))
    kind = held.get("type") if settings.get("main_api") == "textgenerationwebui" else None
    urls = table(held.get("server_urls"))
    for type_, (name, protocol, provider, ending) in _TEXT_SERVERS.items():
        url = text(urls.get(type_)).strip().rstrip("/")
        if not url:
            continue
        connection = Connection(
            id=new_id(), name=name, protocol=protocol, provider=provider,
            url=url.removesuffix("/v1").removesuffix("/api") + ending,
            model=text(held.get("custom_model" if type_ == "ooba" else f"{type_}_model")),
        )  # fmt: skip
        yield TakenOver(connection, active_key(keys, f"api_key_{type_}"), kind == type_)


def _is_usable(offer: TakenOver) -> bool:
    try:
        check(offer.connection)
    except (BackendError, msgspec.ValidationError):
        return False
    return True
