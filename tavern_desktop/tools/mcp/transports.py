"""Ways to a server of tools, by the official SDK: a child process, or HTTP; and what is to be known when they break.

The SDK is imported by whoever opens a way, on a thread: it takes more than a second. Used on one loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import importlib.util
import logging
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from tavern_desktop import __version__
from tavern_desktop.backends.connection import is_near_host
from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.limits import MOST_IN_ONE, TOO_LONG, limit_lines, limited
from tavern_desktop.tools.mcp.server import ToolServer

MOST_SAID = 4_000
"""Characters of what a program writes on its error output that are remembered: the last ones."""
CONNECT_SECONDS = 10.0
MISSING = (
    "Tools of other programs need the package “mcp”, which is not installed. Install it with: "
    "pip install 'tavern-desktop[mcp]'"
)


def is_installed() -> bool:
    """Say whether the SDK is there, without importing it."""
    return importlib.util.find_spec("mcp") is not None


async def load_sdk() -> Any:
    """Return the SDK, imported on a thread. Raises ToolServerError where it is not installed."""
    if not is_installed():
        raise ToolServerError("missing", MISSING)
    # It logs what servers write, which may be what somebody wrote in a chat.
    logging.getLogger("mcp").setLevel(logging.CRITICAL + 1)
    return await asyncio.to_thread(importlib.import_module, "mcp")


class Trouble:
    """What is seen of a way besides what comes over it."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        """Nothing more will come over it."""
        self.status: int | None = None
        """The last HTTP status that was no success."""
        self.failure: Exception | None = None
        """Why the last HTTP request did not get through."""
        self.is_too_long = False
        """A message came that had no end within the limit; nothing behind it was read."""
        self._said: deque[str] = deque()
        self._length = 0

    @property
    def said(self) -> str:
        """The end of what the program wrote on its error output."""
        return "".join(self._said)[-MOST_SAID:].strip()

    def note_too_long(self) -> None:
        """Remember that a message was too long; the session ends for it."""
        self.is_too_long = True
        self.ended.set()

    def hear(self, text: str) -> None:
        """Remember some of the error output. Called on its own thread."""
        self._said.append(text)
        self._length += len(text)
        while self._length - len(self._said[0]) > MOST_SAID:
            self._length -= len(self._said.popleft())


@contextlib.asynccontextmanager
async def opened(server: ToolServer, values: Mapping[str, str], trouble: Trouble) -> AsyncIterator[Any]:
    """Yield the two streams of the way to a server. `values`: its variables or headers. Raises OSError and what the
    SDK raises."""
    way = _child(server, values, trouble) if server.transport == "stdio" else _http(server, values, trouble)
    async with way as (incoming, outgoing):
        yield _Watched(incoming, trouble), outgoing


@contextlib.asynccontextmanager
async def _child(server: ToolServer, values: Mapping[str, str], trouble: Trouble) -> AsyncIterator[Any]:
    stdio = importlib.import_module("mcp.client.stdio")
    limit_lines(stdio)
    TOO_LONG.set(trouble.note_too_long)
    wish = stdio.StdioServerParameters(
        command=server.command,
        args=list(server.args),
        env=dict(values),
        cwd=server.folder or None,
        encoding_error_handler="replace",
    )
    with _error_output(trouble) as output:
        async with stdio.stdio_client(wish, errlog=output) as streams:
            output.close()  # the child has its own end by now
            yield streams


@contextlib.contextmanager
def _error_output(trouble: Trouble) -> Any:
    """Yield a file for a child to complain into; a thread reads it, for some systems' loops cannot."""
    reading, writing = os.pipe()

    def read() -> None:
        with open(reading, encoding="utf-8", errors="replace") as lines:
            while text := lines.readline(MOST_SAID):
                trouble.hear(text)

    threading.Thread(target=read, name="tool-server-errors", daemon=True).start()
    with open(writing, "w", encoding="utf-8") as output:
        yield output


@contextlib.asynccontextmanager
async def _http(server: ToolServer, values: Mapping[str, str], trouble: Trouble) -> AsyncIterator[Any]:
    import httpx2

    streamable = importlib.import_module("mcp.client.streamable_http")

    class Watched(httpx2.AsyncClient):
        """Notes what the SDK does not hand on."""

        async def send(self, *args: Any, **more: Any) -> httpx2.Response:
            try:
                response = await super().send(*args, **more)
            except httpx2.TransportError as error:
                trouble.failure = error
                raise
            if response.status_code >= 400:
                trouble.status = response.status_code
            if not response.headers.get("content-type", "").startswith("text/event-stream"):  # the SDK limits events
                response.stream = Limited(response.stream)
            return response

    class Limited(httpx2.AsyncByteStream):
        """A body that is one message."""

        def __init__(self, stream: Any) -> None:
            self._stream = stream

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in limited(self._stream, trouble.note_too_long):
                yield piece

        async def aclose(self) -> None:
            await self._stream.aclose()

    near = is_near_host(urlsplit(server.url).hostname or "")
    timeout = httpx2.Timeout(CONNECT_SECONDS, read=None)  # how long a call may take is the caller's matter
    headers = {"User-Agent": f"TavernDesktop/{__version__}"} | dict(values)
    async with (
        Watched(headers=headers, timeout=timeout, trust_env=not near) as client,
        streamable.streamable_http_client(
            server.url.strip(), http_client=client, max_sse_event_size=MOST_IN_ONE
        ) as streams,
    ):
        yield streams


class _Watched:
    """The stream of what comes in, which says when it has ended."""

    def __init__(self, stream: Any, trouble: Trouble) -> None:
        self._stream, self._trouble = stream, trouble

    async def __aenter__(self) -> _Watched:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> Any:
        self._trouble.ended.set()
        return await self._stream.__aexit__(*reason)

    def __aiter__(self) -> _Watched:
        return self

    async def __anext__(self) -> Any:
        return await self._stream.__anext__()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
