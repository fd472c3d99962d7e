"""Connections: kept in a file of their own, without any secret, and never lost to another window."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.settings import Generation
from tavern_desktop.session.connections import Connections, new_id
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.own_folders import own_folders


@pytest.fixture
def connections() -> Connections:
    return Connections(own_folders())


@pytest.fixture
def file() -> Path:
    return own_folders().config / "connections.json"


def a_connection(name: str = "Home", **fields: object) -> Connection:
    return Connection(
        **{"id": new_id(), "name": name, "protocol": "llamacpp", "url": "http://localhost:8080", **fields}
    )


def test_connections_come_back_as_they_were(connections: Connections) -> None:
    first = a_connection(generation=Generation(temperature=0.5, stop=("x",)), headers={"X-A": "b"}, off=("seed",))
    second = a_connection("Work")
    connections.put(first)
    connections.put(second)
    assert Connections(own_folders()).all() == [first, second]


def test_the_oldest_is_in_use_until_another_is_chosen(connections: Connections) -> None:
    assert connections.chosen() is None
    first, second = a_connection(), a_connection("Work")
    connections.put(first)
    assert connections.chosen() == first
    connections.put(second)
    assert connections.chosen() == first
    connections.choose(second.id)
    assert connections.chosen() == second
    connections.remove(second.id)
    assert connections.chosen() == first


def test_one_is_found_by_its_name_or_id(connections: Connections) -> None:
    first = a_connection("Home")
    connections.put(first)
    assert connections.find("home") == connections.find(first.id) == first
    with pytest.raises(Refused, match="There is no connection “Nowhere”"):
        connections.find("Nowhere")


def test_a_name_is_taken_once(connections: Connections) -> None:
    first = a_connection("Home")
    connections.put(first)
    connections.put(first)
    with pytest.raises(Refused, match="There is a connection “HOME” already"):
        connections.put(a_connection("HOME"))
    with pytest.raises(Refused, match="needs a name"):
        connections.put(a_connection(" "))
    assert connections.free_name("Home") == "Home 2"


def test_one_that_cannot_be_used_is_not_kept(connections: Connections, file: Path) -> None:
    with pytest.raises(BackendError, match="holds a password"):
        connections.put(a_connection(url="http://me:secret@host"))
    assert not file.exists()


def test_two_windows_do_not_undo_each_other(connections: Connections) -> None:
    other = Connections(own_folders())
    connections.put(a_connection("Home"))
    other.put(a_connection("Work"))
    connections.reload()
    assert [connection.name for connection in connections.all()] == ["Home", "Work"]


def test_one_of_a_newer_version_stays_in_the_file(connections: Connections, file: Path) -> None:
    connections.put(a_connection())
    held = json.loads(file.read_text("utf-8"))
    held["connections"]["new"] = {"name": "New", "protocol": "telepathy", "url": "mind:"}
    file.write_text(json.dumps(held), "utf-8")
    again = Connections(own_folders())
    again.put(a_connection("Work"))
    assert [connection.name for connection in again.all()] == ["Home", "Work"]
    assert "new" in json.loads(file.read_text("utf-8"))["connections"]
