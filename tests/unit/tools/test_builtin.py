"""The program's own tools."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest

from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.cards.payload import parse
from tavern_desktop.cards.registry import known_forms
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.chat.message import Message
from tavern_desktop.resources import resource_path
from tavern_desktop.tools.builtin import builtin_tools
from tavern_desktop.tools.checking import read_arguments
from tavern_desktop.tools.definition import ToolContext, ToolResult

TOOLS = {tool.name: tool for tool in builtin_tools(known_forms(resource_path("forms")))}
TEXTS = [{"name": "Ana", "is_user": True, "mes": "Where is the ferry?"}, {"name": "Mira", "mes": "The ferry is late."}]
TEXTS.append({"name": "Mira", "is_system": True, "mes": "The secret harbour is north."})


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
    assert use("search_chat", words="secret harbour").text == "No message has these words."  # it is hidden
    assert re.search(r"\d{4}, \d\d:\d\d \(UTC", use("current_time").text)


STEPS = [{"title": "Load", "status": "running"}, {"title": "Sail"}]


def shown_workflow(**given: Any) -> Message:
    """A workflow as it stands in a chat."""
    card = use("show_workflow", **given).card
    return Message.new(new_record(card))


def progressed(messages: list[Message], **given: Any) -> ToolResult:
    read = read_arguments(json.dumps(given), TOOLS["workflow_progress"].parameters)
    return asyncio.run(TOOLS["workflow_progress"].run(read, ToolContext(messages)))  # type: ignore[arg-type]


def test_progress_changes_steps_by_title_or_number_and_keeps_the_rest() -> None:
    old, new = (shown_workflow(title=title, steps=STEPS) for title in ("Old", "Crossing"))
    loaded = {"step": "load", "status": "done", "detail": "40 sacks"}
    result = progressed([old, new], steps=[loaded, {"step": 2, "status": "running"}])
    assert (result.is_error, result.card) == (False, "")
    card = read_card(new.data())
    assert result.change is not None
    assert card is not None
    assert result.change.card_id == card.id
    payload = result.change.change({**card.payload, "colour": "blue"})
    load, sail = payload["steps"]
    assert (load["title"], load["status"], load["detail"], sail["status"]) == ("Load", "done", "40 sacks", "running")
    assert load["startedAt"] == card.payload["steps"][0]["startedAt"]
    assert ("finishedAt" in load, "startedAt" in sail, "finishedAt" in sail) == (True, True, False)
    assert payload["colour"] == "blue"
    assert parse(write_payload(payload)).state == "full"
    earlier = progressed([old, new], workflow="old", steps=[{"step": 1, "status": "failed"}])
    assert earlier.change is not None
    assert earlier.change.card_id == (read_card(old.data()) or card).id


def test_progress_of_what_is_not_there_says_what_is() -> None:
    assert progressed([], steps=[{"step": 1}]).text == "There is no workflow in this chat. Show one first."
    there = [shown_workflow(title="Crossing", steps=STEPS)]
    wrong = progressed(there, steps=[{"step": "dock", "status": "done"}])
    assert (wrong.text, wrong.is_error) == ("There is no step “dock”. There are: Load; Sail", True)
    assert "“Loading”" in progressed(there, workflow="Loading", steps=[]).text
    assert progressed(there, steps=[{"step": 3}]).is_error
