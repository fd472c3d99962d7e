"""The tools of other programs, for a whole program: the servers that are set up, and the sessions with them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from tavern_desktop.chat.signal import Signal
from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.runner import Runner
from tavern_desktop.session.tool_servers import ToolServers
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.tools.mcp.link import RemoteTool
from tavern_desktop.tools.mcp.links import WAIT, Links, Offered, Standing, try_out
from tavern_desktop.tools.mcp.results import Answer
from tavern_desktop.tools.mcp.server import ToolServer


class RemoteTools:
    """Belongs to the owner; its coroutines run on the loop of the model servers."""

    def __init__(self, runner: Runner, folders: OwnFolders, keys: KeyStore) -> None:
        self.changed: Signal[()] = Signal()
        """How a server stands, or what it offers. Emitted on the owner."""
        self.servers = ToolServers(folders, keys)
        self._runner = runner
        self._links: Links | None = None
        self._standing: tuple[Standing, ...] = ()

    def standing_of(self, id: str) -> Standing | None:
        """Return how a server stands, None for one that was never used. On the owner."""
        return next((each for each in self._standing if each.server.id == id), None)

    # -- on the loop ------------------------------------------------------------------------------------------

    async def offered(self, wait: float = WAIT) -> list[Offered]:
        """Return what all servers that are on offer, as they are set up now; see `Links.offered`."""
        return await (await self._in_use()).offered(wait)

    def known(self) -> list[Offered]:
        """Return what the servers offer that are ready; see `Links.known`."""
        return self._links.known() if self._links is not None else []

    async def call(self, server_id: str, tool: str, arguments: dict[str, Any], seconds: float) -> Answer:
        """Have a tool do its work. Raises ToolServerError, see `Link.call`."""
        return await (await self._in_use()).call(server_id, tool, arguments, seconds)

    async def restart(self, server_id: str) -> tuple[RemoteTool, ...]:
        """Begin another session with a server. Raises ToolServerError."""
        return await (await self._in_use()).restart(server_id)

    async def try_out(self, server: ToolServer, secrets: Mapping[str, str]) -> tuple[RemoteTool, ...]:
        """Return what a server offers as it is typed. `secrets`: those just typed; others are the kept ones.

        Raises ToolServerError, StorageError.
        """
        return await try_out(server, lambda asked: self.servers.secrets_of(asked) | dict(secrets))

    async def _in_use(self) -> Links:
        if self._links is None:
            self._links = Links(self.servers.secrets_of, self._heard)
        await asyncio.to_thread(self.servers.reload)
        await self._links.use(self.servers.all())
        return self._links

    def _heard(self) -> None:
        standing = tuple(self._links.standing()) if self._links is not None else ()

        def take() -> None:
            if standing != self._standing:
                self._standing = standing
                self.changed.emit()

        self._runner.post(take)
