"""Ways to a connection: servers, files, SillyTavern's; each is there once, and its key apart."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import connecting
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.key_store import PROXY, KeyStore
from tavern_desktop.session.refusals import Refused
from tavern_desktop.storage.own_folders import OwnFolders
from tests.tiny_model import make_tiny_model

HERE = Connection(id="a", name="llama.cpp", protocol="openai", provider="llamacpp", url="http://127.0.0.1:8080/v1")


@pytest.fixture
def folders(tmp_path: Path) -> OwnFolders:
    return OwnFolders(tmp_path / "own", tmp_path / "own", tmp_path / "own")


@pytest.fixture
def connections(folders: OwnFolders) -> Connections:
    return Connections(folders)


@pytest.fixture
def keys(folders: OwnFolders) -> KeyStore:
    return KeyStore(folders)


def test_what_leads_to_the_same_place_is_one_connection(connections: Connections) -> None:
    first = connecting.use(connections, HERE)
    again = connecting.use(connections, msgspec.structs.replace(HERE, id="b", url="http://127.0.0.1:8080/v1/"))
    assert again == first
    other = connecting.use(connections, msgspec.structs.replace(HERE, id="c", url="http://127.0.0.1:8081/v1"))
    assert other.name == "llama.cpp 2"
    assert connections.chosen() == other
    assert [connection.id for connection in connections.all()] == ["a", "c"]


def test_secrets_that_are_not_typed_stay(connections: Connections, keys: KeyStore) -> None:
    connecting.keep(connections, keys, HERE, Secrets("k1", "p1"))
    connecting.keep(connections, keys, msgspec.structs.replace(HERE, name="Mine"), Secrets())
    assert (keys.get("a"), keys.get(f"a{PROXY}")) == ("k1", "p1")
    assert connecting.known(connections, keys).places == {"a": "file"}
    connecting.forget(connections, keys, "a")
    assert (keys.get("a"), keys.get(f"a{PROXY}"), connections.all()) == ("", "", [])


def test_a_name_that_is_taken_keeps_nothing(connections: Connections, keys: KeyStore) -> None:
    connecting.keep(connections, keys, HERE, Secrets("k1"))
    with pytest.raises(Refused, match=r"There is a connection “llama\.cpp” already"):
        connecting.keep(connections, keys, msgspec.structs.replace(HERE, id="b"), Secrets("k2"))
    assert keys.get("b") == ""


def test_a_model_file_is_a_connection(tmp_path: Path, connections: Connections) -> None:
    file = make_tiny_model(tmp_path / "tiny.gguf")
    used = connecting.use(connections, connecting.of_file(file))
    assert (used.name, used.protocol, used.model) == ("tiny", "local", str(file))
    assert connecting.use(connections, connecting.of_file(file)) == used
    with pytest.raises(BackendError, match="does not exist"):
        connecting.of_file(tmp_path / "gone.gguf")


def test_what_sillytavern_has_is_added_once_and_its_own_choice_chosen(
    root: DataRoot, connections: Connections, keys: KeyStore
) -> None:
    settings = {"main_api": "openai", "oai_settings": {"chat_completion_source": "claude", "claude_model": "claude-x"}}
    root.settings.write_text(json.dumps(settings), "utf-8")
    held = {"api_key_openrouter": "k2", "api_key_claude": "k1"}
    (root.user_folder / "secrets.json").write_text(json.dumps(held), "utf-8")
    assert connecting.take_over(root, connections, keys) == ["Anthropic", "OpenRouter"]
    chosen = connections.chosen()
    assert chosen is not None
    assert (chosen.name, chosen.model, keys.get(chosen.id)) == ("Anthropic", "claude-x", "k1")
    assert connecting.take_over(root, connections, keys) == []
