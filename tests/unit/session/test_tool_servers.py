"""The tool servers of a person: kept without their secrets, which come back and go with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.tool_servers import ToolServers
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.server import ToolServer


@pytest.fixture
def servers() -> ToolServers:
    return ToolServers(own_folders(), KeyStore(own_folders()))


@pytest.fixture
def file() -> Path:
    return own_folders().config / "tool-servers.json"


def a_server(name: str = "Files", **fields: object) -> ToolServer:
    return ToolServer(**{"id": name.lower(), "name": name, "command": "npx", **fields})


def test_servers_come_back_as_they_were(servers: ToolServers) -> None:
    one = a_server(args=("-y", "files"), values={"DEBUG": "1"}, left_out=("delete",), is_on=False)
    other = a_server("Web", transport="http", command="", url="https://tools.example/mcp")
    servers.put(one, {})
    servers.put(other, {})
    assert ToolServers(own_folders(), KeyStore(own_folders())).all() == [one, other]
    assert servers.free_name("files") == "files 2"


def test_secrets_are_never_in_the_file_and_go_with_their_server(servers: ToolServers, file: Path) -> None:
    server = a_server(secrets=("TOKEN", "PIN"))
    servers.put(server, {"TOKEN": "swordfish", "PIN": "1234"})
    assert "swordfish" not in file.read_text()
    assert servers.secrets_of(server) == {"TOKEN": "swordfish", "PIN": "1234"}
    servers.put(a_server(secrets=("TOKEN",)), {"TOKEN": ""})
    assert servers.secrets_of(server) == {"TOKEN": "swordfish"}
    servers.remove(server.id)
    assert servers.secrets_of(server) == {}
    assert servers.all() == []


def test_what_cannot_be_used_is_not_kept(servers: ToolServers, file: Path) -> None:
    servers.put(a_server(), {})
    for wrong in (a_server("X", command=" "), a_server("X", values={"A": "1"}, secrets=("A",))):
        with pytest.raises(ToolServerError):
            servers.put(wrong, {})
    for name in ("", "FILES", "a\nb", " x"):
        with pytest.raises(Refused):
            servers.put(a_server(name, id="other"), {})
    assert len(servers.all()) == 1


def test_entries_of_a_newer_version_stay_in_the_file(servers: ToolServers, file: Path) -> None:
    servers.put(a_server(), {})
    file.write_text(file.read_text().replace('"servers": {', '"servers": {"new": {"transport": "telepathy"},'))
    servers.reload()
    servers.put(a_server("Web"), {})
    assert [server.name for server in servers.all()] == ["Files", "Web"]
    assert "telepathy" in file.read_text()
