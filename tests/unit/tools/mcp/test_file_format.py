"""The lists of tool servers that other programs keep."""

from __future__ import annotations

import json

import pytest

from tavern_desktop.tools.mcp.errors import ToolServerError
from tavern_desktop.tools.mcp.file_format import read_servers


def read(servers: object, name: str = "mcpServers") -> tuple[list[object], list[str]]:
    found, problems = read_servers(json.dumps({name: servers, "theme": "dark"}))
    return [(each.server, each.secrets) for each in found], problems


def test_programs_and_addresses_are_read() -> None:
    files = {"command": "npx", "args": ["-y", "files", "/home"], "env": {"DEBUG": "1", "API_KEY": "k-8f1"}, "cwd": "/"}
    web = {"type": "http", "url": "https://tools.example/mcp", "headers": {"Authorization": "Bearer k", "X-Team": "a"}}
    found, problems = read({"files": files, "web": web, "off": {"command": "x", "disabled": True}})
    (one, of_one), (other, of_other), (off, _) = found
    assert problems == []
    assert (one.transport, one.command, one.args, one.folder) == ("stdio", "npx", ("-y", "files", "/home"), "/")
    assert (one.values, one.secrets, of_one) == ({"DEBUG": "1"}, ("API_KEY",), {"API_KEY": "k-8f1"})
    assert (other.transport, other.url, other.values) == ("http", web["url"], {"X-Team": "a"})
    assert (other.secrets, of_other) == (("Authorization",), {"Authorization": "Bearer k"})
    assert (one.is_on, off.is_on) == (True, False)
    assert read({"files": files}, "servers")[0][0][0].name == "files"


def test_one_that_cannot_be_used_keeps_no_other_out() -> None:
    found, problems = read(
        {"a": {"command": "x"}, "b": 7, "c": {"url": "ftp://x"}, "d": {"type": "sse", "url": "http://x"}}
    )
    assert len(found) == 1
    assert [problem.partition(":")[0] for problem in problems[:2]] == [
        "The tool server “b” cannot be used",
        "The tool server “c” cannot be used",
    ]
    assert "older protocol" in problems[2]


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"mcpServers": []}', '{"mcpServers": {}}', "[" * 100_000])
def test_what_is_no_such_list_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ToolServerError) as caught:
        read_servers(text)
    assert caught.value.sentence.endswith(".")


def test_no_secret_shows_where_it_could_reach_a_log() -> None:
    found, _ = read_servers(json.dumps({"mcpServers": {"a": {"command": "x", "env": {"TOKEN": "swordfish"}}}}))
    assert "swordfish" not in repr(found)
