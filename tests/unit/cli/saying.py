"""A model server that is connected, and what it says while a command runs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from tavern_desktop.backends.connection import Connection
from tavern_desktop.session.connections import Connections
from tavern_desktop.storage.own_folders import own_folders
from tests.model_server import SECONDS, ModelServer


@contextlib.contextmanager
def connected() -> Iterator[ModelServer]:
    """A model server that every command uses."""
    server = ModelServer()
    connections = Connections(own_folders())
    connections.put(Connection(id="tiny", name="Tiny", protocol="openai", url=server.url, model="tiny"))
    connections.choose("tiny")
    try:
        yield server
    finally:
        server.close()


class Saying:
    """Says something in each reply that is asked for, in turn, while the command runs that asks."""

    def __init__(self, server: ModelServer, *turns: Callable[[], object], unplug: bool = False) -> None:
        """`unplug`: the connection breaks after the last turn instead of ending well."""
        self._server, self._turns, self._unplug = server, turns, unplug
        self._thread = threading.Thread(target=self._say)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._thread.join(SECONDS)
        assert not self._thread.is_alive()

    def _say(self) -> None:
        for number, turn in enumerate(self._turns):
            self._server.wait_for_request()
            turn()
            if self._unplug and number == len(self._turns) - 1:
                self._server.break_off()
            else:
                self._server.end()
