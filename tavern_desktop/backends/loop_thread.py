"""The one thread with the one loop on which everything that talks to servers runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

END_SECONDS = 5.0
"""How long the work that is left may take to end: a server is told to stop, connections are closed."""


class LoopThread:
    """Runs coroutines on one loop in one daemon thread, started when first needed. Any thread may call."""

    def __init__(self, name: str = "model-servers") -> None:
        self._name = name
        self._mutex = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._last: Callable[[], Coroutine[Any, Any, object]] | None = None

    def submit(self, coroutine: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine; cancelling the future cancels it. Raises RuntimeError after `close`."""
        try:
            return asyncio.run_coroutine_threadsafe(coroutine, self._running())
        except RuntimeError:
            coroutine.close()
            raise

    def close(self, last: Callable[[], Coroutine[Any, Any, object]] | None = None) -> None:
        """Cancel what still runs, give it a moment to end, do `last`, and end the thread. Twice does nothing.

        `last` is done on the loop, if that ever ran: closing clients, which what is cancelled may still need.
        """
        with self._mutex:
            self._is_closed = True
            self._last = last
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(END_SECONDS + 1)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._mutex:
            if self._is_closed:
                raise RuntimeError("the thread of the model servers has ended")
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._serve, args=(self._loop,), name=self._name, daemon=True)
                self._thread.start()
            return self._loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            loop.run_until_complete(self._end())
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            loop.close()

    async def _end(self) -> None:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=END_SECONDS)
        if self._last is not None:
            await self._last()
