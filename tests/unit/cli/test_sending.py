"""Sending to a model that calls tools, without a window: whole rounds to the final text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tavern_desktop.session.generating import tool_offers
from tavern_desktop.session.tool_permissions import ToolPermissions
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.tools.definition import OutcomeUnknown, ToolContext, ToolResult
from tests.model_server import ModelServer
from tests.unit.cli.conftest import Run, lines, message
from tests.unit.cli.saying import Saying, connected


@pytest.fixture
def server(own_home: Path) -> Iterator[ModelServer]:
    with connected() as made:
        yield made


def test_a_tool_that_is_allowed_runs_and_the_model_goes_on(run: Run, chat: Path, server: ModelServer) -> None:
    def call() -> None:
        server.say("Let me roll.")
        server.call("roll_dice", '{"dice": "1d1+6"}')

    with Saying(server, call, lambda: server.say("You rolled ", "seven.")):
        result = run("send", chat, "--text", "Roll!", "--allow-tool", "roll_dice")
    assert (result.code, result.out) == (0, "Let me roll.\n\nYou rolled seven.\n")
    assert result.err == '[roll_dice({"dice": "1d1+6"}) answered: 1 + 6 = 7]\n'
    assert [message(chat, index)["mes"] for index in range(8, 12)] == [
        "Roll!",
        "Let me roll.",
        "1 + 6 = 7",
        "You rolled seven.",
    ]
    # Nothing else was offered: models are offered no tools here but the one that was named.
    assert [tool["function"]["name"] for tool in server.asked[0]["tools"]] == ["roll_dice"]
    assert server.asked[1]["messages"][-1]["content"] == "1 + 6 = 7"


def test_json_has_the_final_text_and_the_calls(run: Run, chat: Path, server: ModelServer) -> None:
    with Saying(server, lambda: server.call("roll_dice", '{"dice": "1d1"}'), lambda: server.say("One.")):
        result = run("send", chat, "--text", "Roll!", "--allow-tool", "roll_dice", "--json")
    (told,) = result.objects()
    assert (told["state"], told["message"], told["text"], told["failure"]) == ("done", 11, "One.", None)
    assert told["tools"] == [{"name": "roll_dice", "text": "1", "is_error": False}]
    assert result.err == ""


def test_a_tool_that_nobody_allowed_is_answered_by_a_refusal(
    run: Run, chat: Path, server: ModelServer, asking_dice: None
) -> None:
    ToolPermissions(own_folders()).offer(is_on=True)
    with Saying(server, lambda: server.call("roll_dice", '{"dice": "1d1"}'), lambda: server.say("Then not.")):
        result = run("send", chat, "--text", "Roll!")
    assert (result.code, result.out) == (0, "Then not.\n")
    assert result.err == "[roll_dice: not allowed; --allow-tool roll_dice lets it run]\n"
    assert message(chat, 10)["mes"] == "The user did not allow this call."


def test_without_tools_a_reply_is_asked_for_without_any(run: Run, chat: Path, server: ModelServer) -> None:
    with Saying(server, lambda: server.say("Hello.")):
        assert run("send", chat, "--text", "Hi").out == "Hello.\n"
    assert "tools" not in server.asked[0]


def test_a_tool_that_does_not_exist_is_named_and_nothing_is_asked(run: Run, chat: Path, server: ModelServer) -> None:
    result = run("send", chat, "--text", "Fly!", "--allow-tool", "fly")
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("There is no tool fly; `tools list` tells which there are. The message is in the chat")
    assert server.asked == []


def test_a_chat_that_wants_no_tools_gets_none_and_one_that_wants_them_gets_them(
    run: Run, chat: Path, server: ModelServer
) -> None:
    permissions = ToolPermissions(own_folders())
    permissions.offer(is_on=True)
    run("chats", "metadata", chat, "--set", json.dumps({"tavern_desktop": {"uses_tools": False}}))
    with Saying(server, lambda: server.say("Hello.")):
        run("send", chat, "--text", "Hi")
    assert "tools" not in server.asked[0]
    permissions.offer(is_on=False)
    run("chats", "metadata", chat, "--set", json.dumps({"tavern_desktop": {"uses_tools": True}}))
    with Saying(server, lambda: server.say("Hello.")):
        run("send", chat, "--text", "Hi")
    assert server.asked[1]["tools"]


def test_an_unknown_outcome_ends_it_with_nothing_invented(
    run: Run, chat: Path, server: ModelServer, lost_dice: None
) -> None:
    with Saying(server, lambda: server.call("roll_dice", '{"dice": "1d1"}')):
        result = run("send", chat, "--text", "Roll!", "--allow-tool", "roll_dice")
    assert (result.code, result.out) == (1, "")
    assert "It fell silent. Nobody knows whether the call of roll_dice was carried out." in result.err
    assert len(lines(chat)) == 1 + 8 + 1
    assert len(server.asked) == 1


@pytest.mark.parametrize("how", ["--swipe", "--continue"])
def test_alternatives_call_no_tools(run: Run, chat: Path, how: str) -> None:
    result = run("send", chat, how, "--allow-tool", "roll_dice")
    assert (result.code, result.err) == (
        1,
        "Only a new reply calls tools: --allow-tool goes with --text or --reply.\n",
    )


@pytest.fixture
def asking_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dice ask first, as tools of servers do."""
    _change_dice(monkeypatch, asks_first=True)


@pytest.fixture
def lost_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dice fall silent."""

    async def run(given: object, context: ToolContext) -> ToolResult:
        raise OutcomeUnknown("It fell silent.")

    _change_dice(monkeypatch, run=run)


def _change_dice(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    found = tool_offers.own_tools(own_folders().config)
    changed = [replace(tool, **changes) if tool.id == "roll_dice" else tool for tool in found]  # type: ignore[arg-type]
    monkeypatch.setattr(tool_offers, "own_tools", lambda config: changed)
