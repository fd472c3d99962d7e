"""Model servers on this computer: looked for on the ports they usually listen on, and asked what they are."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import Any

import msgspec

from tavern_desktop.backends.connection import Connection, Protocol, Secrets, Timeouts
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.exchange import Exchange
from tavern_desktop.backends.parsing import table, tables, text
from tavern_desktop.backends.providers import providers
from tavern_desktop.backends.transport import Http

KNOCK_SECONDS = 0.5
ASK_SECONDS = 3.0

HERE = "127.0.0.1"


class Found(msgspec.Struct, frozen=True):
    """A server that answers. `model` is the one it has loaded, "" where there are several or none."""

    name: str
    protocol: Protocol
    provider: str
    url: str
    model: str = ""
    needs_key: bool = False

    def connection(self, id: str) -> Connection:
        """Return a connection to it."""
        return Connection(
            id=id, name=self.name, protocol=self.protocol, provider=self.provider, url=self.url, model=self.model
        )


def usual_ports() -> list[int]:
    """Return the ports that servers of the kinds we know listen on."""
    return sorted({port for provider in providers() for port in provider.ports})


async def discover(http: Http, ports: Iterable[int] | None = None) -> list[Found]:
    """Return the servers that answer on these ports of this computer, at most in a few seconds. Raises nothing."""
    looks = [_look(http, port) for port in (usual_ports() if ports is None else ports)]
    return [found for found in await asyncio.gather(*looks) if found is not None]


async def _look(http: Http, port: int) -> Found | None:
    if not await _answers(port):
        return None
    root = f"http://{HERE}:{port}"
    asking = Connection(
        id="", name=f"{HERE}:{port}", protocol="openai", url=root, timeouts=Timeouts(connect=KNOCK_SECONDS)
    )
    exchange = Exchange(asking, Secrets(), http, {})
    paths = ("/api/extra/version", "/api/tags", "/props", "/api/v0/models", "/v1/models")
    replies = await asyncio.gather(*(_ask(exchange, f"{root}{path}") for path in paths))
    return _recognised(root, port, *replies)


async def _answers(port: int) -> bool:
    try:
        async with asyncio.timeout(KNOCK_SECONDS):
            _, writer = await asyncio.open_connection(HERE, port)
    except (OSError, TimeoutError):
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True


async def _ask(exchange: Exchange, url: str) -> dict[str, Any]:
    """Return what a server answers, {} for what it does not have, and the error's kind where a key is wanted."""
    try:
        return table(await exchange.ask("GET", url, seconds=ASK_SECONDS))
    except BackendError as error:
        return {"refused": True} if error.kind in ("key", "forbidden") else {}


def _recognised(
    root: str,
    port: int,
    kobold: dict[str, Any],
    ollama: dict[str, Any],
    props: dict[str, Any],
    lmstudio: dict[str, Any],
    models: dict[str, Any],
) -> Found | None:
    """Say what a server is. Those that imitate others come first: KoboldCpp answers as Ollama and OpenAI too."""
    openai = f"{root}/v1"
    if kobold.get("result") == "KoboldCpp":
        return Found(_named("KoboldCpp", port, 5001), "koboldcpp", "", root, _model(models))
    if "default_generation_settings" in props:
        return Found(_named("llama.cpp", port, 8080), "openai", "llamacpp", openai, _model(models))
    if isinstance(ollama.get("models"), list):
        names = [text(entry.get("name")) for entry in tables(ollama["models"])]
        return Found(_named("Ollama", port, 11434), "ollama", "", root, names[0] if len(names) == 1 else "")
    if "object" in lmstudio and tables(lmstudio.get("data")):
        loaded = [text(entry.get("id")) for entry in tables(lmstudio["data"]) if entry.get("state") == "loaded"]
        model = loaded[0] if len(loaded) == 1 else ""
        return Found(_named("LM Studio", port, 1234), "openai", "lmstudio", openai, model)
    if isinstance(models.get("data"), list):
        owners = {text(entry.get("owned_by")).lower() for entry in tables(models["data"])}
        for provider, name, usual in (("vllm", "vLLM", 8000), ("tabby", "TabbyAPI", 5000)):
            if any(owner.startswith(provider) for owner in owners):
                return Found(_named(name, port, usual), "openai", provider, openai, _model(models))
        return Found(f"Server on port {port}", "openai", "", openai, _model(models))
    if models.get("refused"):
        return Found(f"Server on port {port}", "openai", "", openai, needs_key=True)
    return None


def _named(name: str, port: int, usual: int) -> str:
    return name if port == usual else f"{name} on port {port}"


def _model(models: dict[str, Any]) -> str:
    names = [text(entry.get("id")) for entry in tables(models.get("data"))]
    return names[0] if len(names) == 1 else ""
