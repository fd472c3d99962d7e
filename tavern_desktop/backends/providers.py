"""What is particular about each provider: data of `resources/providers.toml`, and how it applies to a request."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from functools import cache
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from tavern_desktop.backends.connection import Connection, Protocol
from tavern_desktop.backends.settings import LABELS, NOT_SENT
from tavern_desktop.resources import resource_path

CUSTOM = "custom"


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One provider or server; the fields are explained at the head of the data file."""

    id: str
    name: str
    protocol: Protocol = "openai"
    api: str = "custom"
    url: str = ""
    ports: tuple[int, ...] = ()
    models_url: str = ""
    hosts: tuple[str, ...] = ()
    secret: str = ""
    model_setting: str = ""
    settings: tuple[str, ...] | None = None
    rename: dict[str, str] = {}
    least: dict[str, float] = {}
    stops: int | None = None
    alternatives: bool = False
    prefill: str = "plain"
    usage: bool = False
    body: dict[str, Any] = {}
    continue_body: dict[str, Any] = {}
    after: Literal["", "user"] = ""
    merge: bool = False
    join_end: bool = False
    tool_ids: Literal["", "nine"] = ""
    count: Literal["", "llamacpp", "vllm", "tabby", "koboldcpp"] = ""
    template: Literal["", "llamacpp"] = ""
    context: str = ""
    effort: Literal["word", "openrouter", "thinking", "no"] = "word"
    headers: dict[str, str] = {}


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What some models do not take: `without` these settings, only the first of `one_of` those.

    `thinking` is how Anthropic's and Google's models are told how much to think.
    """

    models: tuple[str, ...]
    providers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()
    rename: dict[str, str] = {}
    prefill: str = ""
    thinking: Literal["", "budget", "level", "adaptive"] = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    provider: list[Provider]
    rule: list[Rule]


@cache
def _data() -> _File:
    return msgspec.convert(tomllib.loads(resource_path("providers.toml").read_text("utf-8")), _File)


def providers() -> list[Provider]:
    """Return all providers, in the order in which they are offered."""
    return _data().provider


def provider_of(connection: Connection) -> Provider:
    """Return whose ways a connection by OpenAI's protocol follows: the named one's, its address's, else the plain."""
    by_id = {provider.id: provider for provider in providers() if provider.protocol == "openai"}
    if connection.provider in by_id:
        return by_id[connection.provider]
    host = urlsplit(connection.url).hostname or ""
    for provider in by_id.values():
        if any(host == name or host.endswith(f".{name}") for name in provider.hosts):
            return provider
    return by_id[CUSTOM]


_TEXT_SERVERS = ("llamacpp", "vllm", "tabby", "koboldcpp")


def api_name(connection: Connection) -> str:
    """Return what SillyTavern calls the source of a reply (`extra.api`)."""
    if connection.protocol == "openai":
        return provider_of(connection).api
    if connection.protocol == "openai-text":
        return connection.provider if connection.provider in _TEXT_SERVERS else "generic"
    known = next((provider.api for provider in providers() if provider.protocol == connection.protocol), "custom")
    return connection.protocol if known == "custom" else known


def secret_name(connection: Connection) -> str:
    """Return the name of a connection's key in SillyTavern's secrets.json, "" where it has none there."""
    if connection.protocol == "openai":
        return provider_of(connection).secret
    wanted = connection.protocol if connection.protocol != "openai-text" else connection.provider
    return next((provider.secret for provider in providers() if wanted in (provider.id, provider.protocol)), "")


def rules_of(provider: str, model: str) -> list[Rule]:
    """Return the rules for a model, by its name behind the last slash, in small letters."""
    name = model.rpartition("/")[2].lower()
    return [
        rule
        for rule in _data().rule
        if any(fnmatchcase(name, pattern) for pattern in rule.models)
        and (not rule.providers or provider in rule.providers)
    ]


def thinking_of(provider: str, model: str) -> str:
    """Return how a model is told how much to think, "" where it cannot be told."""
    return next((rule.thinking for rule in rules_of(provider, model) if rule.thinking), "")


class Taken(msgspec.Struct, frozen=True):
    """Which settings a server takes and under which names: `fields` maps ours to the server's."""

    server: str
    model: str
    fields: dict[str, str]
    provider: str = ""
    off: tuple[str, ...] = ()
    stops: int | None = None
    least: dict[str, float] = {}

    @property
    def rules(self) -> list[Rule]:
        """What the model does not take."""
        return rules_of(self.provider, self.model)

    def refusal(self, setting: str) -> str:
        """Return why a setting is not sent, "" if it is: what a window shows beside a field that is disabled."""
        label = LABELS.get(setting, setting)
        if setting in NOT_SENT:
            return ""
        if setting in self.off:
            return f"The {label} is switched off for this connection."
        if any(setting in rule.without for rule in self.rules):
            return f"The model {self.model} takes no {label}."
        if setting not in self.fields:
            return f"{self.server} takes no {label}."
        return ""

    def values(self, said: dict[str, object], stop: list[str]) -> dict[str, Any]:
        """Return the fields of a request for the settings that are said and taken."""
        wanted = {name: value for name, value in said.items() if name not in ("stop", *NOT_SENT)}
        if stop:
            wanted["stop"] = stop if self.stops is None else stop[: self.stops]
        for rule in self.rules:
            for name in [name for name in rule.one_of if name in wanted][1:]:
                del wanted[name]
        taken = {name: value for name, value in wanted.items() if not self.refusal(name)}
        for name, least in self.least.items():
            if isinstance(value := taken.get(name), int | float) and value < least:
                taken[name] = least
        return {self._field(name): value for name, value in taken.items()}

    def ours(self, field: str) -> str:
        """Return our name of a server's field, the field itself where we have none."""
        return next((name for name in self.fields if self._field(name) == field), field)

    def _field(self, name: str) -> str:
        for rule in self.rules:
            if name in rule.rename:
                return rule.rename[name]
        return self.fields[name]
