"""backends: connections by the command line, against a server on loopback in a thread of its own."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.own_folders import own_folders
from tests.tiny_model import make_tiny_model
from tests.unit.backends.fake_server import FakeServer
from tests.unit.cli.conftest import Run

KEY = "sk-0123456789abcdef"


@pytest.fixture
def server() -> Iterator[FakeServer]:
    """A llama.cpp with one model."""
    thread, server = LoopThread(), FakeServer()
    server.on_json("GET", "/v1/models", {"data": [{"id": "tiny", "name": "Tiny", "context_length": 4096}]})
    server.on_json("GET", "/props", {"default_generation_settings": {"n_ctx": 4096}, "model_alias": "tiny"})
    thread.submit(server.__aenter__()).result(30)
    yield server
    thread.submit(server.__aexit__()).result(30)
    thread.close()


def add(run: Run, server: FakeServer, *more: str, name: str = "Home") -> None:
    result = run("backends", "add", name, "--protocol", "llamacpp", "--url", server.url, *more)
    assert (result.code, result.err) == (0, "")


def test_a_connection_is_added_listed_tested_and_removed(run: Run, server: FakeServer) -> None:
    add(run, server)
    assert run("backends", "list").out == f"Home  llamacpp  {server.url}  (no model chosen)  (in use)\n"
    assert run("backends", "test", "home").out == "Home answers: model tiny, context 4,096 tokens\n"
    assert run("backends", "models", "Home").out == "tiny  4,096 tokens\n"
    assert run("backends", "remove", "Home").out == "Removed Home.\n"
    assert "no connection yet" in run("backends", "list").err


def test_everything_is_told_for_machines(run: Run, server: FakeServer) -> None:
    add(run, server, "--model", "tiny", "--json")
    (listed,) = run("backends", "list", "--json").objects()
    assert (listed["name"], listed["model"], listed["chosen"], listed["key"]) == ("Home", "tiny", True, None)
    (tested,) = run("backends", "test", "Home", "--json").objects()
    assert tested == {"ok": True, "server": "Home", "model": "tiny", "context": 4096, "version": ""}
    assert run("backends", "models", "Home", "--json").objects() == [{"id": "tiny", "name": "", "context": 4096}]


def test_a_key_comes_from_the_standard_input_and_is_nowhere_to_be_seen(
    run: Run, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{KEY}\n"))
    added = run("backends", "add", "Home", "--protocol", "llamacpp", "--url", server.url, "--key-stdin")
    assert "no key store we can use" in added.out
    assert added.out.endswith("Added Home. Key in a file that only this account can read.\n")
    shown = added.out + run("backends", "list", "--json").out + run("backends", "test", "Home").out
    assert KEY not in shown
    assert KEY not in (own_folders().config / "connections.json").read_text("utf-8")
    assert server.seen[-1].headers["authorization"] == f"Bearer {KEY}"
    assert run("backends", "list").out.endswith("key in a file that only this account can read  (in use)\n")


def test_a_key_is_taken_over_from_sillytavern_when_asked(run: Run, root: DataRoot, server: FakeServer) -> None:
    (root.user_folder / "secrets.json").write_text(json.dumps({"api_key_llamacpp": KEY}), "utf-8")
    add(run, server, "--key-from-sillytavern")
    run("backends", "test", "Home")
    assert server.seen[-1].headers["authorization"] == f"Bearer {KEY}"
    refused = run("backends", "add", "X", "--protocol", "ollama", "--url", server.url, "--key-from-sillytavern")
    assert (refused.code, refused.err) == (1, "SillyTavern has no key for X (this kind has none).\n")


def test_an_empty_key_is_refused(run: Run, server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    result = run("backends", "add", "Home", "--protocol", "llamacpp", "--url", server.url, "--key-stdin")
    assert (result.code, result.err) == (1, "No key came on the standard input.\n")
    assert run("backends", "list", "--json").objects() == []


def test_a_connection_is_changed_by_adding_it_again(run: Run, server: FakeServer) -> None:
    add(run, server, "--model", "tiny")
    (before,) = run("backends", "list", "--json").objects()
    assert run("backends", "add", "HOME", "--protocol", "openai", "--url", f"{server.url}/v1").out == "Changed Home.\n"
    (after,) = run("backends", "list", "--json").objects()
    assert (after["id"], after["model"], after["protocol"]) == (before["id"], "tiny", "openai")


def test_another_one_is_used(run: Run, server: FakeServer) -> None:
    add(run, server)
    add(run, server, name="Work")
    assert [entry["chosen"] for entry in run("backends", "list", "--json").objects()] == [True, False]
    assert run("backends", "use", "work").out == "Work is in use.\n"
    assert [entry["chosen"] for entry in run("backends", "list", "--json").objects()] == [False, True]


def test_servers_are_found(run: Run, server: FakeServer) -> None:
    port = server.url.rpartition(":")[2]
    found = run("backends", "find", "--port", port).out
    assert found == f"llama.cpp on port {port}  --protocol openai  --url {server.url}/v1  tiny\n"
    assert (
        run("backends", "find", "--port", "9").err == "No model server answers on the usual ports of this computer.\n"
    )


def test_what_is_wrong_is_one_sentence(run: Run, server: FakeServer) -> None:
    add(run, server, "--model", "nope")
    wrong = run("backends", "test", "Home")
    assert (wrong.code, wrong.err) == (1, "Home has no model nope. It has: tiny.\n")
    error = run("backends", "test", "Home", "--json").error()
    assert (error["kind"], error["detail"]) == ("backend", "not_found")
    server.routes.clear()
    gone = run("backends", "models", "Home")
    assert gone.err == "Home does not know this address or this model (404 Not Found): Not Found.\n"
    assert run("backends", "test", "Nobody").err == "There is no connection “Nobody”.\n"
    assert run("backends", "add", "Bad", "--protocol", "openai", "--url", "host").code == 1
    assert run("backends", "add", "Bad", "--protocol", "telepathy", "--url", "http://host").code == 2


def test_a_model_file_is_a_connection_too(run: Run, tmp_path: Path) -> None:
    file = make_tiny_model(tmp_path / "tiny.gguf")
    assert run("backends", "add", "Here", "--protocol", "local", "--model", file).out == "Added Here.\n"
    assert run("backends", "test", "Here").out == "Here answers: model tiny, context 8,192 tokens\n"
    wrong = run("backends", "add", "X", "--protocol", "local", "--model", tmp_path / "gone.gguf")
    assert (wrong.code, wrong.err) == (1, f"The model file {tmp_path / 'gone.gguf'} does not exist.\n")


def test_without_a_name_the_installed_model_is_meant(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tavern_desktop.cli.backends.installed_models", lambda: [])
    assert (
        run("backends", "add", "Here", "--protocol", "local").err == "Name the model's file with --model FILE.gguf.\n"
    )
    monkeypatch.setattr("tavern_desktop.cli.backends.installed_models", lambda: [tmp_path / "small.gguf"])
    assert run("backends", "add", "Here", "--protocol", "local").code == 0
    (entry,) = run("backends", "list", "--json").objects()
    assert entry["model"] == str(tmp_path / "small.gguf")
    assert f"small  --protocol local  --model {tmp_path / 'small.gguf'}" in run("backends", "find", "--port", "9").out


def test_sillytavern_s_connections_are_taken_over(run: Run, root: DataRoot) -> None:
    root.settings.write_text(json.dumps({"main_api": "openai", "oai_settings": {"openai_model": "gpt-x"}}), "utf-8")
    (root.user_folder / "secrets.json").write_text(json.dumps({"api_key_openai": KEY}), "utf-8")
    taken = run("backends", "import")
    assert taken.out == "Added OpenAI. Key in a file that only this account can read.\n"
    (entry,) = run("backends", "list", "--json").objects()
    assert (entry["provider"], entry["model"], entry["key"]) == ("openai", "gpt-x", "file")
    assert KEY not in json.dumps(entry)
    assert run("backends", "import").err == "OpenAI is there already.\n"
