"""The part of a program that talks to model servers: one loop, the connections, the keys, the requests."""

from __future__ import annotations

from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.transport import Http
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.generating.pump import FRAME
from tavern_desktop.session.generating.requests import Chosen, Requests
from tavern_desktop.session.generating.scenes import Asked, ChatChoices
from tavern_desktop.session.generating.task import Means, NoModel, Produce
from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Runner
from tavern_desktop.storage.own_folders import OwnFolders

T = TypeVar("T")

STREAMS = "streams"
"""Our folder for replies that are being written."""

END_SECONDS = 5.0


class ModelServers:
    """Belongs to the owner; what it starts runs on its loop."""

    def __init__(
        self,
        runner: Runner,
        folders: OwnFolders,
        own_folder: Path | None,
        *,
        connection: str = "",
        frame: float = FRAME,
    ) -> None:
        """`own_folder`: ours for the data root, None keeps no partial replies. `connection`: id or name of the one to
        use whatever is chosen elsewhere. `frame`: see `Pump`."""
        self.loop = LoopThread()
        self.connections = Connections(folders)
        self.keys = KeyStore(folders)
        self.means = Means(runner, self.loop, own_folder / STREAMS if own_folder is not None else None, frame)
        self._http = Http()
        self._wanted = connection
        self._requests = Requests(self._http, self._choose)

    def produce(self, asked: Asked) -> Produce:
        """Return what builds the request and streams the reply for what was asked."""
        return self._requests.produce(asked)

    @property
    def requests(self) -> Requests:
        """Builds requests without sending them, too."""
        return self._requests

    def backend(self, connection: Connection) -> Backend:
        """Return the server of a connection, to ask it something on the loop. May wait for the key store: never on
        the owner. Raises BackendError, StorageError."""
        return open_backend(connection, self.keys.secrets_for(connection), self._http)

    @property
    def http(self) -> Http:
        """The clients of the loop."""
        return self._http

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run something on the loop."""
        return self.loop.submit(work)

    def close(self) -> None:
        """End the loop; what still runs is cancelled."""
        self.loop.submit(self._http.aclose()).result(END_SECONDS)
        self.loop.close()

    def _choose(self, choices: ChatChoices) -> Chosen:
        connection = self._connection(choices)
        generation = choices.generation.over(connection.generation)
        return Chosen(connection, self.keys.secrets_for(connection), generation, choices.template)

    def _connection(self, choices: ChatChoices) -> Connection:
        """Return the connection for a chat. Raises NoModel."""
        self.connections.reload()
        for word in filter(None, (self._wanted, choices.connection)):
            try:
                return self.connections.find(word)
            except Refused as refusal:
                if word == self._wanted:
                    raise NoModel(refusal.sentence) from None
        chosen = self.connections.chosen()
        if chosen is None:
            raise NoModel("No model is connected.")
        return chosen
