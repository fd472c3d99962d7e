"""Anthropic's Messages: turns, reasoning, tools, counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.events import Reasoning
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.backends.settings import Generation
from tavern_desktop.prompt.messages import PromptMessage, Thought, ToolCall
from tests.unit.backends.talking import KEY, events_of, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import ANTHROPIC, record_of


async def body_for(request: Request, model: str = "m") -> dict[str, Any]:
    async with talking(ANTHROPIC, sends(ANTHROPIC, ANTHROPIC.reply("ok")), model=model) as (backend, server):
        await events_of(backend, request)
        (seen,) = server.seen
        assert seen.headers["x-api-key"] == KEY
        assert seen.headers["anthropic-version"] == "2023-06-01"
        body: dict[str, Any] = seen.json
        return body


def test_messages_become_a_system_text_and_turns() -> None:
    async def talk() -> None:
        messages = (
            PromptMessage("system", "You are Ada."),
            PromptMessage("system", "Be kind."),
            PromptMessage("assistant", "Hello."),
            PromptMessage("user", "Hi", name="Ann"),
            PromptMessage("system", "It rains."),
            PromptMessage("user", "  "),
        )
        body = await body_for(Request(messages=messages, settings=Generation(temperature=0.5, top_k=3, seed=1)))
        assert [block["text"] for block in body["system"]] == ["You are Ada.", "Be kind."]
        assert [turn["role"] for turn in body["messages"]] == ["user", "assistant", "user"]
        assert [block["text"] for block in body["messages"][2]["content"]] == ["Ann: Hi", "It rains."]
        assert (body["max_tokens"], body["temperature"], body["top_k"]) == (4096, 0.5, 3)
        assert "seed" not in body

    on_a_loop(talk)


def test_a_reply_is_continued_without_blanks_at_its_end_and_else_a_new_one_is_asked_for() -> None:
    async def talk() -> None:
        user = PromptMessage("user", "Hi")
        begun = await body_for(Request(messages=(user, PromptMessage("assistant", "Well, \n", is_prefill=True))))
        assert begun["messages"][-1] == {"role": "assistant", "content": [{"type": "text", "text": "Well,"}]}
        other = await body_for(Request(messages=(user, PromptMessage("assistant", "Well."))))
        assert other["messages"][-1]["role"] == "user"

    on_a_loop(talk)


def test_models_that_do_not_continue_say_so() -> None:
    async def talk() -> None:
        async with talking(ANTHROPIC, model="claude-opus-4-6") as (backend, _):
            assert backend.can_continue() == "The model claude-opus-4-6 cannot continue a reply that has begun."
            assert backend.can_continue("claude-opus-4-5") == ""

    on_a_loop(talk)


def test_tools_and_pictures_take_their_own_shapes(tmp_path: Path) -> None:
    picture = tmp_path / "p.jpg"
    picture.write_bytes(b"\xff\xd8\xffrest")
    messages = (
        PromptMessage("user", "Look", images=(picture,)),
        PromptMessage("assistant", "", tool_calls=(ToolCall("t1", "dice", '{"n":2}'), ToolCall("t2", "dice", "bad"))),
        PromptMessage("tool", "7", tool_call_id="t1"),
        PromptMessage("tool", "8", tool_call_id="t2"),
    )
    tool = Tool("dice", "Rolls", {"type": "object"})

    async def talk() -> None:
        body = await body_for(Request(messages=messages, tools=(tool,), tool_choice="required"))
        user, assistant, results = body["messages"]
        assert user["content"][0]["source"] == {"type": "base64", "media_type": "image/jpeg", "data": "/9j/cmVzdA=="}
        assert [block["input"] for block in assistant["content"]] == [{"n": 2}, {"text": "bad"}]
        assert [block["tool_use_id"] for block in results["content"]] == ["t1", "t2"]
        assert body["tools"] == [{"name": "dice", "description": "Rolls", "input_schema": {"type": "object"}}]
        assert body["tool_choice"] == {"type": "any"}

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-sonnet-4-5", {"type": "enabled", "budget_tokens": 2000}),
        ("claude-opus-5", {"type": "adaptive", "display": "summarized"}),
        ("claude-3-5-haiku", None),
    ],
)
def test_reasoning_is_asked_for_the_way_of_the_model(model: str, thinking: dict[str, Any] | None) -> None:
    async def talk() -> None:
        settings = Generation(reply_tokens=4000, temperature=0.5, top_p=0.9, reasoning_effort="high")
        body = await body_for(Request(messages=(PromptMessage("user", "Hi"),), settings=settings), model)
        assert body.get("thinking") == thinking
        assert ("temperature" in body) is (model == "claude-3-5-haiku")

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("thought", "block"),
    [
        (Thought("hm", "SIG", "claude", "m"), {"type": "thinking", "thinking": "hm", "signature": "SIG"}),
        (Thought("", "SIG", "claude", "m"), {"type": "redacted_thinking", "data": "SIG"}),
        (None, None),
    ],
)
def test_reasoning_goes_back_with_its_calls_and_is_not_asked_for_without(
    thought: Thought | None, block: dict[str, str] | None
) -> None:
    messages = (
        PromptMessage("user", "Roll"),
        PromptMessage("assistant", "Let me.", tool_calls=(ToolCall("t1", "dice", "{}"),), thought=thought),
        PromptMessage("tool", "7", tool_call_id="t1"),
    )
    settings = Generation(reply_tokens=4000, reasoning_effort="high")

    async def talk() -> None:
        body = await body_for(Request(messages=messages, settings=settings), "claude-sonnet-4-5")
        first = body["messages"][1]["content"][0]
        assert first == (block or {"type": "text", "text": "Let me."})
        assert ("thinking" in body) is (block is not None)
        answered = (*messages, PromptMessage("assistant", "Seven."), PromptMessage("user", "Again"))
        assert "thinking" in await body_for(Request(messages=answered, settings=settings), "claude-sonnet-4-5")

    on_a_loop(talk)


def test_only_one_of_two_samplers_goes_to_models_that_take_one() -> None:
    async def talk() -> None:
        settings = Generation(temperature=0.5, top_p=0.9)
        body = await body_for(Request(messages=(PromptMessage("user", "Hi"),), settings=settings), "claude-sonnet-4-5")
        assert ("temperature" in body, "top_p" in body) == (False, True)

    on_a_loop(talk)


def test_all_that_a_stream_may_hold_becomes_events() -> None:
    def delta(index: int, **fields: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": fields}

    counts = {"input_tokens": 5, "cache_read_input_tokens": 4}
    records: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"model": "claude-x", "usage": counts}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "ping"},
        delta(0, thinking="hm"),
        delta(0, signature="SIG"),
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        delta(1, text="Let me"),
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "t1", "name": "dice"}},
        delta(2, partial_json='{"n"'),
        delta(2, partial_json=":2}"),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]  # fmt: skip

    async def talk() -> None:
        async with talking(ANTHROPIC, sends(ANTHROPIC, *map(record_of, records))) as (backend, _):
            events = await events_of(backend)
            assert [event for event in events if isinstance(event, Reasoning)] == [
                Reasoning("hm"), Reasoning("", 0, "SIG")
            ]  # fmt: skip
            reply = await reply_of(backend)
            assert (reply.model, reply.text(), reply.reasoning()) == ("claude-x", "Let me", "hm")
            assert reply.tool_calls() == (ToolCall("t1", "dice", '{"n":2}'),)
            assert (reply.usage.prompt, reply.usage.cached, reply.usage.reply) == (9, 4, 7)
            assert reply.finished[0].reason == "tool_calls"

    on_a_loop(talk)


def test_models_and_counts() -> None:
    async def talk() -> None:
        async with talking(ANTHROPIC) as (backend, server):
            entry = {"id": "m", "display_name": "M", "max_input_tokens": 1000}
            server.on_json("GET", "/v1/models", {"data": [entry]})
            server.on_json("POST", "/v1/messages/count_tokens", {"input_tokens": 12})
            (model,) = await backend.models()
            assert (model.id, model.name) == ("m", "M")
            assert await backend.context_size() == 1000
            assert await backend.count_tokens("some text") == 12

    on_a_loop(talk)
