"""The live session with one server of tools: started when it is wanted, started anew after it ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tavern_desktop.tools.mcp.errors import UNKNOWN_OUTCOMES, ToolServerError
from tavern_desktop.tools.mcp.failures import error_of, is_lost, rejection
from tavern_desktop.tools.mcp.results import Answer, answer_of
from tavern_desktop.tools.mcp.server import ToolServer, handed_over
from tavern_desktop.tools.mcp.transports import Trouble, load_sdk, opened

State = Literal["off", "starting", "ready", "failed"]

MOST_TOOLS = 1_000
MOST_PAGES = 50
SecretsOf = Callable[[ToolServer], Mapping[str, str]]
"""Returns the values of a server's secrets by name. May wait for the system, so it is called on a thread."""

PATIENCE = 5.0
"""Seconds that a call may take longer than it may, until the SDK's own limit is not waited for any more."""


@dataclass(frozen=True)
class RemoteTool:
    """A tool as its server describes it. `parameters` is a JSON schema of an object."""

    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    only_reads: bool = False
    """The server says that it changes nothing; nobody has to believe that."""


class Link:
    """Belongs to one loop. Calls may overlap."""

    def __init__(self, server: ToolServer, secrets_of: SecretsOf, changed: Callable[[], object]) -> None:
        """`secrets_of` is asked on a thread at every start. `changed` is called on the loop whenever the state or the
        tools did."""
        self.server = server
        self.state: State = "off"
        self.error: ToolServerError | None = None
        self._secrets_of = secrets_of
        self._changed = changed
        self._task: asyncio.Task[None] | None = None
        self._started: asyncio.Future[None] | None = None
        self._stop = asyncio.Event()
        self._client: Any = None
        self._trouble = Trouble()
        self._tools: tuple[RemoteTool, ...] = ()
        self._is_stale = False
        self._calls = 0
        self._reaching = asyncio.Lock()

    @property
    def known_tools(self) -> tuple[RemoteTool, ...]:
        """The tools as last heard of."""
        return self._tools

    async def tools(self) -> tuple[RemoteTool, ...]:
        """Return what the server offers, which is started for it. Raises ToolServerError."""
        client = await self._reached()
        if self._is_stale:
            self._is_stale = False
            try:
                async with asyncio.timeout(self.server.start_seconds):
                    self._tools = await _all_tools(client)
            except Exception as error:
                raise self._noted(error) from None
            self._changed()
        return self._tools

    async def call(self, name: str, arguments: dict[str, Any], seconds: float) -> Answer:
        """Have a tool do its work; what the server refuses is an answer too. Cancelling tells the server.

        Raises ToolServerError; where its kind is in UNKNOWN_OUTCOMES nobody knows whether the work was done.
        """
        client = await self._reached()
        trouble = self._trouble
        trouble.status = trouble.failure = None
        trouble.is_too_long = False
        self._calls += 1
        try:
            async with asyncio.timeout(seconds + PATIENCE):
                return answer_of(await client.call_tool(name, arguments, read_timeout_seconds=seconds))
        except Exception as error:
            refused = rejection(error)
            if refused is not None:
                return refused
            failure = self._noted(error, seconds)
            raise failure from None
        finally:
            self._calls -= 1

    async def close(self) -> None:
        """End the session, and the program that was started for it."""
        task, self._task = self._task, None
        self._stop.set()
        if task is not None:
            await asyncio.wait([task])
        self._become("off")

    async def _reached(self) -> Any:
        """Return the client of a live session. Raises ToolServerError."""
        async with self._reaching:
            if self._task is None or self._task.done() or self._trouble.ended.is_set():
                await self._let_go()
                self._begin()
            started = self._started
        assert started is not None
        await asyncio.shield(started)
        return self._client

    def _begin(self) -> None:
        self._stop, self._trouble = asyncio.Event(), Trouble()
        self._started = asyncio.get_running_loop().create_future()
        self._become("starting")
        self._task = asyncio.create_task(self._live(self._started, self._stop, self._trouble))

    async def _let_go(self) -> None:
        """Wait for what is left of a session that ended by itself."""
        if self._task is not None:
            self._stop.set()
            await asyncio.wait([self._task])

    async def _live(self, started: asyncio.Future[None], stop: asyncio.Event, trouble: Trouble) -> None:
        """Be the session from its start to its end: the SDK wants both in one task."""
        try:
            async with contextlib.AsyncExitStack() as stack:
                async with asyncio.timeout(self.server.start_seconds):
                    sdk = await load_sdk()
                    values = handed_over(self.server, await asyncio.to_thread(self._secrets_of, self.server))
                    way = opened(self.server, values, trouble)
                    client = sdk.Client(way, cache=None, message_handler=self._hear, client_info=_ourselves())
                    self._client = await stack.enter_async_context(client)
                    self._tools, self._is_stale = await _all_tools(client), False
                self._become("ready")
                started.set_result(None)
                await _first_of(stop, trouble.ended)
            self._become("off")  # where it ended by itself it is started again when it is wanted
        except BaseException as error:
            failure = error_of(error, self.server, trouble)
            self._become("failed", failure)
            if not started.done():
                started.set_exception(failure)
                started.exception()  # nobody may be waiting any more
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            self._client = None

    def _noted(self, error: Exception, seconds: float | None = None) -> ToolServerError:
        """Return the error of a session under way. One that hangs is started anew, unless others still use it."""
        failure = error_of(error, self.server, self._trouble, seconds)
        if is_lost(error) or (failure.kind in UNKNOWN_OUTCOMES and self._calls <= 1):
            self._stop.set()
            self._trouble.ended.set()
        return failure

    async def _hear(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self._is_stale = True
            self._changed()

    def _become(self, state: State, error: ToolServerError | None = None) -> None:
        self.state, self.error = state, error
        self._changed()


async def _all_tools(client: Any) -> tuple[RemoteTool, ...]:
    """Return what a server lists, page by page, within limits."""
    found: list[RemoteTool] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += [_tool(each) for each in page.tools]
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST_TOOLS:
            break
    return tuple(found[:MOST_TOOLS])


def _tool(tool: Any) -> RemoteTool:
    notes = tool.annotations
    title = tool.title or (notes.title if notes is not None else None) or tool.name
    only_reads = notes is not None and notes.read_only_hint is True
    return RemoteTool(tool.name, title, tool.description or "", dict(tool.input_schema), only_reads)


def _ourselves() -> Any:
    from mcp_types import Implementation

    from tavern_desktop import __version__

    return Implementation(name="tavern-desktop", title="Tavern Desktop", version=__version__)


async def _first_of(*events: asyncio.Event) -> None:
    waiting = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
