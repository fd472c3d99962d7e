"""Chat and text completions: what is sent to each provider, and what is made of its records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.events import Progress, Reasoning, Started, Text, ToolCallPart
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.backends.settings import Generation
from tavern_desktop.prompt.messages import PromptMessage, ToolCall
from tests.unit.backends.talking import KEY, a_request, events_of, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import OPENAI, OPENAI_TEXT, Wire, record_of

ALL = Generation(
    reply_tokens=50,
    context_tokens=4096,
    temperature=0.7,
    top_p=0.9,
    top_k=40,
    min_p=0.05,
    repetition_penalty=1.1,
    repetition_range=64,
    frequency_penalty=0.1,
    presence_penalty=0.2,
    seed=3,
    reasoning_effort="max",
    stop=("A", "B", "C", "D", "E"),
)

SENT = {
    "openai": {"max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2,
               "seed": 3, "stop": ["A", "B", "C", "D"], "reasoning_effort": "high"},
    "openrouter": {"max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.05,
                   "repetition_penalty": 1.1, "frequency_penalty": 0.1, "presence_penalty": 0.2, "seed": 3,
                   "stop": ["A", "B", "C", "D"], "reasoning": {"effort": "high"}},
    "mistral": {"max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2,
                "random_seed": 3, "stop": ["A", "B", "C", "D", "E"], "safe_prompt": False},
    "deepseek": {"max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2,
                 "stop": ["A", "B", "C", "D", "E"], "thinking": {"type": "enabled"}},
    "llamacpp": {"max_tokens": 50, "temperature": 0.7, "top_p": 0.9, "top_k": 40, "min_p": 0.05, "repeat_penalty": 1.1,
                 "repeat_last_n": 64, "frequency_penalty": 0.1, "presence_penalty": 0.2, "seed": 3,
                 "stop": ["A", "B", "C", "D", "E"], "cache_prompt": True, "return_progress": True},
}  # fmt: skip


async def body_for(wire: Wire, request: Request, **fields: Any) -> dict[str, Any]:
    async with talking(wire, sends(wire, wire.reply("ok")), **fields) as (backend, server):
        await events_of(backend, request)
        (seen,) = server.asked(wire.path)
        body: dict[str, Any] = seen.json
        return body


@pytest.mark.parametrize("provider", SENT)
def test_each_provider_gets_the_settings_it_takes(provider: str) -> None:
    async def talk() -> None:
        request = Request(messages=(PromptMessage("user", "Hi"),), settings=ALL)
        body = await body_for(OPENAI, request, provider=provider)
        for name in ("model", "messages", "stream", "stream_options"):
            body.pop(name, None)
        assert body == SENT[provider]

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("model", "absent", "present"),
    [
        ("o3-mini", "temperature", "max_completion_tokens"),
        ("gpt-5.2", "stop", "max_completion_tokens"),
        ("gpt-4o", "max_completion_tokens", "max_tokens"),
    ],
)
def test_models_have_rules_of_their_own(model: str, absent: str, present: str) -> None:
    async def talk() -> None:
        request = Request(messages=(PromptMessage("user", "Hi"),), settings=ALL)
        body = await body_for(OPENAI, request, provider="openai", model=model)
        assert absent not in body
        assert present in body

    on_a_loop(talk)


def test_a_setting_that_is_not_taken_comes_with_the_reason() -> None:
    async def talk() -> None:
        async with talking(OPENAI, provider="openai", model="o3", off=("seed",)) as (backend, _):
            assert backend.refusal_of("top_k") == "OpenAI takes no top-k."
            assert backend.refusal_of("temperature") == "The model o3 takes no temperature."
            assert backend.refusal_of("seed") == "The seed is switched off for this connection."
            assert backend.refusal_of("temperature", "gpt-4o") == ""
            assert backend.refusal_of("context_tokens") == ""

    on_a_loop(talk)


def test_a_refused_setting_is_told_by_our_name() -> None:
    async def talk() -> None:
        async with talking(OPENAI, provider="custom") as (backend, server):
            error = {"error": {"message": "Unknown parameter: 'max_tokens'.", "param": "max_tokens"}}
            server.on_json("POST", OPENAI.path, error, "400 Bad Request")
            failed = (await reply_of(backend)).failed
            assert failed is not None
            assert (failed.kind, failed.setting) == ("setting", "reply_tokens")

    on_a_loop(talk)


CONTINUED = {
    "mistral": ({"prefix": True}, {}),
    "deepseek": ({"prefix": True}, {}),
    "moonshot": ({"partial": True}, {}),
    "llamacpp": ({}, {}),
    "vllm": ({}, {"add_generation_prompt": False, "continue_final_message": True}),
    "tabby": ({}, {"add_generation_prompt": False}),
}


@pytest.mark.parametrize("provider", CONTINUED)
def test_a_reply_is_continued_the_way_of_the_provider(provider: str) -> None:
    async def talk() -> None:
        messages = (PromptMessage("user", "Hi"), PromptMessage("assistant", "Well,", is_prefill=True))
        body = await body_for(OPENAI, Request(messages=messages), provider=provider)
        in_message, in_body = CONTINUED[provider]
        assert body["messages"][-1] == {"role": "assistant", "content": "Well,", **in_message}
        assert in_body.items() <= body.items()

    on_a_loop(talk)


def test_who_cannot_continue_says_so_and_nothing_is_sent() -> None:
    async def talk() -> None:
        async with talking(OPENAI, provider="openai") as (backend, server):
            messages = (PromptMessage("user", "Hi"), PromptMessage("assistant", "Well,", is_prefill=True))
            failed = (await reply_of(backend, Request(messages=messages))).failed
            assert failed is not None
            assert (failed.kind, failed.sentence) == ("unsupported", backend.can_continue())
            assert backend.can_continue() == "OpenAI cannot continue a reply that has begun."
            assert server.seen == []

    on_a_loop(talk)


def test_tools_calls_and_their_results_are_sent() -> None:
    async def talk() -> None:
        call = ToolCall("call_0123456789", "dice", '{"n":2}')
        messages = (
            PromptMessage("user", "Roll", name="Ann"),
            PromptMessage("assistant", "", tool_calls=(call,)),
            PromptMessage("tool", "7", tool_call_id=call.id),
        )
        tool = Tool("dice", "Rolls dice", {"type": "object", "properties": {"n": {"type": "integer"}}})
        request = Request(messages=messages, tools=(tool,), tool_choice="required")
        body = await body_for(OPENAI, request, provider="mistral")
        user, assistant, result = body["messages"]
        assert user == {"role": "user", "content": "Roll", "name": "Ann"}
        assert assistant["content"] is None
        assert assistant["tool_calls"][0]["function"] == {"name": "dice", "arguments": '{"n":2}'}
        nine = assistant["tool_calls"][0]["id"]
        assert len(nine) == 9
        assert nine.isalnum()
        assert result == {"role": "tool", "content": "7", "tool_call_id": nine}
        assert body["tools"][0]["function"]["parameters"] == tool.parameters
        assert body["tool_choice"] == "required"

    on_a_loop(talk)


def test_system_messages_in_the_middle_and_rows_of_one_role_follow_the_provider() -> None:
    async def talk() -> None:
        messages = tuple(PromptMessage(role, role) for role in ("system", "user", "assistant", "system", "user"))
        body = await body_for(OPENAI, Request(messages=messages), provider="mistral")
        assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user", "user"]
        body = await body_for(OPENAI, Request(messages=(messages[1], messages[1])), provider="deepseek")
        assert body["messages"] == [{"role": "user", "content": "user\n\nuser"}]
        messages = (messages[1], messages[2], PromptMessage("assistant", "and", is_prefill=True))
        body = await body_for(OPENAI, Request(messages=messages), provider="llamacpp")
        assert body["messages"][1:] == [{"role": "assistant", "content": "assistant\n\nand"}]

    on_a_loop(talk)


def test_pictures_are_sent_in_the_message(tmp_path: Path) -> None:
    picture = tmp_path / "p.png"
    picture.write_bytes(b"\x89PNG\r\n\x1a\nrest")

    async def talk() -> None:
        body = await body_for(OPENAI, Request(messages=(PromptMessage("user", "Look", images=(picture,)),)))
        text, image = body["messages"][0]["content"]
        assert text == {"type": "text", "text": "Look"}
        assert image["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgpyZXN0"

    on_a_loop(talk)


def test_a_picture_that_is_none_or_is_gone_stops_the_request(tmp_path: Path) -> None:
    fake = tmp_path / "p.png"
    fake.write_bytes(b"text")

    async def talk() -> None:
        async with talking(OPENAI) as (backend, server):
            for path in (fake, tmp_path / "gone.png"):
                failed = (
                    await reply_of(backend, Request(messages=(PromptMessage("user", "", images=(path,)),)))
                ).failed
                assert failed is not None
                assert failed.kind == "rejected"
                assert path.name in failed.sentence
            assert server.seen == []

    on_a_loop(talk)


def test_half_characters_in_a_prompt_can_be_sent() -> None:
    async def talk() -> None:
        body = await body_for(OPENAI, Request(messages=(PromptMessage("user", "x\ud83d"),)))
        assert body["messages"][0]["content"] == "x\ud83d"

    on_a_loop(talk)


def test_all_that_a_stream_may_hold_becomes_events() -> None:
    def delta(**fields: Any) -> bytes:
        return record_of({"model": "m-1", "choices": [{"index": 0, "delta": fields}]})

    calls = [
        {"index": 0, "id": "c0", "type": "function", "function": {"name": "dice", "arguments": ""}},
        {"index": 0, "function": {"arguments": '{"n"'}},
        {"index": 1, "id": "c1", "function": {"name": "coin", "arguments": "{}"}},
        {"index": 0, "function": {"arguments": ":2}"}},
    ]
    encrypted = [{"type": "reasoning.encrypted", "data": "SIG"}]
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "!"}]}
    pieces = [
        b": OPENROUTER PROCESSING\n\n",
        record_of({"choices": [], "prompt_progress": {"total": 9, "processed": 4}}),
        delta(role="assistant", content=""),
        delta(reasoning="hm", reasoning_content="hm"),
        delta(content=[thought, {"type": "text", "text": "Let"}]),
        delta(content=" me", reasoning_details=encrypted),
        *(delta(tool_calls=[call]) for call in calls),
        record_of({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
        record_of({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 5,
                                            "prompt_tokens_details": {"cached_tokens": 8},
                                            "completion_tokens_details": {"reasoning_tokens": 2}}}),
        b"data: [DONE]\n\n",
    ]  # fmt: skip

    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, *pieces)) as (backend, _):
            events = await events_of(backend)
            assert events[0] == Started("")
            assert events[1] == Progress(4, 9)
            assert [event for event in events if isinstance(event, Reasoning)] == [
                Reasoning("hm"), Reasoning("!"), Reasoning("", 0, "SIG")
            ]  # fmt: skip
            assert [event.text for event in events if isinstance(event, Text)] == ["Let", " me"]
            assert len([event for event in events if isinstance(event, ToolCallPart)]) == 4
            reply = await reply_of(backend)
            assert reply.tool_calls() == (ToolCall("c0", "dice", '{"n":2}'), ToolCall("c1", "coin", "{}"))
            assert reply.finished[0].reason == "tool_calls"
            usage = reply.usage
            assert (usage.prompt, usage.reply, usage.cached, usage.reasoning) == (9, 5, 8, 2)

    on_a_loop(talk)


def test_several_alternatives_are_told_apart() -> None:
    records = [{"choices": [{"index": index, "delta": {"content": word}}]} for index, word in enumerate("ab")]
    ends = [
        {"choices": [{"index": index, "delta": {}, "finish_reason": why}]}
        for index, why in enumerate(["stop", "length"])
    ]

    async def talk() -> None:
        handler = sends(OPENAI, *map(record_of, [*records, *records, *ends]))
        async with talking(OPENAI, handler, provider="openai") as (backend, server):
            assert backend.makes_alternatives
            reply = await reply_of(backend, a_request(backend, count=2))
            assert [reply.text(choice) for choice in reply.choices] == ["aa", "bb"]
            assert [reply.finished[choice].reason for choice in reply.choices] == ["stop", "length"]
            assert server.seen[0].json["n"] == 2

    on_a_loop(talk)


def test_a_server_that_does_not_stream_is_understood() -> None:
    async def talk() -> None:
        async with talking(OPENAI) as (backend, server):
            message = {"role": "assistant", "content": "Hi", "reasoning_content": "hm"}
            whole = {
                "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
                "usage": {"prompt_tokens": 1},
            }
            server.on_json("POST", OPENAI.path, whole)
            reply = await reply_of(backend)
            assert (reply.text(), reply.reasoning(), reply.finished[0].reason) == ("Hi", "hm", "length")

    on_a_loop(talk)


def test_the_end_mark_alone_ends_a_reply() -> None:
    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.record("Hi"), b"data: [DONE]\n\n")) as (backend, _):
            reply = await reply_of(backend)
            assert (reply.text(), reply.finished[0].reason) == ("Hi", "other")

    on_a_loop(talk)


def test_text_completions_send_the_text_as_it_is() -> None:
    async def talk() -> None:
        body = await body_for(OPENAI_TEXT, Request(prompt="Once ", stop=("\n",)))
        assert (body["prompt"], body["stop"]) == ("Once ", ["\n"])

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("provider", "path", "answer", "size"),
    [
        ("openrouter", "/v1/models", {"data": [{"id": "a"}, {"id": "m", "context_length": 100}]}, 100),
        ("vllm", "/v1/models", {"data": [{"id": "m", "max_model_len": 200}]}, 200),
        ("llamacpp", "/props", {"default_generation_settings": {"n_ctx": 300}}, 300),
        ("tabby", "/v1/model", {"id": "m", "parameters": {"max_seq_len": 400}}, 400),
        ("lmstudio", "/api/v0/models", {"data": [{"id": "m", "loaded_context_length": 500}]}, 500),
        ("koboldcpp", "/api/extra/true_max_context_length", {"value": 600}, 600),
        ("custom", "/v1/models", {"data": [{"id": "m"}]}, None),
    ],
)
def test_the_context_size_is_found_where_each_server_tells_it(
    provider: str, path: str, answer: dict[str, Any], size: int | None
) -> None:
    async def talk() -> None:
        async with talking(OPENAI, provider=provider) as (backend, server):
            server.on_json("GET", path, answer)
            assert await backend.context_size() == size

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("provider", "path", "answer"),
    [
        ("llamacpp", "/tokenize", {"tokens": [1, 2, 3]}),
        ("vllm", "/tokenize", {"count": 3, "tokens": [1, 2, 3]}),
        ("tabby", "/v1/token/encode", {"length": 3}),
        ("koboldcpp", "/api/extra/tokencount", {"value": 3, "ids": [1, 2, 3]}),
    ],
)
def test_tokens_are_counted_where_a_server_counts(provider: str, path: str, answer: dict[str, Any]) -> None:
    async def talk() -> None:
        async with talking(OPENAI, provider=provider) as (backend, server):
            assert await backend.count_tokens("three tokens here") is None, "not there: no error"
            server.on_json("POST", path, answer)
            assert await backend.count_tokens("three tokens here") == 3

    on_a_loop(talk)


def test_the_key_and_headers_of_the_connection_are_sent() -> None:
    async def talk() -> None:
        headers = {"X-Title": "Mine", "X-Auth-Token": "T ${key}"}
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("ok")), provider="openrouter", headers=headers) as (
            backend,
            server,
        ):
            await reply_of(backend)
            sent = server.seen[0].headers
            assert sent["authorization"] == f"Bearer {KEY}"
            assert sent["x-auth-token"] == f"T {KEY}"
            assert sent["x-title"] == "Mine"
            assert sent["user-agent"].startswith("TavernDesktop/")

    on_a_loop(talk)


def test_without_a_key_no_header_of_it_is_sent() -> None:
    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("ok")), key="") as (backend, server):
            await reply_of(backend)
            assert "authorization" not in server.seen[0].headers

    on_a_loop(talk)


def test_a_setting_below_what_a_provider_takes_is_raised() -> None:
    async def talk() -> None:
        request = Request(messages=(PromptMessage("user", "Hi"),), settings=Generation(top_p=0.0))
        assert (await body_for(OPENAI, request, provider="deepseek"))["top_p"] == 1e-6
        assert (await body_for(OPENAI, request, provider="openai"))["top_p"] == 0

    on_a_loop(talk)


def test_who_makes_no_alternatives_is_asked_for_one_reply() -> None:
    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("one")), provider="llamacpp") as (backend, server):
            assert not backend.makes_alternatives
            await reply_of(backend, a_request(backend, count=3))
            assert "n" not in server.seen[0].json

    on_a_loop(talk)


def test_a_model_list_lies_where_the_provider_keeps_it() -> None:
    async def talk() -> None:
        async with talking(OPENAI) as (backend, server):
            server.on_json("GET", "/v1/models", {"data": [{"id": "b"}, {"id": "a", "name": "A"}, {"name": "odd"}]})
            assert [model.id for model in await backend.models()] == ["a", "b"]
            server.on_json("GET", "/v1/models", [{"id": "c"}])
            assert [model.id for model in await backend.models()] == ["c"]

    on_a_loop(talk)
