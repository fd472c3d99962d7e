"""Finding the model servers of this computer."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.backends.discovery import Found, discover, usual_ports
from tavern_desktop.backends.transport import Http
from tests.unit.backends.fake_server import FakeServer
from tests.unit.backends.talking import on_a_loop

MODELS = {"object": "list", "data": [{"id": "m1", "owned_by": "someone"}]}

SERVERS: dict[str, tuple[dict[str, Any], tuple[str, str, str, str]]] = {
    "KoboldCpp": (
        {"/api/extra/version": {"result": "KoboldCpp"}, "/v1/models": MODELS, "/api/tags": {"models": []}},
        ("koboldcpp", "", "", "m1"),
    ),
    "llama.cpp": (
        {"/props": {"default_generation_settings": {"n_ctx": 1}}, "/v1/models": MODELS},
        ("openai", "llamacpp", "/v1", "m1"),
    ),
    "Ollama": ({"/api/tags": {"models": [{"name": "a"}, {"name": "b"}]}, "/v1/models": MODELS}, ("ollama", "", "", "")),
    "LM Studio": (
        {
            "/api/v0/models": {
                "object": "list",
                "data": [{"id": "a", "state": "not-loaded"}, {"id": "b", "state": "loaded"}],
            },
            "/v1/models": MODELS,
        },
        ("openai", "lmstudio", "/v1", "b"),
    ),
    "vLLM": ({"/v1/models": {"data": [{"id": "m1", "owned_by": "vllm"}]}}, ("openai", "vllm", "/v1", "m1")),
    "TabbyAPI": ({"/v1/models": {"data": [{"id": "m1", "owned_by": "tabbyAPI"}]}}, ("openai", "tabby", "/v1", "m1")),
    "Server": ({"/v1/models": MODELS}, ("openai", "", "/v1", "m1")),
}


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_is_recognised_by_what_it_answers(name: str) -> None:
    pages, (protocol, provider, ending, model) = SERVERS[name]

    async def talk() -> None:
        http = Http()
        async with FakeServer() as server:
            for path, answer in pages.items():
                server.on_json("GET", path, answer)
            port = int(server.url.rpartition(":")[2])
            assert await discover(http, [port]) == [
                Found(f"{name} on port {port}", protocol, provider, f"{server.url}{ending}", model)
            ]
        await http.aclose()

    on_a_loop(talk)


def test_servers_with_a_key_and_without_a_model_server_s_answers() -> None:
    async def talk() -> None:
        http = Http()
        async with FakeServer() as locked, FakeServer() as page, FakeServer() as gone:
            locked.on_json("GET", "/v1/models", {"error": "no key"}, "401 Unauthorized")
            page.on_json("GET", "/v1/models", ["a list"])
            ports = [int(server.url.rpartition(":")[2]) for server in (locked, page, gone)]
            await gone.__aexit__()
            (found,) = await discover(http, ports)
            assert found.needs_key
            assert found.connection("id").url == f"{locked.url}/v1"
        await http.aclose()

    on_a_loop(talk)


def test_the_usual_ports_are_data() -> None:
    assert {8080, 5001, 11434, 1234, 5000, 8000} <= set(usual_ports())
