"""Replies that call tools: asked about, run, shown as results, and in the chat all together or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.events import Finished, Text, ToolCallPart
from tavern_desktop.cards.envelope import read_card
from tavern_desktop.chat.facts import Record
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.generations import MOST_TOOL_ROUNDS
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.session.generating.tool_batch import MOST_CALLS
from tavern_desktop.session.generating.tool_round import FAILED
from tavern_desktop.tools.builtin import builtin_tools
from tavern_desktop.tools.definition import OutcomeUnknown, Tool, ToolContext, ToolResult
from tests.unit.session.generating.scripted import Program, Scripted

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.close()


def a_tool(name: str = "dice", *, asks_first: bool = False, **more: Any) -> Tool:
    async def run(given: dict[str, Any], context: ToolContext) -> ToolResult:
        if "error" in more:
            raise more["error"]
        if more.get("hangs"):
            await asyncio.Event().wait()
        return ToolResult(f"{name} says {given['n'] + len(context.messages)}")

    return Tool(f"t/{name}", name, name.title(), "", NUMBER, run, asks_first=asks_first)


def call(number: int, name: str, arguments: str = '{"n": 4}') -> ToolCallPart:
    return ToolCallPart(number, f"c{number}", name, arguments)


def calling(program: Program, *parts: ToolCallPart, text: str = "Let me look.") -> tuple[ChatSession, GenerationTask]:
    """A reply that has said something and called tools."""
    session = program.open(program.write())
    task, model = program.start(session)
    model.send(*([Text(text)] if text else []), *parts, Finished("tool_calls"), None)
    return session, task


def rows(session: ChatSession) -> list[Record]:
    """What the chat has that it had not before."""
    assert session.chat is not None
    return [message.data() for message in session.chat.messages[3:]]


def next_model(program: Program, number: int = 1) -> Scripted:
    program.until(lambda: len(program.models) > number and program.models[number].is_there)
    return program.models[number]


def test_calls_and_results_come_together_and_the_model_goes_on(program: Program) -> None:
    program.tools = (a_tool(),)
    session, task = calling(program, ToolCallPart(0, "c0", "dice", '{"n"'), ToolCallPart(0, arguments=": 4}"))
    model = next_model(program)
    assert task.state == "done"
    caller, result = rows(session)
    assert (caller["mes"], caller["name"]) == ("Let me look.", "Mira")
    function = {"name": "dice", "arguments": '{"n": 4}'}
    assert caller["tool_calls"] == [{"id": "c0", "type": "function", "function": function}]
    assert (result["role"], result["tool_call_id"], result["mes"]) == ("tool", "c0", "dice says 7")
    assert (result["is_user"], result["is_system"], "swipes" in result) == (False, True, False)
    assert model.asked is not None
    assert len(model.asked.messages) == 5
    model.send(Text("You rolled 7."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert rows(session)[2]["mes"] == "You rolled 7."
    session.undo()
    session.undo()
    assert rows(session) == []


def test_a_call_without_text_and_two_at_once(program: Program) -> None:
    program.tools = (a_tool("dice"), a_tool("coin"))
    session, _ = calling(program, call(0, "dice"), call(1, "coin", '{"n": 1}'), text="")
    next_model(program)
    caller, one, other = rows(session)
    assert caller["mes"] == ""
    assert [one["mes"], other["mes"]] == ["dice says 7", "coin says 4"]


def test_a_model_that_runs_wild_gets_no_hundreds_of_rows(program: Program) -> None:
    program.tools = (a_tool(),)
    noticed: list[str] = []
    session = program.open(program.write())
    session.notice.connect(noticed.append)
    _, model = program.start(session)
    model.send(*(call(number, "dice") for number in range(MOST_CALLS + 9)), Finished("tool_calls"), None)
    next_model(program)
    assert len(rows(session)) == 1 + MOST_CALLS
    assert len(rows(session)[0]["tool_calls"]) == MOST_CALLS
    assert noticed == ["The reply called 73 tools at once; only the first 64 count."]


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("nothing", "{}", "There is no tool “nothing”. There are: dice."),
        ("dice", "{n: 4", "The arguments are not valid JSON."),
        ("dice", "[4]", "The arguments are not a JSON object."),
        ("dice", "{}", "n is missing."),
        ("dice", '{"n": "four"}', "n must be integer."),
    ],
)
def test_what_is_wrong_with_a_call_is_its_result(program: Program, name: str, arguments: str, says: str) -> None:
    program.tools = (a_tool(),)
    session, _ = calling(program, call(0, name, arguments))
    next_model(program)
    caller, result = rows(session)
    assert result["mes"] == says
    assert result["extra"]["tavern_desktop"] == {FAILED: True}
    # What is kept can be sent again whatever the model wrote.
    assert caller["tool_calls"][0]["function"]["arguments"].startswith("{")
    assert caller["tool_calls"][0]["function"]["arguments"].endswith("}")


def test_a_tool_that_raises_is_a_result(program: Program) -> None:
    program.tools = (a_tool(error=ValueError("no water")),)
    session, _ = calling(program, call(0, "dice"))
    next_model(program)
    assert rows(session)[1]["mes"] == "The tool failed: ValueError: no water"


def test_nothing_is_in_the_chat_before_the_person_allowed_and_all_is_known(program: Program) -> None:
    program.tools = (a_tool(asks_first=True), a_tool("coin"))
    session, task = calling(program, call(0, "dice"), call(1, "coin"))
    program.until(lambda: task.batch is not None and task.batch.calls[1].state == "done")
    assert task.batch is not None
    assert [each.state for each in task.batch.calls] == ["asking", "done"]
    assert rows(session) == []
    assert task.is_running
    task.batch.allow(0)
    next_model(program)
    assert [row["mes"] for row in rows(session)] == ["Let me look.", "dice says 7", "coin says 7"]
    assert task.batch is None


def test_a_refused_call_is_told_to_the_model(program: Program) -> None:
    program.tools = (a_tool(asks_first=True),)
    session, task = calling(program, call(0, "dice"))
    program.until(lambda: task.batch is not None)
    assert task.batch is not None
    task.batch.refuse(0)
    next_model(program)
    assert rows(session)[1]["mes"] == "The user did not allow this call."


def test_an_unknown_outcome_commits_nothing_and_can_be_run_again(program: Program) -> None:
    program.tools = (a_tool(error=OutcomeUnknown("It ended.")),)
    session, task = calling(program, call(0, "dice"))
    program.until(lambda: task.batch is not None and task.batch.calls[0].state == "unknown")
    assert task.batch is not None
    assert (task.batch.calls[0].sentence, rows(session)) == ("It ended.", [])
    task.batch.calls[0].tool = a_tool()
    task.batch.allow(0)
    next_model(program)
    assert rows(session)[1]["mes"] == "dice says 7"


def test_a_call_that_hangs_can_be_cancelled_and_the_turn_given_up(program: Program) -> None:
    program.tools = (a_tool(hangs=True),)
    session, task = calling(program, call(0, "dice"))
    program.until(lambda: task.batch is not None and task.batch.calls[0].state == "running")
    assert task.batch is not None
    task.batch.cancel(0)
    assert task.batch.calls[0].state == "unknown"
    task.stop()
    assert task.state == "stopped"
    (kept,) = rows(session)
    assert (kept["mes"], "tool_calls" in kept) == ("Let me look.", False)
    program.until(lambda: not program.generations.running())
    assert len(program.models) == 1


def test_a_chat_stays_with_its_calls_when_another_is_looked_at(program: Program) -> None:
    program.tools = (a_tool(asks_first=True),)
    session, task = calling(program, call(0, "dice"))
    program.until(lambda: task.batch is not None)
    program.chats.release(session)
    program.runner.run_until_idle()
    assert program.generations.of(session) is task
    assert task.batch is not None
    task.batch.allow(0)
    next_model(program)
    assert rows(session)[1]["mes"] == "dice says 7"


def test_what_a_tool_shows_stands_in_the_chat_before_the_next_text(program: Program) -> None:
    program.tools = tuple(builtin_tools())
    table = '{"title": "Cargo", "columns": ["Goods", "Weight"], "rows": [["salt", 3], ["rope", 1.5]]}'
    session, _ = calling(program, call(0, "show_table", table))
    model = next_model(program)
    _, result, shown = rows(session)
    card = read_card(shown)
    assert card is not None
    assert (card.state, card.title, card.payload["rows"]) == ("full", "Cargo", [["salt", 3], ["rope", 1.5]])
    assert result["mes"] == "The user sees the table now."
    model.send(Text("There it is."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert rows(session)[-1]["mes"] == "There it is."


def test_a_workflow_goes_on_where_it_stands_and_undo_takes_it_back(program: Program) -> None:
    program.tools = tuple(builtin_tools())
    steps = '{"title": "Crossing", "steps": [{"title": "Load", "status": "running"}, {"title": "Sail"}]}'
    session, _ = calling(program, call(0, "show_workflow", steps))
    model = next_model(program)
    one = call(0, "workflow_progress", '{"steps": [{"step": "Load", "status": "done"}]}')
    other = call(1, "workflow_progress", '{"steps": [{"step": 2, "status": "running"}]}')
    model.send(one, other, Finished("tool_calls"), None)
    next_model(program, 2).send(Text("We sail."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())

    def statuses() -> list[str]:
        (card,) = [found for row in rows(session) if (found := read_card(row)) is not None]
        return [step.get("status", "pending") for step in card.payload["steps"]]

    assert statuses() == ["done", "running"]
    assert [row["mes"] for row in rows(session)][-3:] == ["The user sees it now.", "The user sees it now.", "We sail."]
    session.undo()
    session.undo()
    assert statuses() == ["running", "pending"]
    session.redo()
    assert statuses() == ["done", "running"]


def test_tools_are_not_called_without_end(program: Program) -> None:
    program.tools = (a_tool(),)
    calling(program, call(0, "dice"))
    for number in range(1, MOST_TOOL_ROUNDS + 1):
        model = next_model(program, number)
        assert model.asked is not None
        assert model.asked.may_call is (number < MOST_TOOL_ROUNDS)
        program.tools = () if number == MOST_TOOL_ROUNDS - 1 else program.tools  # as requests do
        model.send(call(0, "dice"), Finished("tool_calls"), None)
    program.until(lambda: not program.generations.running())
    assert len(program.models) == MOST_TOOL_ROUNDS + 1


def test_another_alternative_of_the_last_text_leaves_the_rows(program: Program) -> None:
    program.tools = (a_tool(),)
    session, _ = calling(program, call(0, "dice"))
    model = next_model(program)
    model.send(Text("Seven."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert session.chat is not None
    before = rows(session)
    task, again = program.start(session, "swipe", session.chat.messages[-1].key)
    assert again.asked is not None
    assert again.asked.may_call is False
    again.send(Text("A seven!"), None)
    program.until(lambda: not task.is_running)
    after = rows(session)
    assert after[:2] == before[:2]
    assert after[2]["swipes"] == ["Seven.", "A seven!"]
