"""The real tool server of the tests, and sessions with it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from tavern_desktop.tools.mcp.links import Links
from tavern_desktop.tools.mcp.results import Answer
from tavern_desktop.tools.mcp.server import ToolServer

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[4]
SECONDS = 60.0
"""How long a call may take that is to succeed; it decides nothing."""


def as_child(**fields: Any) -> ToolServer:
    """The server as a program that is started."""
    usual: dict[str, Any] = {
        "id": "child",
        "name": "Harbour",
        "command": sys.executable,
        "args": ("-m", "tests.tool_server"),
        "folder": str(ROOT),
        "values": {"PYTHONPATH": str(ROOT)},
    }
    return ToolServer(**(usual | fields))


@contextlib.contextmanager
def over_http() -> Iterator[ToolServer]:
    """The server at an address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.tool_server", str(port)]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert program.stderr is not None
        for line in program.stderr:
            if "running on" in line:
                break
        yield ToolServer(id="http", name="Harbour", transport="http", url=f"http://127.0.0.1:{port}/mcp")
    finally:
        program.kill()
        program.communicate()


@contextlib.asynccontextmanager
async def linked(*servers: ToolServer, **secrets: str) -> AsyncIterator[Links]:
    """Sessions with servers."""
    links = Links(lambda server: secrets)
    await links.use(servers)
    try:
        yield links
    finally:
        await links.close()


def ask(server: ToolServer, tool: str, seconds: float = SECONDS, **arguments: Any) -> Answer:
    """One call in a session of its own."""

    async def work() -> Answer:
        async with linked(server) as links:
            return await links.call(server.id, tool, arguments, seconds)

    return asyncio.run(work())


def run(work: Callable[[], Awaitable[T]]) -> T:
    async def whole() -> T:
        return await work()

    return asyncio.run(whole())
