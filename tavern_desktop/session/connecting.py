"""Ways to a connection: a server that was found, a model file, what the person typed, what SillyTavern has.

Everything here reads and writes files and asks the system's key store: never on the owner.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.connections import Connections, new_id
from tavern_desktop.session.gguf import read_model_file
from tavern_desktop.session.key_store import PROXY, KeyStore, Place
from tavern_desktop.session.local_model import installed_models, why_not
from tavern_desktop.session.taken_over import sillytavern_connections


@dataclass(frozen=True, slots=True)
class Known:
    """The connections as they are kept. `places`: where the key of each is, by ids; those without one are missing."""

    connections: tuple[Connection, ...] = ()
    chosen: Connection | None = None
    places: dict[str, Place] = field(default_factory=dict)
    about_keys: str = ""
    """One honest sentence: where a new key will be kept."""
    problems: tuple[str, ...] = ()


def known(connections: Connections, keys: KeyStore) -> Known:
    """Read what there is. Raises StorageError."""
    connections.reload()
    found = tuple(connections.all())
    places = {connection.id: keys.place_of(connection) for connection in found}
    return Known(
        found,
        connections.chosen(),
        {id: place for id, place in places.items() if place is not None},
        keys.describe(),
        tuple(connections.problems),
    )


def keep(connections: Connections, keys: KeyStore, connection: Connection, secrets: Secrets) -> None:
    """Add or change a connection; a secret that is "" leaves what is kept.

    Raises BackendError, Refused, StorageError.
    """
    connections.put(connection)
    for name, secret in ((connection.id, secrets.key), (f"{connection.id}{PROXY}", secrets.proxy_password)):
        if secret:
            keys.put(name, secret)


def use(connections: Connections, wanted: Connection) -> Connection:
    """Use a connection from now on and return it; one to the same place that is there already is taken instead.

    Raises BackendError, Refused, StorageError.
    """
    connections.reload()
    there = same_place(connections.all(), wanted)
    if there is None:
        there = msgspec.structs.replace(wanted, name=connections.free_name(wanted.name))
        connections.put(there)
    connections.choose(there.id)
    return there


def same_place(connections: list[Connection], wanted: Connection) -> Connection | None:
    """Return the connection that is `wanted`, or leads where it leads; None if none does."""

    def place(connection: Connection) -> tuple[str, str]:
        return connection.protocol, connection.model if connection.protocol == "local" else connection.url.rstrip("/")

    by_id = {connection.id: connection for connection in connections}
    return by_id.get(wanted.id) or next((one for one in connections if place(one) == place(wanted)), None)


def forget(connections: Connections, keys: KeyStore, id: str) -> None:
    """Remove a connection and its key. Raises StorageError."""
    keys.remove(id)
    connections.remove(id)


def of_file(path: Path) -> Connection:
    """Return a connection that runs a model file here. Raises BackendError for a file that is no model."""
    model = read_model_file(path)
    return Connection(id=new_id(), name=model.name or path.stem, protocol="local", model=str(model.path))


def installed() -> list[Connection]:
    """Return connections to the model files that came with installed packages, where they can run."""
    return [] if why_not() else [of_file(path) for path in installed_models()]


def take_over(root: DataRoot, connections: Connections, keys: KeyStore) -> list[str]:
    """Add SillyTavern's connections with their keys; return the names of those that were not there.

    The one it uses is chosen where none was. Raises BackendError, Refused, StorageError.
    """
    connections.reload()
    had_none = connections.chosen() is None
    added: list[str] = []
    for offer in sillytavern_connections(root):
        if same_place(connections.all(), offer.connection) is not None:
            continue
        connection = msgspec.structs.replace(offer.connection, name=connections.free_name(offer.connection.name))
        keep(connections, keys, connection, Secrets(offer.key))
        if had_none and not added:
            connections.choose(connection.id)
        added.append(connection.name)
    return added
