"""The part of a program that talks to model servers: one loop, the connections, the keys, the requests."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets, is_near
from tavern_desktop.backends.discovery import HERE
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Failed
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend, Model, Status
from tavern_desktop.backends.transport import Http
from tavern_desktop.backends.trying import try_out
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.generating.pump import FRAME
from tavern_desktop.session.generating.reach import Reach, Reaches
from tavern_desktop.session.generating.requests import Chosen, Requests, Tell
from tavern_desktop.session.generating.scenes import Asked, ChatChoices
from tavern_desktop.session.generating.task import Means, NoModel, Produce
from tavern_desktop.session.generating.tool_offers import ToolOffers
from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.local_model import LocalModel, Progress
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.remote_tools import RemoteTools
from tavern_desktop.session.runner import Outcome, Runner
from tavern_desktop.session.tool_permissions import ToolPermissions
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import OwnFolders

T = TypeVar("T")

STREAMS = "streams"
"""Our folder for replies that are being written."""


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
        self.remote_tools = RemoteTools(runner, folders, self.keys)
        self.reaches = Reaches()
        self.permissions = ToolPermissions(folders)
        self.offers = ToolOffers(self.permissions, self.remote_tools, folders.config)
        streams = own_folder / STREAMS if own_folder is not None else None
        self.means = Means(runner, self.loop, streams, frame, self.permissions.may_run)
        self.http = Http()
        self.requests = Requests(self.http, self._choose, self._note, self.offers.all)
        self._runner = runner
        self._wanted = connection
        self._local = LocalModel(folders, self._hear)
        self._run_here: Connection | None = None
        """The last connection whose model was to run here."""
        self._listeners: list[Tell] = []
        """Who waits for a local model; changed on any thread under `_mutex`."""
        self._mutex = threading.Lock()
        self._is_closed = False

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        """Return what builds the request and streams the reply for what was asked; `count` alternatives if it can."""
        return self.requests.produce(asked, count)

    def connection_for(self, choices: ChatChoices) -> Connection | None:
        """Return the connection a chat uses, as far as the file was read; None where there is none."""
        try:
            return self._connection(choices)
        except NoModel:
            return None

    def described(self, connection: Connection) -> Backend:
        """Return what tells which settings a server takes; nothing can be sent by it. Raises BackendError."""
        if connection.protocol == "local":
            connection = msgspec.structs.replace(
                connection,
                protocol="openai",
                provider="llamacpp",
                url=f"http://{HERE}",
                model=Path(connection.model).stem,
            )
        return open_backend(connection, Secrets(), self.http)

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run something on the loop."""
        return self.loop.submit(work)

    def ask(self, work: Coroutine[Any, Any, T], done: Callable[[Outcome[T]], object]) -> Future[T]:
        """Run something on the loop and tell the owner what became of it, unless it is cancelled, as by the end."""
        if self._is_closed:
            work.close()
            ended: Future[T] = Future()
            ended.cancel()
            return ended
        future = self.submit(work)

        def tell() -> None:
            if not future.cancelled():
                error = future.exception()
                done(Outcome(error=error) if error is not None else Outcome(value=future.result()))

        future.add_done_callback(lambda _: self._runner.post(tell))
        return future

    def close(self) -> None:
        """End the model that runs here, then the loop; what still runs is cancelled."""
        self._is_closed = True
        self._local.close()
        self.loop.close(self.http.aclose)

    def unload(self) -> None:
        """End the model that runs here. May wait a few seconds: never on the owner."""
        self._local.close()

    # -- on the loop ------------------------------------------------------------------------------------------

    async def try_out(self, connection: Connection, secrets: Secrets | None = None, tell: Tell | None = None) -> Status:
        """Return what the server of a connection says of itself; a model of our own is loaded for it.

        `secrets`: None for those that are kept. `tell` hears how far that is. Raises BackendError, StorageError.
        """
        status = await try_out(await self._opened(connection, secrets, tell or _unheard))
        if secrets is None:
            self._runner.post(partial(self.reaches.note_status, connection.id, status))
        return status

    async def try_again(self, connection: Connection) -> Status:
        """Do the same, and take nothing for known that was learnt of the server before. Raises as `try_out`."""
        self.requests.forget(connection)
        return await self.try_out(connection)

    async def models_of(self, connection: Connection, secrets: Secrets | None = None) -> list[Model]:
        """Return the models that a server offers. Raises BackendError, StorageError."""
        return await (await self._opened(connection, secrets, _unheard)).models()

    async def warm_up(self, connection: Connection) -> None:
        """Do beforehand what would make the first reply late. Servers elsewhere are left in peace until then, and no
        model is loaded."""
        if connection.protocol == "local":
            return
        try:
            secrets = await asyncio.to_thread(self.keys.secrets_for, connection)
            await self.http.prepare(connection, secrets.proxy_password)
            if is_near(connection) and self.reaches.of(connection.id).state == "unknown":
                self._runner.post(partial(self.reaches.note, connection.id, Reach("asking", connection.model)))
                await self.requests.know(connection, secrets)
                await self.try_out(connection)
        except StorageError:
            return  # whoever sends is told
        except BackendError as error:
            if error.kind in _BUSY_ELSEWHERE or error.kind not in _FAULTS_OF_A_SERVER:
                self._runner.post(partial(self.reaches.forget, connection.id))
            else:
                self._note(connection, Failed.of(error))

    async def _opened(self, connection: Connection, secrets: Secrets | None, tell: Tell) -> Backend:
        known: Secrets = secrets if secrets is not None else await asyncio.to_thread(self.keys.secrets_for, connection)
        if connection.protocol == "local":
            connection, known = await asyncio.to_thread(self._reached, connection, known, tell)
        return open_backend(connection, known, self.http)

    # -- on helper threads ------------------------------------------------------------------------------------

    def _choose(self, choices: ChatChoices, tell: Tell | None) -> Chosen:
        self.connections.reload()
        connection = self._connection(choices)
        generation = choices.generation.over(connection.generation)
        secrets = self.keys.secrets_for(connection)
        template = choices.template or connection.template
        if connection.protocol == "local":
            reached = self._local.if_ready(connection) if tell is None else self._reached(connection, secrets, tell)
            connection, secrets = reached or (connection, secrets)
        return Chosen(connection, secrets, generation, template, choices.presets.over(connection.presets))

    def _connection(self, choices: ChatChoices) -> Connection:
        """Return the connection for a chat. Raises NoModel."""
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

    def _reached(self, connection: Connection, secrets: Secrets, tell: Tell) -> tuple[Connection, Secrets]:
        """Wait for a model of our own. Raises BackendError."""

        self._run_here = connection

        def note(sentence: str) -> None:
            reach = Reach("loading", connection.model, sentence=sentence)
            self._runner.post(partial(self.reaches.note, connection.id, reach))
            tell(sentence)

        try:
            with self._listening(note):
                return self._local.reached(connection, secrets)
        except BackendError as error:
            self._note(connection, Failed.of(error))
            raise

    @contextlib.contextmanager
    def _listening(self, tell: Tell) -> Iterator[None]:
        with self._mutex:
            self._listeners.append(tell)
        try:
            yield
        finally:
            with self._mutex:
                self._listeners.remove(tell)

    def _hear(self, progress: Progress) -> None:
        """Hand on how far the model of our own is, and that it ended though nobody wished so."""
        connection = self._run_here
        if progress.state == "ended" and progress.sentence and connection is not None:
            self._note(connection, Failed("server", progress.sentence))
        with self._mutex:
            listeners = list(self._listeners)
        sentence = _words(progress)
        for tell in listeners if sentence else ():
            tell(sentence)

    def _note(self, connection: Connection, failed: Failed | None) -> None:
        """Take what a reply showed of its server; a fault of the request says nothing of it."""
        if failed is None:
            self._runner.post(partial(self.reaches.note_reply, connection.id, connection.model, ""))
        elif failed.kind in _FAULTS_OF_A_SERVER:
            note = self.reaches.note_reply
            self._runner.post(partial(note, connection.id, connection.model, failed.sentence, failed.kind))


_BUSY_ELSEWHERE = frozenset({"silent", "busy"})
"""What a server nearby is that reads a long prompt meanwhile: nothing is known of it yet, and nobody waits for it."""

_FAULTS_OF_A_SERVER = frozenset(
    {"connection", "unreachable", "certificate", "proxy", "key", "not_found", "server", "silent", "disconnected"}
)


def _unheard(sentence: str) -> None:
    """Nobody wants to know."""


def _words(progress: Progress) -> str:
    if progress.state == "reading":
        return f"Loading {progress.name}: {progress.share:.0%}"
    return f"Getting {progress.name} ready…" if progress.state == "loading" else ""
