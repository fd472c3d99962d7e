"""The program's own tools."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from tavern_desktop.cards.payload import parse
from tavern_desktop.cards.registry import known_forms
from tavern_desktop.chat.message import Message
from tavern_desktop.resources import resource_path
from tavern_desktop.tools.builtin import builtin_tools
from tavern_desktop.tools.checking import read_arguments
from tavern_desktop.tools.definition import ToolContext, ToolResult

TOOLS = {tool.name: tool for tool in builtin_tools(known_forms(resource_path("forms")))}
TEXTS = [{"name": "Ana", "is_user": True, "mes": "Where is the ferry?"}, {"name": "Mira", "mes": "The ferry is late."}]


def use(name: str, **given: Any) -> ToolResult:
    """Use a tool as a model does."""
    read = read_arguments(json.dumps(given), TOOLS[name].parameters)
    messages = Message.read([json.dumps(record).encode() for record in TEXTS])
    return asyncio.run(TOOLS[name].run(read, ToolContext(messages)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("show_table", {"columns": ["a", "b"], "rows": [[1, "x"], [None, True]]}, "Table"),
        ("show_parameters", {"title": "T", "items": [{"name": "depth", "value": "3", "unit": "ft"}]}, "ParameterSet"),
        ("match_columns", {"needed": ["Goods", "Price"], "available": ["goods", "kg"]}, "ColumnMatch"),
        ("show_workflow", {"steps": [{"title": "load", "status": "done"}, {"title": "sail"}]}, "WorkflowStatus"),
        ("show_form", {"form": "passage", "values": {"travellers": 2}}, "Form"),
    ],
)
def test_what_is_shown_is_a_whole_special_message(name: str, given: dict[str, Any], kind: str) -> None:
    result = use(name, **given)
    outcome = parse(result.card)
    assert (outcome.type, outcome.state, result.is_error) == (kind, "full", False)
    assert outcome.id != parse(use(name, **given).card).id


def test_a_form_is_filled_in_but_never_submitted() -> None:
    payload = parse(use("show_form", form="passage", values={"travellers": 2}).card).payload
    assert payload["status"] == "draft"
    assert payload["fields"][0]["value"] == 2
    assert use("show_form", form="passage", values={"nothing": 1}).is_error


def test_columns_of_the_same_name_are_matched() -> None:
    payload = parse(use("match_columns", needed=["Goods", "Price"], available=["goods"]).card).payload
    assert [entry["column"] for entry in payload["mappings"]] == ["goods", None]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("show_table", {"columns": ["a"], "rows": [[1], [1, 2]]}),
        ("show_table", {"columns": ["a"], "rows": [["x" * 300_000]]}),
        ("show_table", {"columns": ["a"], "rows": [["\ud800"]]}),
        ("show_parameters", {"items": [{"name": "a"}, {"name": "a"}]}),
        ("roll_dice", {"dice": "many"}),
        ("roll_dice", {"dice": "101d6"}),
        ("roll_dice", {"dice": "1d0"}),
        ("search_chat", {"words": " "}),
    ],
)
def test_what_cannot_be_done_is_told_and_shows_nothing(name: str, given: dict[str, Any]) -> None:
    result = use(name, **given)
    assert (result.is_error, result.card) == (True, "")
    assert result.text.endswith((".", ":"))


def test_dice_are_added_up() -> None:
    text = use("roll_dice", dice="3d6 - 2").text
    rolls, total = text.split(" = ")
    numbers = [int(number) for number in re.findall(r"\d+", rolls)]
    assert sum(numbers[:3]) - 2 == int(total)
    assert all(1 <= number <= 6 for number in numbers[:3])
    assert 1 <= int(use("roll_dice", dice="d20").text) <= 20


def test_the_chat_is_searched_and_the_time_told() -> None:
    assert use("search_chat", words="late").text == "#1 Mira: The ferry is late."
    assert use("search_chat", words="zebra").text == "No message has these words."
    assert re.search(r"\d{4}, \d\d:\d\d \(UTC", use("current_time").text)
