"""The connections to model servers that a person has set up, in a settings file of their own; no key is in it."""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from tavern_desktop.backends import connection as rules
from tavern_desktop.backends.connection import Connection
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.sections import Section
from tavern_desktop.storage.own_folders import OwnFolders

MOST = 500


class _File(msgspec.Struct, frozen=True):
    """Entries are kept as they are read, so that one that a newer version wrote survives an older one."""

    connections: dict[str, Any] = {}
    chosen: str = ""


class Connections:
    """All connections of this computer. Methods may be called from any thread; those that change read files first."""

    def __init__(self, folders: OwnFolders) -> None:
        self._section = Section(folders.config / "connections.json", _File)

    @property
    def problems(self) -> list[str]:
        """Sentences for people: what was wrong with the file."""
        return self._section.problems

    def reload(self) -> None:
        """Read again what another window or program may have changed."""
        self._section.reload()

    def all(self) -> list[Connection]:
        """Return the connections that can be read, oldest first."""
        found = []
        for id, entry in self._section.value.connections.items():
            try:
                found.append(msgspec.convert({**entry, "id": id}, Connection))
            except (msgspec.ValidationError, TypeError):
                continue  # of a newer version, or edited by hand: it stays in the file
        return found

    def chosen(self) -> Connection | None:
        """Return the connection in use: the chosen one, else the oldest; None where there is none."""
        found = self.all()
        by_id = {connection.id: connection for connection in found}
        return by_id.get(self._section.value.chosen, found[0] if found else None)

    def find(self, word: str) -> Connection:
        """Return the connection with this id or name. Raises Refused."""
        found = self.all()
        for connection in found:
            if connection.id == word:
                return connection
        named = [connection for connection in found if connection.name.casefold() == word.casefold()]
        if len(named) == 1:
            return named[0]
        raise Refused(f"There are several connections “{word}”." if named else f"There is no connection “{word}”.")

    def put(self, connection: Connection) -> None:
        """Add or change a connection. Raises BackendError, Refused (name taken), StorageError."""
        rules.check(connection)
        self._require_free_name(connection)
        entry = msgspec.to_builtins(connection)
        del entry["id"]
        self._section.put("connections", connection.id, entry, MOST)

    def remove(self, id: str) -> None:
        """Forget a connection; its key is the key store's matter. Raises StorageError."""
        self._section.drop("connections", id)

    def choose(self, id: str) -> None:
        """Use a connection from now on, wherever no other is chosen. Raises StorageError."""
        self._section.update(chosen=id)

    def free_name(self, wanted: str) -> str:
        """Return a name that no connection has: `wanted`, or with a number."""
        taken = {connection.name.casefold() for connection in self.all()}
        number, name = 1, wanted
        while name.casefold() in taken:
            number += 1
            name = f"{wanted} {number}"
        return name

    def _require_free_name(self, connection: Connection) -> None:
        name = connection.name.strip()
        if not name or name != connection.name or not name.isprintable():
            raise Refused("A connection needs a name on one line.")
        if any(other.name.casefold() == name.casefold() and other.id != connection.id for other in self.all()):
            raise Refused(f"There is a connection “{name}” already.")


def new_id() -> str:
    """Return the id of a new connection, under which its key is kept too."""
    return secrets.token_hex(8)
