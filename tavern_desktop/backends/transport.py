"""HTTP clients for one loop, one for each way through the network.

httpx2 is imported when the first request goes out, not before: nothing of it lies on the way to the first window.
"""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from tavern_desktop import __version__
from tavern_desktop.backends.connection import Connection, is_near

if TYPE_CHECKING:
    import httpx2


class Http:
    """The clients of one loop, one for each way through the network. Used on that loop only."""

    def __init__(self, *, first_wait: float = 1.0) -> None:
        """`first_wait`: seconds before the first of the retries; each later one waits twice as long."""
        self.first_wait = first_wait
        self._clients: dict[tuple[str, bool, bool], httpx2.AsyncClient] = {}

    def client(self, connection: Connection, proxy_password: str = "") -> httpx2.AsyncClient:
        """Return the client for a connection. A server nearby is reached past the environment's proxies."""
        proxy = _with_password(connection.proxy, proxy_password)
        trusts_environment = not proxy and not is_near(connection)
        is_checked = connection.check_certificate and urlsplit(connection.url).scheme == "https"
        key = (proxy, trusts_environment, is_checked)
        if key not in self._clients:
            self._clients[key] = _new_client(proxy, trusts_environment, is_checked)
        return self._clients[key]

    async def prepare(self, connection: Connection, proxy_password: str = "") -> None:
        """Do beforehand what makes a first request late: import the library, read the system's certificates."""
        await asyncio.to_thread(importlib.import_module, "httpx2")
        self.client(connection, proxy_password)

    async def aclose(self) -> None:
        """Close every connection."""
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.aclose()


def _new_client(proxy: str, trusts_environment: bool, is_checked: bool) -> httpx2.AsyncClient:
    import httpx2

    # A redirect would carry the key to where nobody said it should go.
    return httpx2.AsyncClient(
        headers={"User-Agent": f"TavernDesktop/{__version__}"},
        proxy=proxy or None,
        trust_env=trusts_environment,
        verify=is_checked,
        follow_redirects=False,
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=15.0),
        timeout=None,
    )


def _with_password(proxy: str, password: str) -> str:
    if not proxy or not password:
        return proxy
    parts = urlsplit(proxy)
    user, _, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=f"{user}:{quote(password, safe='')}@{place}").geturl()
