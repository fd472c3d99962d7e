"""How long a person waits for us, not for the model: from Send to the request that leaves."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from time import perf_counter

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.settings import Generation
from tavern_desktop.session.connections import Connections
from tavern_desktop.ui.main_window import MainWindow
from tests.bench.inputs import chat_in
from tests.bench.program import is_ready, started
from tests.bench.sample import Sample
from tests.bench.waiting import SETTLING, live, until

SENDINGS = 7
CONTEXT = 8192


def request_leaves(root: Path) -> Sample:
    """From the key press to a request of 8,192 tokens at the server; the chat is fully read and nothing goes on."""
    server = _Server()
    window = started(root)
    folders = window.services.folders
    Connections(folders).put(
        Connection(
            id="bench", name="Bench", protocol="openai", url=server.url, model="m",
            generation=Generation(context_tokens=CONTEXT, reply_tokens=512),
        )
    )  # fmt: skip
    path = chat_in(root)
    copy = path.with_name("to be answered.jsonl")
    copy.write_bytes(path.read_bytes())
    window.open_path(copy)
    until(lambda: is_ready(window))
    live(SETTLING)
    times = [_send(window, server) for _ in range(SENDINGS + 1)][1:]
    window.desk.leave()
    server.close()
    copy.unlink()
    return Sample(statistics.median(times), tail=max(times))


def _send(window: MainWindow, server: _Server) -> float:
    """Send a message and return when its request arrived; then let the reply be there, and saved."""
    server.arrived_at = None
    replying, composer = window.desk.replying, window.pane.composer.text
    composer.setPlainText("Go on, please.")
    began = perf_counter()
    composer.send_requested.emit()
    until(lambda: server.arrived_at is not None and replying.task is None)
    session = window.desk.session
    until(lambda: session is None or session.save_state.kind == "saved")
    assert server.arrived_at is not None
    return server.arrived_at - began


class _Server:
    """Answers like a server of OpenAI's protocol, with one word."""

    def __init__(self) -> None:
        self.arrived_at: float | None = None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._note))
        Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _note(self) -> None:
        self.arrived_at = perf_counter()


def _handler(note: Callable[[], object]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._say(b'{"data":[{"id":"m"}]}', "application/json")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            note()
            word = b'data: {"choices":[{"index":0,"delta":{"content":"Yes."},"finish_reason":"stop"}]}\n\n'
            self._say(word + b"data: [DONE]\n\n", "text/event-stream")

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def _say(self, body: bytes, content_type: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
