"""Listing and running tools without a window."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tavern_desktop.session.key_store import KeyStore
from tavern_desktop.session.tool_permissions import ToolPermissions
from tavern_desktop.session.tool_servers import ToolServers
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.tools.mcp.server import ToolServer
from tests.unit.cli.conftest import Run


def test_the_programs_own_tools_are_listed_with_what_is_decided(run: Run) -> None:
    result = run("tools", "list")
    assert result.code == 0
    assert "roll_dice  Roll dice  not offered" in result.out.splitlines()
    assert "switched off" in result.err
    permissions = ToolPermissions(own_folders())
    permissions.offer(is_on=True)
    permissions.switch("roll_dice", is_on=False)
    found = {tool["name"]: tool for tool in run("tools", "list", "--json").objects()}
    assert (found["roll_dice"]["offered"], found["show_table"]["offered"]) == (False, True)
    assert found["roll_dice"]["parameters"]["required"] == ["dice"]


def test_a_tool_answers_and_shows_what_it_would_show(run: Run) -> None:
    (said,) = run("tools", "run", "roll_dice", "--args", '{"dice": "1d1+4"}', "--json").objects()
    assert (said["text"], said["is_error"], said["card"]) == ("1 + 4 = 5", False, "")
    shown = run("tools", "run", "show_table", "--args", '{"columns": ["Port"], "rows": [["Hull"]]}')
    assert shown.code == 0
    assert "type: Table" in shown.out


def test_a_tool_looks_at_a_chat_and_leaves_it(run: Run, chat: Path) -> None:
    before = chat.read_bytes()
    result = run("tools", "run", "search_chat", "--args", '{"words": "question"}', "--chat", chat)
    assert (result.code, "question 0" in result.out) == (0, True)
    assert chat.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nothing",), "There is no tool nothing"),
        (("roll_dice", "--args", "{"), "not valid JSON"),
        (("roll_dice", "--args", "[1]"), "not a JSON object"),
        (("roll_dice",), "dice is missing"),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_reason(run: Run, words: tuple[str, ...], says: str) -> None:
    result = run("tools", "run", *words)
    assert (result.code, result.out) == (1, "")
    assert says in result.err


def test_an_error_of_a_tool_is_printed_and_fails(run: Run) -> None:
    result = run("tools", "run", "roll_dice", "--args", '{"dice": "many"}')
    assert (result.code, "Write dice like" in result.out) == (1, True)


def test_tools_of_servers_are_there_and_a_server_that_cannot_start_is_named(run: Run) -> None:
    servers = ToolServers(own_folders(), KeyStore(own_folders()))
    here = str(Path(__file__).parents[3])
    values = {"PYTHONPATH": here}
    program = ("-m", "tests.tool_server")
    servers.put(ToolServer(id="h", name="Harbour", command=sys.executable, args=program, values=values), {})
    servers.put(ToolServer(id="g", name="Gone", command="/nowhere/at/all"), {})
    result = run("tools", "list")
    assert "Harbour: Depth of water  asks first" in result.out
    assert "Gone: " in result.err
    name = next(line.split()[0] for line in result.out.splitlines() if "Depth of water" in line)
    assert run("tools", "run", name, "--args", '{"place": "Hull"}').out == "4 feet at Hull\n"
