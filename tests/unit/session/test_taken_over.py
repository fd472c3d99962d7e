"""SillyTavern's connections, offered as ours."""

from __future__ import annotations

import json
from typing import Any

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.taken_over import sillytavern_connections

SETTINGS: dict[str, Any] = {
    "main_api": "openai",
    "oai_settings": {
        "chat_completion_source": "claude",
        "claude_model": "claude-x",
        "openrouter_model": "OR_Website",
        "custom_url": "http://box:9000/v1",
        "custom_model": "mine",
    },
    "textgenerationwebui_settings": {
        "type": "koboldcpp",
        "server_urls": {
            "koboldcpp": "http://127.0.0.1:5001/api/",
            "vllm": "http://localhost:8000",
            "ollama": "",
            "tabby": "no address",
        },
        "vllm_model": "qwen",
    },
}

KEYS = {"api_key_claude": "k1", "api_key_openrouter": [{"value": "k2", "active": True}], "api_key_vllm": "k3", "x": "y"}


def write(root: DataRoot, settings: Any, keys: Any) -> None:
    root.settings.write_text(json.dumps(settings), "utf-8")
    (root.user_folder / "secrets.json").write_text(json.dumps(keys), "utf-8")


def test_what_it_has_is_offered_the_active_one_first(root: DataRoot) -> None:
    write(root, SETTINGS, KEYS)
    found = [
        (offer.connection.name, offer.connection.protocol, offer.connection.url, offer.connection.model, offer.key)
        for offer in sillytavern_connections(root)
    ]
    assert found == [
        ("Anthropic", "anthropic", "https://api.anthropic.com/v1", "claude-x", "k1"),
        ("OpenRouter", "openai", "https://openrouter.ai/api/v1", "", "k2"),
        ("box:9000", "openai", "http://box:9000/v1", "mine", ""),
        ("KoboldCpp", "koboldcpp", "http://127.0.0.1:5001", "", ""),
        ("vLLM", "openai-text", "http://localhost:8000/v1", "qwen", "k3"),
    ]


def test_the_active_one_may_be_a_text_server(root: DataRoot) -> None:
    write(root, SETTINGS | {"main_api": "textgenerationwebui"}, KEYS)
    first, *others = sillytavern_connections(root)
    assert (first.connection.name, first.is_active) == ("KoboldCpp", True)
    assert not any(offer.is_active for offer in others)
    assert "k1" not in repr(sillytavern_connections(root))


def test_without_keys_and_with_odd_settings_nothing_is_offered(root: DataRoot) -> None:
    root.settings.write_text(
        json.dumps({"oai_settings": [], "textgenerationwebui_settings": {"server_urls": 3}}), "utf-8"
    )
    (root.user_folder / "secrets.json").unlink(missing_ok=True)
    assert sillytavern_connections(root) == []
