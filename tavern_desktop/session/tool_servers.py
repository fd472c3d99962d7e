"""The servers of tools that a person has set up, in a settings file of their own; secrets are in the key store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.sections import Section
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.tools.mcp import server as rules
from tavern_desktop.tools.mcp.server import ToolServer

MOST = 200


class _File(msgspec.Struct, frozen=True):
    """Entries are kept as they are read, so that one that a newer version wrote survives an older one."""

    servers: dict[str, Any] = {}


class ToolServers:
    """All tool servers of this computer. Methods may be called from any thread; those that change read files first."""

    def __init__(self, folders: OwnFolders, keys: KeyStore) -> None:
        self._section = Section(folders.config / "tool-servers.json", _File)
        self._keys = keys

    @property
    def problems(self) -> list[str]:
        """Sentences for people: what was wrong with the file."""
        return self._section.problems

    def reload(self) -> None:
        """Read again what another window or program may have changed."""
        self._section.reload()

    def all(self) -> list[ToolServer]:
        """Return the servers that can be read, oldest first."""
        found = []
        for id, entry in self._section.value.servers.items():
            try:
                found.append(msgspec.convert({**entry, "id": id}, ToolServer))
            except (msgspec.ValidationError, TypeError):
                continue  # of a newer version, or edited by hand: it stays in the file
        return found

    def put(self, server: ToolServer, secrets: Mapping[str, str]) -> None:
        """Add or change a server. Of `secrets` those that are named are kept anew; others stay as they were.

        Raises ToolServerError, Refused (name taken), BackendError for what cannot be a secret, StorageError.
        """
        rules.check(server)
        self._require_free_name(server)
        for name in server.secrets:
            if secrets.get(name):
                rules.check_value(server, name, secrets[name])
                self._keys.put(_key(server.id, name), secrets[name])
        for former in self.all():
            if former.id == server.id:
                self._forget(former, set(former.secrets) - set(server.secrets))
        entry = msgspec.to_builtins(server)
        del entry["id"]
        self._section.put("servers", server.id, entry, MOST)

    def remove(self, id: str) -> None:
        """Forget a server and its secrets. Raises StorageError."""
        for server in self.all():
            if server.id == id:
                self._forget(server, set(server.secrets))
        self._section.drop("servers", id)

    def secrets_of(self, server: ToolServer) -> dict[str, str]:
        """Return the secrets of a server by name, without those that are not known. Raises StorageError."""
        found = {name: self._keys.get(_key(server.id, name)) for name in server.secrets}
        return {name: value for name, value in found.items() if value}

    def free_name(self, wanted: str) -> str:
        """Return a name that no server has: `wanted`, or with a number."""
        taken = {server.name.casefold() for server in self.all()}
        number, name = 1, wanted
        while name.casefold() in taken:
            number += 1
            name = f"{wanted} {number}"
        return name

    def _forget(self, server: ToolServer, names: set[str]) -> None:
        for name in names:
            self._keys.remove(_key(server.id, name))

    def _require_free_name(self, server: ToolServer) -> None:
        name = server.name.strip()
        if not name or name != server.name or not name.isprintable():
            raise Refused("A tool server needs a name on one line.")
        if any(other.name.casefold() == name.casefold() and other.id != server.id for other in self.all()):
            raise Refused(f"There is a tool server “{name}” already.")


def _key(id: str, name: str) -> str:
    return f"tools/{id}/{name}"
