"""llama.cpp, KoboldCpp and Ollama by their own protocols."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.protocol import Status
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.backends.settings import Generation
from tavern_desktop.prompt.messages import PromptMessage, ToolCall
from tests.unit.backends.fake_server import Answer, FakeServer, Handler, Seen
from tests.unit.backends.talking import a_request, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import KOBOLDCPP, LLAMACPP, OLLAMA, OPENAI, OPENAI_TEXT, Wire

RECORDED = Path(__file__).with_name("recorded") / "koboldcpp-1.76"

SETTINGS = Generation(reply_tokens=20, context_tokens=2048, temperature=0.5, top_k=3, min_p=0.1, repetition_penalty=1.1,
                      repetition_range=64, presence_penalty=0.2, seed=7, stop=("\n",))  # fmt: skip


def replayed(name: str) -> Handler:
    """Answer with the bytes a real KoboldCpp 1.76 answered: HTTP 1.0, the end is the end of the connection."""
    raw = (RECORDED / f"{name}.http").read_bytes()

    async def handler(seen: Seen, answer: Answer) -> None:
        await answer.raw(raw)
        answer.drop()

    return handler


def recorded_koboldcpp(server: FakeServer) -> None:
    routes = {
        ("GET", "/api/v1/model"): "model",
        ("GET", "/api/extra/version"): "extra_version",
        ("GET", "/api/extra/true_max_context_length"): "true_max_context",
        ("GET", "/api/extra/perf"): "perf",
        ("POST", "/api/extra/tokencount"): "tokencount",
        ("POST", "/api/extra/abort"): "abort",
        ("POST", "/api/extra/generate/stream"): "generate_stream",
    }
    for (method, path), name in routes.items():
        server.on(method, path, replayed(name))


def test_a_real_koboldcpp_is_understood() -> None:
    async def talk() -> None:
        async with talking(KOBOLDCPP) as (backend, server):
            recorded_koboldcpp(server)
            reply = await reply_of(backend)
            assert reply.text().startswith(", it was believed that the most talented")
            assert (reply.finished[0].reason, reply.failed) == ("length", None)
            assert await backend.status() == Status("Fake", "koboldcpp/SmolLM2-135M-Instruct.Q4_1", 2048, "1.76")
            assert await backend.context_size() == 2048
            assert await backend.count_tokens("some text") == 11
            assert [model.id for model in await backend.models()] == ["koboldcpp/SmolLM2-135M-Instruct.Q4_1"]
            server.on("POST", KOBOLDCPP.path, replayed("bad_json"))
            failed = (await reply_of(backend)).failed
            assert failed is not None
            assert failed.sentence == "Fake failed (500 Internal Server Error): Error parsing input."

    on_a_loop(talk)


def test_a_real_koboldcpp_is_understood_by_openai_s_protocol_too() -> None:
    async def talk() -> None:
        async with talking(OPENAI, replayed("chat_stream"), provider="koboldcpp") as (backend, server):
            reply = await reply_of(backend)
            assert reply.text().startswith("The sea is a vast, unending")
            assert (reply.finished[0].reason, reply.model) == ("length", "koboldcpp/SmolLM2-135M-Instruct.Q4_1")
            server.on("POST", OPENAI.path, replayed("not_found"))
            failed = (await reply_of(backend)).failed
            assert failed is not None
            assert failed.kind == "not_found"
            assert "this endpoint does not exist" in failed.sentence

    on_a_loop(talk)


@pytest.mark.parametrize("ending", ["", "/", "/api", "/v1"])
def test_koboldcpp_is_found_whichever_address_is_copied(ending: str) -> None:
    async def talk() -> None:
        wire = Wire(**{**vars(KOBOLDCPP), "base": ending})
        async with talking(wire) as (backend, server):
            recorded_koboldcpp(server)
            assert await backend.context_size() == 2048

    on_a_loop(talk)


SENT = {
    LLAMACPP: {"n_predict": 20, "temperature": 0.5, "top_k": 3, "min_p": 0.1, "repeat_penalty": 1.1,
               "repeat_last_n": 64, "presence_penalty": 0.2, "seed": 7, "stop": ["\n"], "prompt": "Hi",
               "cache_prompt": True},
    KOBOLDCPP: {"max_length": 20, "max_context_length": 2048, "temperature": 0.5, "top_k": 3, "min_p": 0.1,
                "rep_pen": 1.1, "rep_pen_range": 64, "presence_penalty": 0.2, "sampler_seed": 7,
                "stop_sequence": ["\n"], "prompt": "Hi"},
}  # fmt: skip


@pytest.mark.parametrize("wire", SENT, ids=["llamacpp", "koboldcpp"])
def test_settings_go_out_under_the_server_s_names(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.reply("ok"))) as (backend, server):
            await reply_of(backend, a_request(backend, settings=SETTINGS))
            assert SENT[wire].items() <= server.asked(wire.path)[0].json.items()

    on_a_loop(talk)


MORE = {
    LLAMACPP: {"dry_multiplier": 0.8, "mirostat": 2, "grammar": "root ::= x"},
    KOBOLDCPP: {"dry_multiplier": 0.8, "mirostat": 2, "grammar": "root ::= x", "tfs": 0.9},
    OPENAI_TEXT: {"dry_multiplier": 0.8, "mirostat_mode": 2, "grammar_string": "root ::= x", "tfs": 0.9},
    OPENAI: {},
}


@pytest.mark.parametrize("wire", MORE, ids=lambda wire: wire.protocol)
def test_samplers_of_a_preset_go_to_servers_of_text_that_know_them(wire: Wire) -> None:
    samplers = {"dry_multiplier": 0.8, "mirostat_mode": 2, "grammar_string": "root ::= x", "tfs": 0.9, "top_a": 0.1}

    async def talk() -> None:
        async with talking(wire, sends(wire, wire.reply("ok")), off=("top_a",)) as (backend, server):
            await reply_of(backend, a_request(backend, settings=Generation(samplers=samplers)))
            sent = server.asked(wire.path)[0].json
            names = {"dry_multiplier", "mirostat", "mirostat_mode", "grammar", "grammar_string", "tfs", "top_a"}
            assert {name: sent[name] for name in names if name in sent} == MORE[wire]

    on_a_loop(talk)


def test_llama_cpp_tells_of_itself() -> None:
    async def talk() -> None:
        async with talking(LLAMACPP, model="") as (backend, server):
            props = {
                "default_generation_settings": {"n_ctx": 4096},
                "model_path": "C:\\models\\a.gguf",
                "build_info": "b1",
            }
            server.on_json("GET", "/props", props)
            server.on_json("POST", "/apply-template", {"prompt": "<s>Hi"})
            server.on_json("POST", "/tokenize", {"tokens": [1, 2]})
            assert await backend.status() == Status("Fake", "a.gguf", 4096, "b1")
            assert await backend.apply_template([PromptMessage("user", "Hi")]) == "<s>Hi"
            assert server.asked("/apply-template")[0].json == {"messages": [{"role": "user", "content": "Hi"}]}
            assert await backend.count_tokens("Hi") == 2

    on_a_loop(talk)


@pytest.mark.parametrize(
    ("flag", "reason"), [("stopped_limit", "length"), ("stopped_word", "stop"), ("stopped_eos", "stop")]
)
def test_older_llama_cpp_says_the_end_by_flags(flag: str, reason: str) -> None:
    async def talk() -> None:
        end = LLAMACPP.framed(f'{{"content":"","stop":true,"{flag}":true}}')
        async with talking(LLAMACPP, sends(LLAMACPP, LLAMACPP.record("a"), end)) as (backend, _):
            assert (await reply_of(backend)).finished[0].reason == reason

    on_a_loop(talk)


def test_a_chat_protocol_and_a_text_protocol_say_what_they_take() -> None:
    async def talk() -> None:
        async with talking(LLAMACPP) as (backend, _):
            failed = (await reply_of(backend, Request(messages=(PromptMessage("user", "Hi"),)))).failed
            assert failed is not None
            assert failed.sentence == "Fake takes one text, not messages."

    on_a_loop(talk)


def test_ollama_takes_messages_with_all_they_hold(tmp_path: Path) -> None:
    picture = tmp_path / "p.gif"
    picture.write_bytes(b"GIF89a")
    messages = (
        PromptMessage("user", "Look", images=(picture,)),
        PromptMessage("assistant", "", tool_calls=(ToolCall("c1", "dice", '{"n":2}'),)),
        PromptMessage("tool", "7", tool_call_id="c1"),
    )
    tool = Tool("dice", "Rolls", {"type": "object"})

    async def talk() -> None:
        async with talking(OLLAMA, sends(OLLAMA, OLLAMA.reply("ok"))) as (backend, server):
            await reply_of(backend, Request(messages=messages, settings=SETTINGS, tools=(tool,)))
            body = server.seen[0].json
            assert body["options"] == {
                "num_predict": 20, "num_ctx": 2048, "temperature": 0.5, "top_k": 3, "min_p": 0.1, "repeat_penalty": 1.1,
                "repeat_last_n": 64, "presence_penalty": 0.2, "seed": 7, "stop": ["\n"],
            }  # fmt: skip
            user, assistant, result = body["messages"]
            assert user["images"] == ["R0lGODlh"]
            assert assistant["tool_calls"] == [{"function": {"name": "dice", "arguments": {"n": 2}}}]
            assert result == {"role": "tool", "content": "7", "tool_name": "dice"}
            assert body["tools"][0]["function"]["name"] == "dice"
            assert "think" not in body

    on_a_loop(talk)


def test_ollama_takes_one_text_as_it_is() -> None:
    async def talk() -> None:
        lines = b'{"response":"a","done":false}\n{"response":"b","done":true,"done_reason":"length"}\n'
        async with talking(OLLAMA) as (backend, server):
            server.on("POST", "/api/generate", sends(OLLAMA, lines))
            reply = await reply_of(backend, Request(prompt="Once ", settings=Generation(reasoning_effort="min")))
            assert (reply.text(), reply.finished[0].reason) == ("ab", "length")
            body = server.seen[0].json
            assert (body["prompt"], body["raw"], body["think"]) == ("Once ", True, False)

    on_a_loop(talk)


def test_ollama_s_reasoning_calls_and_speed_become_events() -> None:
    lines: list[dict[str, Any]] = [
        {"model": "q", "message": {"thinking": "hm"}},
        {"message": {"content": "Let me", "tool_calls": [{"function": {"name": "dice", "arguments": {"n": 2}}}]}},
        {"message": {"tool_calls": [{"function": {"name": "coin", "arguments": {}}}]}},
        {"done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 10, "eval_duration": 2_000_000_000},
    ]

    async def talk() -> None:
        async with talking(OLLAMA, sends(OLLAMA, *(json.dumps(line).encode() + b"\n" for line in lines))) as (
            backend,
            _,
        ):
            reply = await reply_of(backend)
            assert (reply.model, reply.reasoning(), reply.text()) == ("q", "hm", "Let me")
            assert reply.tool_calls() == (ToolCall("call_0", "dice", '{"n": 2}'), ToolCall("call_1", "coin", "{}"))
            assert (reply.finished[0].reason, reply.usage.tokens_per_second) == ("tool_calls", 5.0)

    on_a_loop(talk)


def test_ollama_tells_of_itself() -> None:
    async def talk() -> None:
        async with talking(OLLAMA, model="") as (backend, server):
            server.on_json("GET", "/api/version", {"version": "0.9"})
            server.on_json("GET", "/api/ps", {"models": [{"name": "llama3:8b"}]})
            server.on_json("GET", "/api/tags", {"models": [{"name": "b"}, {"name": "a"}]})
            server.on_json("POST", "/api/show", {"model_info": {"llama.context_length": 8192}})
            assert await backend.status() == Status("Fake", "llama3:8b", 8192, "0.9")
            assert [model.id for model in await backend.models()] == ["a", "b"]
            assert server.asked("/api/show")[0].json == {"model": "llama3:8b"}

    on_a_loop(talk)


@pytest.mark.parametrize("wire", [LLAMACPP, KOBOLDCPP, OLLAMA], ids=lambda wire: wire.protocol)
def test_a_question_to_a_server_that_is_not_there_raises_the_sentence(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire) as (backend, _):
            pass
        for ask in (backend.status, backend.models):
            with pytest.raises(BackendError, match="cannot be reached"):
                await ask()

    on_a_loop(talk)


def test_what_was_said_before_a_stop_string_ends_a_reply_is_all_there_is() -> None:
    async def talk() -> None:
        async with talking(KOBOLDCPP, sends(KOBOLDCPP, KOBOLDCPP.record("a"), KOBOLDCPP.record("b"))) as (
            backend,
            server,
        ):
            server.on_json("GET", "/api/extra/perf", {"stop_reason": 2, "last_token_count": 2})
            reply = await reply_of(backend)
            assert (reply.finished[0].reason, reply.finished[0].raw, reply.usage.reply) == ("stop", "word", 2)
            assert not server.asked("/api/extra/abort")

    on_a_loop(talk)
