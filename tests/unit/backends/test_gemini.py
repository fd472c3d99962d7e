"""Google's Gemini: contents, reasoning, functions, refusals."""

from __future__ import annotations

from typing import Any

import pytest

from tavern_desktop.backends.events import Reasoning
from tavern_desktop.backends.gemini import UNSIGNED
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.backends.settings import Generation
from tavern_desktop.prompt.messages import PromptMessage, Thought, ToolCall
from tests.unit.backends.talking import KEY, events_of, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import GEMINI, record_of


async def body_for(request: Request, model: str = "m") -> dict[str, Any]:
    async with talking(GEMINI, model=model) as (backend, server):
        path = GEMINI.path.replace("/m:", f"/{model}:")
        server.on("POST", path, sends(GEMINI, GEMINI.reply("ok")))
        await events_of(backend, request)
        (seen,) = server.seen
        assert seen.path == f"{path}?alt=sse"
        assert seen.headers["x-goog-api-key"] == KEY
        body: dict[str, Any] = seen.json
        return body


def test_messages_settings_and_functions_take_their_shapes() -> None:
    messages = (
        PromptMessage("system", "You are Ada."),
        PromptMessage("user", "Roll"),
        PromptMessage("assistant", "", tool_calls=(ToolCall("c1", "dice", '{"n":2}'),)),
        PromptMessage("tool", "7", tool_call_id="c1"),
    )
    settings = Generation(reply_tokens=9, temperature=0.5, top_p=0.9, top_k=3, seed=4, min_p=0.1,
                          stop=("a" * 17, "A", "B", "C", "D", "E", "F"))  # fmt: skip
    tool = Tool("dice", "Rolls", {"type": "object"})

    async def talk() -> None:
        body = await body_for(Request(messages=messages, settings=settings, tools=(tool,)))
        assert body["systemInstruction"] == {"parts": [{"text": "You are Ada."}]}
        user, model, result = body["contents"]
        assert [user["role"], model["role"], result["role"]] == ["user", "model", "user"]
        assert model["parts"] == [{"functionCall": {"name": "dice", "args": {"n": 2}}}]
        assert result["parts"] == [{"functionResponse": {"name": "dice", "response": {"result": "7"}}}]
        assert body["generationConfig"] == {
            "maxOutputTokens": 9, "temperature": 0.5, "topP": 0.9, "topK": 3, "seed": 4,
            "stopSequences": ["A", "B", "C", "D", "E"],
        }  # fmt: skip
        (function,) = body["tools"][0]["functionDeclarations"]
        # The field `parameters` takes only a part of JSON schema, and tools of servers come with all of it.
        assert function == {"name": "dice", "description": "Rolls", "parametersJsonSchema": {"type": "object"}}
        assert body["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("model", "stands_in"), [("gemini-2.5-pro", {}), ("gemini-3-pro", {"thoughtSignature": UNSIGNED})]
)
def test_what_was_signed_goes_back_with_its_call_and_its_text(model: str, stands_in: dict[str, str]) -> None:
    thought = Thought("hm", "S0", "makersuite", model)
    signed, unsigned = ToolCall("c1", "dice", "{}", "S1"), ToolCall("c2", "dice", "{}")
    messages = (
        PromptMessage("user", "Roll"),
        PromptMessage("assistant", "Let me.", tool_calls=(signed, unsigned), thought=thought),
        PromptMessage("tool", "7", tool_call_id="c1"),
        PromptMessage("tool", "8", tool_call_id="c2"),
        PromptMessage("assistant", "", tool_calls=(unsigned,)),
    )

    async def talk() -> None:
        _, model_said, _, other, _ = (await body_for(Request(messages=messages), model))["contents"]
        call = {"functionCall": {"name": "dice", "args": {}}}
        assert model_said["parts"] == [
            {"text": "Let me.", "thoughtSignature": "S0"},
            call | {"thoughtSignature": "S1"},
            call,
        ]
        assert other["parts"] == [call | stands_in]

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("model", "effort", "config"),
    [
        ("gemini-2.5-pro", "low", {"includeThoughts": True, "thinkingBudget": 1024}),
        ("gemini-3-pro", "max", {"includeThoughts": True, "thinkingLevel": "high"}),
        ("gemini-3-pro", None, {"includeThoughts": True}),
        ("gemini-2.0-flash", "max", None),
    ],
)
def test_reasoning_is_asked_for_the_way_of_the_model(model: str, effort: Any, config: dict[str, Any] | None) -> None:
    async def talk() -> None:
        request = Request(messages=(PromptMessage("user", "Hi"),), settings=Generation(reasoning_effort=effort))
        assert (await body_for(request, model))["generationConfig"].get("thinkingConfig") == config

    on_a_loop(talk)


def test_all_that_a_stream_may_hold_becomes_events() -> None:
    def parts(*found: dict[str, Any], **fields: str) -> bytes:
        return record_of({"modelVersion": "g-1", "candidates": [{"content": {"parts": found}, **fields}]})

    pieces = [
        parts({"text": "hm", "thought": True}),
        parts({"text": "Let me", "thoughtSignature": "S0"}),
        parts({"functionCall": {"name": "dice", "args": {"n": 2}}, "thoughtSignature": "S1"}, finishReason="STOP"),
        record_of({"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 5, "thoughtsTokenCount": 2}}),
    ]

    async def talk() -> None:
        async with talking(GEMINI, sends(GEMINI, *pieces)) as (backend, _):
            events = await events_of(backend)
            assert Reasoning("", 0, "S0") in events
            reply = await reply_of(backend)
            assert (reply.model, reply.text(), reply.reasoning()) == ("g-1", "Let me", "hm")
            assert reply.tool_calls() == (ToolCall("call_0", "dice", '{"n": 2}', "S1"),)
            assert reply.finished[0].reason == "tool_calls"
            assert (reply.usage.prompt, reply.usage.reply, reply.usage.reasoning) == (9, 7, 2)

    on_a_loop(talk)


def test_a_prompt_that_was_refused_is_no_empty_reply() -> None:
    async def talk() -> None:
        refused = record_of({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
        async with talking(GEMINI, sends(GEMINI, refused)) as (backend, _):
            failed = (await reply_of(backend)).failed
            assert failed is not None
            assert failed.kind == "filtered"
            assert "PROHIBITED_CONTENT" in failed.sentence

    on_a_loop(talk)


def test_a_reply_that_was_cut_off_for_what_it_says_keeps_what_came() -> None:
    async def talk() -> None:
        record = {"candidates": [{"content": {"parts": [{"text": "Half"}]}, "finishReason": "SAFETY"}]}
        async with talking(GEMINI, sends(GEMINI, record_of(record))) as (backend, _):
            reply = await reply_of(backend)
            assert (reply.text(), reply.finished[0].reason) == ("Half", "filtered")

    on_a_loop(talk)


def test_models_and_counts() -> None:
    async def talk() -> None:
        async with talking(GEMINI) as (backend, server):
            writes = {"name": "models/m", "displayName": "M", "inputTokenLimit": 1000,
                      "supportedGenerationMethods": ["generateContent"]}  # fmt: skip
            server.on_json("GET", "/v1beta/models", {"models": [writes, {"name": "models/embed"}]})
            server.on_json("POST", "/v1beta/models/m:countTokens", {"totalTokens": 4})
            (model,) = await backend.models()
            assert (model.id, model.name, model.context) == ("m", "M", 1000)
            assert await backend.count_tokens("some text") == 4

    on_a_loop(talk)
