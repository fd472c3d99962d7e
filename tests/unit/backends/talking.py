"""What the tests of all protocols do: open a backend on a fake server, read a whole reply, run it on a loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from tavern_desktop.backends.connection import Connection, Secrets, Timeouts
from tavern_desktop.backends.events import Event
from tavern_desktop.backends.gathered import Gathered
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.request import Request
from tavern_desktop.backends.transport import Http
from tavern_desktop.prompt.messages import PromptMessage
from tests.unit.backends.fake_server import Answer, FakeServer, Handler, Seen
from tests.unit.backends.wires import Wire

KEY = "sk-abcdefgh12345678"


def on_a_loop(talk: Callable[[], Awaitable[None]]) -> None:
    """Run a test's coroutine."""

    async def whole() -> None:
        await talk()

    asyncio.run(whole())


@contextlib.asynccontextmanager
async def talking(
    wire: Wire, handler: Handler | None = None, *, key: str = KEY, **fields: Any
) -> AsyncIterator[tuple[Backend, FakeServer]]:
    """A backend connected to a fake server that answers a wish for a reply by `handler`."""
    http = Http(first_wait=0.001)
    async with FakeServer() as server:
        if handler is not None:
            server.on("POST", wire.path, handler)
        server.on_json("POST", "/api/extra/abort", {"success": "true"})
        server.on_json("GET", "/api/extra/perf", {"last_token_count": 3, "last_input_count": 9, "stop_reason": 1})
        try:
            yield backend_on(server, wire, http, key=key, **fields), server
        finally:
            await http.aclose()


def backend_on(server: FakeServer, wire: Wire, http: Http, *, key: str = KEY, **fields: Any) -> Backend:
    settings = {"id": "c1", "name": "Fake", "model": "m", "timeouts": Timeouts(connect=20, idle=None), **fields}
    connection = Connection(protocol=wire.protocol, url=server.url + wire.base, **settings)
    return open_backend(connection, Secrets(key), http)


def a_request(backend: Backend, **fields: Any) -> Request:
    """A small request in the form the protocol takes."""
    if backend.takes_messages:
        return Request(messages=(PromptMessage("user", "Hi"),), **fields)
    return Request(prompt="Hi", **fields)


async def reply_of(backend: Backend, request: Request | None = None) -> Gathered:
    """Read a whole reply."""
    gathered = Gathered()
    for event in await events_of(backend, request):
        gathered.take(event)
    return gathered


async def events_of(backend: Backend, request: Request | None = None) -> list[Event]:
    """Read all events of a reply."""
    async with contextlib.aclosing(backend.stream(request or a_request(backend))) as events:
        return [event async for event in events]


def sends(wire: Wire, *pieces: bytes, bytewise: bool = False) -> Handler:
    """A handler that sends these pieces of a body and ends it."""

    async def handler(seen: Seen, answer: Answer) -> None:
        await answer.head(content_type=wire.content_type)
        for piece in pieces:
            await (answer.bytewise(piece) if bytewise else answer.piece(piece))
        await answer.end()

    return handler


def answers(status: str, body: bytes, content_type: str = "text/html", **headers: str) -> Handler:
    """A handler that answers with a status and a body."""

    async def handler(seen: Seen, answer: Answer) -> None:
        await answer.whole(body, status, content_type, **headers)

    return handler
