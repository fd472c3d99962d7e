"""All servers of tools that are in use: what they offer together, under names that models take."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.link import Link, RemoteTool, SecretsOf, State
from tavern_desktop.tools.mcp.results import Answer
from tavern_desktop.tools.mcp.server import ToolServer

LONGEST_NAME = 64
"""What every provider takes as the name of a function."""
WAIT = 10.0
"""Seconds that a reply waits for servers that are starting; what is not there by then is offered next time."""
AGAIN = 60.0
"""Seconds until a server that failed is tried again by itself."""


@dataclass(frozen=True)
class Offered:
    """A tool as models are offered it. `name` is unique among all that are offered together."""

    name: str
    server: ToolServer
    tool: RemoteTool


@dataclass(frozen=True)
class Standing:
    """How a server stands."""

    server: ToolServer
    state: State
    error: ToolServerError | None
    tools: tuple[RemoteTool, ...]


class Links:
    """Belongs to one loop."""

    def __init__(self, secrets_of: SecretsOf, changed: Callable[[], object] = lambda: None) -> None:
        """`changed` is called on the loop whenever a server's state or tools did."""
        self._secrets_of, self._changed = secrets_of, changed
        self._links: dict[str, Link] = {}
        self._failed_at: dict[str, float] = {}

    async def use(self, servers: Iterable[ToolServer]) -> None:
        """Use these servers from now on, those of them that are on. Sessions stay where their servers did."""
        wanted = {server.id: server for server in servers if server.is_on}
        gone = [link for id, link in self._links.items() if not _same_way(wanted.get(id), link.server)]
        kept = {link.server.id: link for link in self._links.values() if link not in gone}
        for id, link in kept.items():
            link.server = wanted[id]
        fresh = (server for id, server in wanted.items() if id not in kept)
        self._links = kept | {server.id: Link(server, self._secrets_of, self._changed) for server in fresh}
        self._links = {id: self._links[id] for id in wanted}
        await asyncio.gather(*(link.close() for link in gone))
        for link in gone:
            self._failed_at.pop(link.server.id, None)
        self._changed()

    async def offered(self, wait: float = WAIT) -> list[Offered]:
        """Return what all servers offer; servers are started for it. One that fails offers nothing, and is left alone
        for a while."""
        links = [link for link in self._links.values() if self._may_try(link)]
        if links:
            asking = {asyncio.create_task(self._ask(link)): link for link in links}
            _, late = await asyncio.wait(asking, timeout=wait)
            for task in late:
                task.cancel()
        return self.known()

    def known(self) -> list[Offered]:
        """Return what the servers offer that are ready; none is started for it."""
        tools = [
            (link.server, tool)
            for link in self._links.values()
            if link.state == "ready"
            for tool in link.known_tools
            if tool.name not in link.server.left_out
        ]
        return _named(tools)

    async def call(self, server_id: str, tool: str, arguments: dict[str, Any], seconds: float) -> Answer:
        """Have a server's tool do its work. Raises ToolServerError, see `Link.call`."""
        link = self._links.get(server_id)
        if link is None:
            raise ToolServerError("off", "The server of this tool is switched off, or was taken out.")
        return await link.call(tool, arguments, seconds)

    async def restart(self, server_id: str) -> tuple[RemoteTool, ...]:
        """End a server's session and begin another. Raises ToolServerError."""
        link = self._links.get(server_id)
        if link is None:
            raise ToolServerError("off", "This tool server is switched off.")
        await link.close()
        self._failed_at.pop(server_id, None)
        return await link.tools()

    def standing(self) -> list[Standing]:
        """Return how each server in use stands."""
        return [Standing(link.server, link.state, link.error, link.known_tools) for link in self._links.values()]

    async def close(self) -> None:
        """End every session and every program that was started."""
        links = list(self._links.values())
        self._links.clear()
        await asyncio.gather(*(link.close() for link in links))

    def _may_try(self, link: Link) -> bool:
        failed = self._failed_at.get(link.server.id)
        return failed is None or time.monotonic() - failed > AGAIN

    async def _ask(self, link: Link) -> None:
        try:
            await link.tools()
            self._failed_at.pop(link.server.id, None)
        except ToolServerError:
            self._failed_at[link.server.id] = time.monotonic()


async def try_out(server: ToolServer, secrets_of: SecretsOf) -> tuple[RemoteTool, ...]:
    """Return what a server offers, in a session of its own. Raises ToolServerError."""
    link = Link(server, secrets_of, lambda: None)
    try:
        return await link.tools()
    finally:
        await link.close()


def _same_way(one: ToolServer | None, other: ToolServer) -> bool:
    """Say whether two are reached the same way, so that a session with one is one with the other."""
    return one is not None and _way(one) == _way(other)


def _way(server: ToolServer) -> tuple[Any, ...]:
    values = sorted(server.values.items())
    return (server.transport, server.command, server.args, server.folder, server.url, values, server.secrets)


def _named(tools: Iterable[tuple[ToolServer, RemoteTool]]) -> list[Offered]:
    """Return tools under names that models take: its own where that is free, else with its server's before it."""
    listed = list(tools)
    plain = [_plain(tool.name) for _, tool in listed]
    found: list[Offered] = []
    taken: set[str] = set()
    for (server, tool), own in zip(listed, plain, strict=True):
        name = own if plain.count(own) == 1 else f"{_plain(server.name)}_{own}"
        name, number = name[:LONGEST_NAME], 1
        while name in taken:
            number += 1
            name = f"{name[: LONGEST_NAME - 4]}_{number}"
        taken.add(name)
        found.append(Offered(name, server, tool))
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]+", "_", name).strip("_")[:LONGEST_NAME] or "tool"
