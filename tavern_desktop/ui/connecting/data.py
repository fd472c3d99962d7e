"""What a program knows of model servers, for all its windows: connections, what was found, whether they answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.discovery import discover
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.protocol import Model, Status
from tavern_desktop.backends.settings import Generation, PresetNames
from tavern_desktop.library.data_root import root_of
from tavern_desktop.library.presets import KINDS, preset_names
from tavern_desktop.session import connecting
from tavern_desktop.session.connecting import Known
from tavern_desktop.session.connections import new_id
from tavern_desktop.session.generating.forms import form_of
from tavern_desktop.session.generating.reach import Reach
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.ui.connecting import words

if TYPE_CHECKING:
    from tavern_desktop.session.generating.model_servers import ModelServers
    from tavern_desktop.ui.prompts.dialog import PromptsDialog
    from tavern_desktop.ui.services import Services

T = TypeVar("T")

LANE = "connections"

_Looked = tuple[list[tuple[Connection, bool]], list[Connection]]
"""Servers that answer here, with whether they want a key; installed models."""


class ConnectData(QObject):
    """Owner: the services. Nothing of it waits; what takes time is told by `changed`."""

    changed = Signal()
    """Connections, what was found, or whether one answers."""
    refused = Signal(str)
    """A sentence: why something was not done."""
    taken_over = Signal(list)
    """The names of the connections that SillyTavern had and that were not here."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.known = Known()
        self.is_known = False
        """Whether the connections have been read."""
        self.offers: tuple[Connection, ...] = ()
        """Connections that could be had with one press: servers that answer here, models that are installed."""
        self.is_looking = False
        self._key_wanted: frozenset[str] = frozenset()
        """The ids of offers whose servers want a key."""
        self._services = services
        self._servers: ModelServers = services.model_servers
        self._attach()
        services.root_changed.connect(self._attach)

    # -- what is known ----------------------------------------------------------------------------------------

    @property
    def servers(self) -> ModelServers:
        """What talks to them."""
        return self._servers

    def reach_of(self, connection: Connection) -> Reach:
        """Return whether a connection answers, as far as is known."""
        return self._servers.reaches.of(connection.id)

    def new_offers(self) -> list[Connection]:
        """Return what is offered and not a connection yet."""
        there = list(self.known.connections)
        return [offer for offer in self.offers if connecting.same_place(there, offer) is None]

    def lacks(self, offer: Connection) -> bool:
        """Say whether the person has to add something before an offer can be used: a key, or which model."""
        return offer.id in self._key_wanted or not offer.model

    def refusal_of(self, connection: Connection, setting: str) -> str:
        """Return why a server does not take a setting of a generation, "" if it does; nothing is sent."""
        backend = self._servers.described(connection)
        if setting == "template":
            reason = "" if not backend.takes_messages else words.writes_itself(backend.server)
        else:
            reason = backend.refusal_of(setting)
        return reason

    def takes_messages(self, connection: Connection | None) -> bool:
        """Say whether a server takes messages, or one text; without a connection messages are reckoned with."""
        return connection is None or self._servers.described(connection).takes_messages

    def list_presets(self, path: Path | None, done: Callable[[dict[str, list[str]]], object]) -> None:
        """Read which presets there are in the data folder of a chat (None: in the one in use)."""
        root = root_of(path) if path is not None else self._services.root

        def read() -> dict[str, list[str]]:
            return {kind: preset_names(root, kind) for kind in KINDS} if root is not None else {}

        def finished(outcome: Outcome[dict[str, list[str]]]) -> None:
            done(outcome.result())

        self._services.runner.submit(read, finished)

    def edit_prompts(
        self, parent: QWidget, path: Path | None, name: str, chosen: Callable[[str], object]
    ) -> PromptsDialog | None:
        """Open the prompts of a preset of a chat's data folder (see `PromptsDialog`); None where it is in none."""
        from tavern_desktop.ui.prompts.dialog import PromptsDialog

        root = root_of(path) if path is not None else self._services.root
        if root is None:
            return None
        dialog = PromptsDialog(parent, self._services.runner, root, name, chosen)
        dialog.accepted.connect(self.changed)  # whoever shows a prompt builds it anew
        dialog.open()
        return dialog

    def preset_says(
        self, path: Path | None, names: PresetNames, takes_messages: bool, done: Callable[[Generation], object]
    ) -> None:
        """Read what samplers begin with by these presets."""
        root = root_of(path) if path is not None else self._services.root

        def read() -> Generation:
            return form_of(root, names, takes_messages=takes_messages).generation

        def finished(outcome: Outcome[Generation]) -> None:
            done(outcome.result())

        self._services.runner.submit(read, finished)

    def refresh(self, then: Callable[[], object] | None = None) -> None:
        """Read the connections again."""
        servers = self._servers
        self._do(lambda: connecting.known(servers.connections, servers.keys), partial(self._take_known, then))

    def look_around(self, then: Callable[[], object] | None = None) -> None:
        """See which servers answer on this computer, and which models are installed."""
        if self.is_looking:
            return
        self.is_looking = True
        self.changed.emit()

        servers = self._servers

        async def look() -> _Looked:
            models, found = await asyncio.gather(asyncio.to_thread(connecting.installed), discover(servers.http))
            return [(server.connection(new_id()), server.needs_key) for server in found], models

        servers.ask(look(), partial(self._take_offers, then))

    # -- what is done -----------------------------------------------------------------------------------------

    def use(self, connection: Connection, then: Callable[[Connection], object] | None = None) -> None:
        """Use a connection, kept or offered, from now on."""
        connections = self._servers.connections

        def used(there: Connection) -> None:
            self.refresh()
            self.test(there)
            if then is not None:
                then(there)

        self._do(lambda: connecting.use(connections, connection), used)

    def use_file(self, path: Path) -> None:
        """Run a model file from now on."""
        connections = self._servers.connections

        def used(there: Connection) -> None:
            self.refresh()
            self.test(there)

        self._do(lambda: connecting.use(connections, connecting.of_file(path)), used)

    def keep(
        self,
        connection: Connection,
        secrets: Secrets,
        then: Callable[[], object] = lambda: None,
        refused: Callable[[str], object] | None = None,
    ) -> None:
        """Add or change a connection; see `connecting.keep`. `then` is called once it is kept, else `refused`."""
        servers = self._servers

        def kept(_: object) -> None:
            servers.reaches.forget(connection.id)
            self.refresh(then)

        self._do(lambda: connecting.keep(servers.connections, servers.keys, connection, secrets), kept, refused)

    def remove(self, connection: Connection) -> None:
        """Forget a connection and its key."""
        servers = self._servers

        def remove() -> None:
            connecting.forget(servers.connections, servers.keys, connection.id)
            if connection.protocol == "local":
                servers.unload()

        def removed(_: object) -> None:
            servers.reaches.forget(connection.id)
            self.refresh()

        self._do(remove, removed)

    def unload(self, connection: Connection) -> None:
        """End the model that runs here, which gives its memory back; the next reply loads it again."""
        servers = self._servers
        self._do(servers.unload, lambda _: servers.reaches.forget(connection.id))

    def take_over(self) -> None:
        """Add the connections SillyTavern has; `taken_over` tells which."""
        root, servers = self._services.root, self._servers

        def taken(names: list[str]) -> None:
            self.refresh(lambda: self.taken_over.emit(names))

        self._do(lambda: connecting.take_over(root, servers.connections, servers.keys), taken)

    def test(self, connection: Connection) -> None:
        """See whether a connection answers; `reach_of` tells."""
        servers = self._servers
        servers.reaches.note(connection.id, Reach("asking", connection.model))

        def tested(outcome: Outcome[Status]) -> None:
            problem, error = _sentence_of(outcome), outcome.error
            if problem:
                kind = error.kind if isinstance(error, BackendError) else ""
                servers.reaches.note_reply(connection.id, connection.model, problem, kind)

        servers.ask(servers.try_again(connection), tested)

    def try_unkept(
        self, connection: Connection, secrets: Secrets | None, done: Callable[[Status | None, str], object]
    ) -> Future[Any]:
        """Try out a connection as it is typed. `done` gets what it says of itself, or None and why it failed."""
        return self._ask(self._servers.try_out(connection, secrets), done)

    def models_of(
        self, connection: Connection, secrets: Secrets | None, done: Callable[[list[Model] | None, str], object]
    ) -> Future[Any]:
        """Ask for a server's models. `done` gets them, or None and why there are none."""
        return self._ask(self._servers.models_of(connection, secrets), done)

    # -- how --------------------------------------------------------------------------------------------------

    def _attach(self) -> None:
        self._servers = self._services.model_servers
        self.is_looking = False
        self._servers.reaches.changed.connect(self._reach_changed)

    def _reach_changed(self, id: str) -> None:
        self.changed.emit()

    def _take_known(self, then: Callable[[], object] | None, known: Known) -> None:
        self.known, self.is_known = known, True
        self.changed.emit()
        if then is not None:
            then()

    def _take_offers(self, then: Callable[[], object] | None, outcome: Outcome[_Looked]) -> None:
        self.is_looking = False
        problem = _sentence_of(outcome)
        if not problem:
            found, models = outcome.result()
            self.offers = (*(connection for connection, _ in found), *models)
            self._key_wanted = frozenset(connection.id for connection, needs_key in found if needs_key)
        self.changed.emit()
        if then is not None:
            then()

    def _do(
        self, work: Callable[[], T], done: Callable[[T], object], refused: Callable[[str], object] | None = None
    ) -> None:
        """Do something to the files away from the window; say why if it cannot be done."""

        def finished(outcome: Outcome[T]) -> None:
            problem = _sentence_of(outcome)
            if problem:
                (refused or self.refused.emit)(problem)
            else:
                done(outcome.result())

        self._services.runner.submit(work, finished, lane=LANE)

    def _ask(self, work: Any, done: Callable[[Any, str], object]) -> Future[Any]:
        def finished(outcome: Outcome[Any]) -> None:
            problem = _sentence_of(outcome)
            done(None if problem else outcome.result(), problem)

        return self._servers.ask(work, finished)


def _sentence_of(outcome: Outcome[Any]) -> str:
    """Return why something was not done, "" if it was; a fault of ours is raised."""
    error = outcome.error
    if error is None:
        return ""
    if isinstance(error, BackendError | Refused):
        return error.sentence
    if isinstance(error, StorageError):
        return sentence(error)
    raise error
