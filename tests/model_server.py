"""A model server on loopback for tests with a window: it says what the test lets it say, and can be unplugged.

It speaks OpenAI's protocol as llama.cpp does, on a thread of its own.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

from tavern_desktop.backends.loop_thread import LoopThread
from tests.unit.backends.fake_server import Answer, FakeServer, Seen
from tests.unit.backends.wires import OPENAI

SECONDS = 60.0
"""How long is waited for what must come; it decides nothing."""


_BROKEN = b"(broken off)"


class ModelServer:
    """One model, `tiny`, that takes 4,096 tokens. Texts are handed out to the replies in the order they were asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        """The bodies of the requests for a reply."""
        self._refused = ""
        self._sees = True
        self._arrived = threading.Semaphore(0)
        self._loop = LoopThread()
        self._pieces: list[asyncio.Queue[str | bytes | None]] = []
        self._server = FakeServer()
        self._server.on("POST", OPENAI.path, self._reply)
        self.speak_of_context(4096)
        self._server.on_json("GET", "/v1/models", {"data": [{"id": "tiny", "owned_by": "llamacpp"}]})
        self._run(self._server.__aenter__)
        self.port = self._server.port = int(self._server.url.rpartition(":")[2])
        self.url = f"{self._server.url}/v1"

    @property
    def seen(self) -> list[Seen]:
        """Every request, as it came."""
        return self._server.seen

    def wait_for_request(self) -> None:
        """Wait until one more reply is asked for."""
        assert self._arrived.acquire(timeout=SECONDS)

    def refuse_setting(self, field: str) -> None:
        """Refuse from now on every request that has this field."""
        self._refused = field

    def refuse_pictures(self) -> None:
        """Refuse from now on, as llama.cpp does for models that see nothing, every request with a picture."""
        self._sees = False

    def speak_of_context(self, tokens: int) -> None:
        """Say from now on that prompt and reply may have so many tokens."""
        said = {"default_generation_settings": {"n_ctx": tokens}, "model_alias": "tiny"}
        self._server.on_json("GET", "/props", said)

    def count(self, tokens: int) -> None:
        """Count so many tokens in whatever is sent to be counted."""
        self._server.on_json("POST", "/tokenize", {"tokens": [0] * tokens})

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [seen.path for seen in self.seen]

    def say(self, *texts: str, reply: int = -1) -> None:
        """Send pieces of a reply that was asked for, the newest if no other is named."""
        queue = self._pieces[reply]
        self._run_soon(lambda: [queue.put_nowait(text) for text in texts])

    def call(self, name: str, arguments: str, reply: int = -1) -> None:
        """Call a tool in a reply that was asked for."""
        function = {"name": name, "arguments": arguments}
        call = {"index": 0, "id": f"call_{len(self._pieces)}", "type": "function", "function": function}
        record = {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
        self._run_soon(lambda: self._pieces[reply].put_nowait(f"data: {json.dumps(record)}\n\n".encode()))

    def end(self, reply: int = -1) -> None:
        """End a reply."""
        queue = self._pieces[reply]
        self._run_soon(lambda: queue.put_nowait(None))

    def break_off(self, reply: int = -1) -> None:
        """Close the connection of a reply in the middle."""
        queue = self._pieces[reply]
        self._run_soon(lambda: queue.put_nowait(_BROKEN))

    def unplug(self) -> None:
        """Close every connection in the middle, and the port."""
        self._run(lambda: self._server.__aexit__(None, None, None))

    def plug_in(self) -> None:
        """Be there again, on the same port."""
        self._run(self._server.__aenter__)

    def close(self) -> None:
        self.unplug()
        self._loop.close()

    async def _reply(self, seen: Seen, answer: Answer) -> None:
        queue: asyncio.Queue[str | bytes | None] = asyncio.Queue()
        self._pieces.append(queue)
        self.asked.append(json.loads(seen.body))
        if self._refused and self._refused in self.asked[-1]:
            words = f"Unsupported parameter: '{self._refused}' is not supported with this model."
            error = {"message": words, "type": "invalid_request_error", "param": self._refused}
            await answer.json({"error": error}, "400 Bad Request")
            return
        if not self._sees and b'"image_url"' in seen.body:
            await answer.json({"error": {"message": "image input is not supported"}}, "500 Internal Server Error")
            return
        self._arrived.release()
        await answer.head()
        gone = asyncio.create_task(answer.gone.wait())
        while True:
            piece = asyncio.create_task(queue.get())
            await asyncio.wait({piece, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not piece.done():
                piece.cancel()
                return
            text = piece.result()
            if text is None:
                break
            if text == _BROKEN:
                answer.drop()
                return
            await answer.piece(text if isinstance(text, bytes) else OPENAI.record(text))
        gone.cancel()
        await answer.piece(OPENAI.ending())
        await answer.end()

    def _run(self, work: Callable[[], Any]) -> None:
        async def whole() -> None:
            await work()

        self._loop.submit(whole()).result(SECONDS)

    def _run_soon(self, call: Callable[[], object]) -> None:
        async def whole() -> None:
            call()

        self._loop.submit(whole())
