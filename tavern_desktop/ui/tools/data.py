"""What a program knows of tool servers, for all its windows: which there are, how they stand, what they offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.session.generating.tool_offers import own_tools
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.remote_tools import RemoteTools
from tavern_desktop.session.runner import Outcome
from tavern_desktop.session.tool_permissions import ToolSettings
from tavern_desktop.storage.errors import StorageError, from_os, sentence
from tavern_desktop.tools.definition import Tool
from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.file_format import MOST_BYTES, read_servers
from tavern_desktop.tools.mcp.link import RemoteTool
from tavern_desktop.tools.mcp.links import Offered, Standing
from tavern_desktop.tools.mcp.server import ToolServer

if TYPE_CHECKING:
    from tavern_desktop.ui.services import Services

T = TypeVar("T")

LANE = "tool servers"

_Read = tuple[tuple[ToolServer, ...], tuple[str, ...], ToolSettings, tuple[Tool, ...], str]


class ToolsData(QObject):
    """Owner: the services. Nothing of it waits; what takes time is told by `changed`."""

    changed = Signal()
    """Servers, how one stands, or what it offers."""
    refused = Signal(str)
    """A sentence: why something was not done."""
    imported = Signal(list, list)
    """The names of servers that were added from a file, and sentences on those that were not."""

    def __init__(self, services: Services) -> None:
        super().__init__(services)
        self.servers: tuple[ToolServer, ...] = ()
        self.problems: tuple[str, ...] = ()
        """What was wrong with the file."""
        self.is_known = False
        """Whether the servers have been read."""
        self.settings = ToolSettings()
        """What is decided about tools, as last read."""
        self.own: tuple[Tool, ...] = ()
        """The program's own tools."""
        self.about_secrets = ""
        """Where new secrets are kept."""
        self._services = services
        self._attach()
        services.root_changed.connect(self._attach)

    @property
    def remote(self) -> RemoteTools:
        """The part that talks to them."""
        return self._services.model_servers.remote_tools

    def standing_of(self, server: ToolServer) -> Standing | None:
        """Return how a server stands, None where nothing is known of it."""
        return self.remote.standing_of(server.id)

    def refresh(self) -> None:
        """Read the servers again, and see how those that are on stand."""
        servers, remote, config = self._services.model_servers, self.remote, self._services.folders.config

        def read() -> _Read:
            remote.servers.reload()
            kept = tuple(remote.servers.all()), tuple(remote.servers.problems)
            return *kept, servers.permissions.reload(), tuple(own_tools(config)), servers.keys.describe()

        def known(found: _Read) -> None:
            self.servers, self.problems, self.settings, self.own, self.about_secrets = found
            self.is_known = True
            self.changed.emit()
            self._services.model_servers.ask(remote.offered(), self._looked)

        self._do(read, known)

    def offer(self, *, is_on: bool) -> None:
        """Offer models tools, or none."""
        permissions = self._services.model_servers.permissions
        self._do(lambda: permissions.offer(is_on=is_on), lambda _: self.refresh())

    def ask_for_own(self, *, asks: bool) -> None:
        """Have the program's own tools ask first too, or no longer."""
        permissions = self._services.model_servers.permissions
        self._do(lambda: permissions.ask_for_own(asks=asks), lambda _: self.refresh())

    def switch_own(self, tool_id: str, *, is_on: bool) -> None:
        """Offer a tool of the program's own, or no longer."""
        permissions = self._services.model_servers.permissions
        self._do(lambda: permissions.switch(tool_id, is_on=is_on), lambda _: self.refresh())

    def revoke(self, tool_id: str) -> None:
        """Ask again before a tool runs."""
        permissions = self._services.model_servers.permissions
        self._do(lambda: permissions.revoke(tool_id), lambda _: self.refresh())

    def keep(
        self,
        server: ToolServer,
        secrets: Mapping[str, str],
        then: Callable[[], object] = lambda: None,
        refused: Callable[[str], object] | None = None,
    ) -> None:
        """Add or change a server; see `ToolServers.put`. `then` is called once it is kept, else `refused`."""
        remote = self.remote

        def kept(_: object) -> None:
            self.refresh()
            then()

        self._do(lambda: remote.servers.put(server, secrets), kept, refused)

    def switch(self, server: ToolServer, *, is_on: bool) -> None:
        """Use a server, or no longer."""
        self.keep(msgspec.structs.replace(server, is_on=is_on), {})

    def remove(self, server: ToolServer) -> None:
        """Forget a server and its secrets."""
        remote = self.remote
        self._do(lambda: remote.servers.remove(server.id), lambda _: self.refresh())

    def restart(self, server: ToolServer) -> None:
        """Begin another session with a server."""
        self._services.model_servers.ask(self.remote.restart(server.id), self._restarted)

    def try_out(
        self,
        server: ToolServer,
        secrets: Mapping[str, str],
        done: Callable[[tuple[RemoteTool, ...] | None, str], object],
    ) -> Future[Any]:
        """Ask a server as it is typed for its tools. `done` gets them, or None and why there are none."""

        def finished(outcome: Outcome[tuple[RemoteTool, ...]]) -> None:
            problem = words_of(outcome.error)
            done(None if problem else outcome.result(), problem)

        return self._services.model_servers.ask(self.remote.try_out(server, secrets), finished)

    def import_file(self, path: Path) -> None:
        """Add the servers of a settings file of another program; `imported` tells which."""
        servers = self.remote.servers

        def work() -> tuple[list[str], list[str]]:
            found, problems = read_servers(_text_of(path))
            names = []
            for each in found:
                named = msgspec.structs.replace(each.server, name=servers.free_name(each.server.name))
                servers.put(named, each.secrets)
                names.append(named.name)
            return names, problems

        def done(outcome: tuple[list[str], list[str]]) -> None:
            self.refresh()
            self.imported.emit(*outcome)

        self._do(work, done)

    def _attach(self) -> None:
        self.remote.changed.connect(self._heard)

    def _heard(self) -> None:
        self.changed.emit()

    def _looked(self, outcome: Outcome[list[Offered]]) -> None:
        problem = words_of(outcome.error)
        if problem:
            self.refused.emit(problem)
        self.changed.emit()

    def _restarted(self, outcome: Outcome[tuple[RemoteTool, ...]]) -> None:
        words_of(outcome.error)  # how it stands is told by `changed`; a fault of ours is raised
        self.changed.emit()

    def _do(
        self, work: Callable[[], T], done: Callable[[T], object], refused: Callable[[str], object] | None = None
    ) -> None:
        """Do something to the files away from the window; say why if it cannot be done."""
        self._services.runner.submit(work, partial(self._finished, done, refused or self.refused.emit), lane=LANE)

    def _finished(self, done: Callable[[Any], object], refused: Callable[[str], object], outcome: Outcome[Any]) -> None:
        problem = words_of(outcome.error)
        if problem:
            refused(problem)
        else:
            done(outcome.result())


def words_of(error: BaseException | None) -> str:
    """Return why something was not done, "" if it was; a fault of ours is raised."""
    if error is None:
        return ""
    if isinstance(error, ToolServerError):
        return f"{error.sentence}\n{error.said}".strip()
    if isinstance(error, BackendError | Refused):
        return error.sentence
    if isinstance(error, StorageError):
        return sentence(error)
    raise error


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1).decode("utf-8-sig", "replace")
    except OSError as error:
        raise from_os(error, "read", path) from None
