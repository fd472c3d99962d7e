"""An HTTP server on loopback that does what a test tells it: real sockets, any bytes, in any pieces."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Seen:
    """A request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    """The way back to one client."""

    writer: asyncio.StreamWriter
    gone: asyncio.Event
    """Set once the client has closed its end."""

    async def head(self, status: str = "200 OK", content_type: str = "text/event-stream", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}", "Transfer-Encoding: chunked"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode())

    async def piece(self, data: bytes) -> None:
        """Send a piece of the body, as it is."""
        if data:
            await self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    async def bytewise(self, data: bytes) -> None:
        """Send a piece for every byte."""
        await self.raw(b"".join(b"1\r\n%s\r\n" % data[at : at + 1] for at in range(len(data))))

    async def end(self) -> None:
        await self.raw(b"0\r\n\r\n")

    async def whole(
        self, body: bytes, status: str = "200 OK", content_type: str = "application/json", **headers: str
    ) -> None:
        await self.head(status, content_type, **headers)
        await self.piece(body)
        await self.end()

    async def json(self, value: Any, status: str = "200 OK") -> None:
        await self.whole(json.dumps(value).encode(), status)

    async def raw(self, data: bytes) -> None:
        with contextlib.suppress(ConnectionError):
            self.writer.write(data)
            await self.writer.drain()

    def drop(self) -> None:
        """Close the socket in the middle."""
        self.writer.close()


Handler = Callable[[Seen, Answer], Awaitable[None]]


@dataclass
class FakeServer:
    """Routes are found by method and path without its query; what was asked is kept in `seen`."""

    routes: dict[tuple[str, str], Handler] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    port: int = 0
    """Where it listens; 0 takes a free one."""
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def on(self, method: str, path: str, handler: Handler) -> None:
        self.routes[method, path] = handler

    def on_json(self, method: str, path: str, value: Any, status: str = "200 OK") -> None:
        async def answer(seen: Seen, answer: Answer) -> None:
            await answer.json(value, status)

        self.on(method, path, answer)

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def asked(self, path: str) -> list[Seen]:
        return [seen for seen in self.seen if seen.path.partition("?")[0] == path]

    async def __aenter__(self) -> FakeServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        return self

    async def __aexit__(self, *stopped_by: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                while not writer.is_closing():
                    await self._one(reader, writer)
        except asyncio.CancelledError:
            pass  # the server ends
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = head.strip().split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        seen = Seen(method, path, headers, body)
        self.seen.append(seen)
        gone = asyncio.Event()
        watch = asyncio.create_task(_watch(reader, gone))
        answer = Answer(writer, gone)
        handler = self.routes.get((method, path.partition("?")[0]))
        try:
            if handler is None:
                await answer.whole(b"<html><title>Not Found</title></html>", "404 Not Found", "text/html")
            else:
                await handler(seen, answer)
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)


async def _watch(reader: asyncio.StreamReader, gone: asyncio.Event) -> None:
    """Notice that the client has closed; a client of these tests sends nothing while it waits for an answer."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)
    gone.set()
