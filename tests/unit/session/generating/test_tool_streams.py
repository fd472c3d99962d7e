"""Replies that call tools through the whole engine, by every protocol that has tools: whole, and cut anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.chat.facts import Record
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating import tool_offers
from tavern_desktop.session.generating.generations import Generations
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.tools.definition import Tool, ToolContext, ToolResult
from tests.unit.backends.fake_server import Answer, FakeServer, Seen
from tests.unit.backends.wires import ANTHROPIC, GEMINI, OLLAMA, OPENAI, Wire
from tests.unit.session.chats import reply, user, write

SECONDS = 60.0
GIVEN = {"n": 4, "of": "Würfel 🎲"}
ARGUMENTS = json.dumps(GIVEN, ensure_ascii=False)
STEP = 4
"""Bytes between two cuts; the long form of the test cuts after every one."""


def framed(wire: Wire, *records: Any) -> bytes:
    return b"".join(wire.framed(json.dumps(record, ensure_ascii=False)) for record in records)


def of_openai() -> bytes:
    def part(**fields: Any) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **fields}]}}]}

    half = len(ARGUMENTS) // 2
    records = [
        part(id="c1", function={"name": "dice", "arguments": ARGUMENTS[:half]}),
        part(function={"arguments": ARGUMENTS[half:]}),
    ]
    end = framed(OPENAI, {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}) + b"data: [DONE]\n\n"
    return OPENAI.record("Ich würfle.") + framed(OPENAI, *records) + end


def of_ollama() -> bytes:
    call = {"function": {"name": "dice", "arguments": GIVEN}}
    records = [
        {"message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": False},
        {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"},
    ]
    return OLLAMA.record("Ich würfle.") + framed(OLLAMA, *records)


def of_anthropic() -> bytes:
    def delta(index: int, **fields: str) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": fields}

    half = len(ARGUMENTS) // 2
    records = [
        {"type": "message_start", "message": {"model": "m"}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        delta(0, thinking="Hm. "),
        delta(0, signature="SEAL"),
        delta(1, text="Ich würfle."),
        {"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "c1", "name": "dice"}},
        delta(2, partial_json=ARGUMENTS[:half]),
        delta(2, partial_json=ARGUMENTS[half:]),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    return framed(ANTHROPIC, *records)


def of_gemini() -> bytes:
    def part(**fields: Any) -> dict[str, Any]:
        return {"candidates": [{"content": {"role": "model", "parts": [fields]}}]}

    records = [
        part(text="Ich würfle."),
        part(functionCall={"name": "dice", "args": GIVEN}, thoughtSignature="SEAL"),
        {"candidates": [{"finishReason": "STOP"}]},
    ]
    return framed(GEMINI, *records)


STREAMS: dict[str, tuple[Wire, Callable[[], bytes]]] = {
    "openai": (OPENAI, of_openai),
    "ollama": (OLLAMA, of_ollama),
    "anthropic": (ANTHROPIC, of_anthropic),
    "gemini": (GEMINI, of_gemini),
}


class Engine:
    """All of the program between a chat and a socket. The server says `first` of a reply that was just asked for."""

    def __init__(self, wire: Wire, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wire = wire
        self.first = b""
        self.drops = False
        self.ran = 0
        self.asked: list[Any] = []
        self.runner = PlainRunner()
        self._loop = LoopThread()
        self._server = FakeServer()
        self._server.on("POST", wire.path, self._answer)
        self._on_loop(self._server.__aenter__)
        self.servers = ModelServers(self.runner, own_folders(), folder, frame=0)
        self.servers.http.first_wait = 0.001  # what brought nothing at all is asked for again
        connection = Connection(
            id="c", name="Here", protocol=wire.protocol, url=self._server.url + wire.base, model="m"
        )
        self.servers.connections.put(connection)
        self.servers.permissions.offer(is_on=True)
        monkeypatch.setattr(tool_offers, "own_tools", lambda config: [self._dice()])
        self.chats = OpenChats(self.runner, folder / "recovery", preview_limit=0)
        self.generations = Generations(self.chats, lambda: self.servers)
        path = write(folder / "chats" / "Mira" / "talk.jsonl", [user("u0"), reply("a1", "b1"), user("u2")])
        self.session: ChatSession = self.chats.open(path)
        self.runner.run_until_idle()

    def close(self) -> None:
        self.servers.close()
        self._on_loop(lambda: self._server.__aexit__(None, None, None))
        self._loop.close()

    def turn(self, first: bytes, *, drops: bool = False) -> GenerationTask:
        """Have a reply written whose stream is `first` and then ends, by a closed socket if it `drops`."""
        self.first, self.drops, self.ran = first, drops, 0
        self.asked.clear()
        task = self.generations.start(self.session, "reply", Speaker("Mira"), Persona("Ana"))
        assert self.runner.run_until(lambda: not self.generations.running(), SECONDS)
        return task

    def rows(self) -> list[Record]:
        """What came into the chat."""
        assert self.session.chat is not None
        return [message.data() for message in self.session.chat.messages[3:]]

    def take_back(self) -> None:
        while self.rows():
            self.session.undo()

    def _dice(self) -> Tool:
        async def run(given: dict[str, Any], context: ToolContext) -> ToolResult:
            self.ran += 1
            assert given == GIVEN
            return ToolResult("Vier.")

        schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "of"]}
        return Tool("dice", "dice", "Dice", "", schema, run, asks_first=False)

    async def _answer(self, seen: Seen, answer: Answer) -> None:
        self.asked.append(seen.json)
        await answer.head(content_type=self.wire.content_type)
        is_second = b"Vier." in seen.body
        await answer.piece(self.wire.reply("Eine Vier.") if is_second else self.first)
        if self.drops and not is_second:
            answer.drop()
        else:
            await answer.end()

    def _on_loop(self, work: Callable[[], Any]) -> None:
        async def whole() -> None:
            await work()

        self._loop.submit(whole()).result(SECONDS)


@pytest.fixture(params=STREAMS)
def engine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    made = Engine(STREAMS[request.param][0], tmp_path, monkeypatch)
    yield made
    made.close()


def whole_stream(engine: Engine) -> bytes:
    return STREAMS[engine.wire.protocol][1]()


def test_a_whole_turn_goes_out_and_comes_back(engine: Engine) -> None:
    task = engine.turn(whole_stream(engine))
    assert (task.state, engine.ran) == ("done", 1)
    caller, result, said = engine.rows()
    assert (caller["mes"], result["mes"], said["mes"]) == ("Ich würfle.", "Vier.", "Eine Vier.")
    (call,) = caller["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == GIVEN
    assert result["tool_call_id"] == call["id"]
    second = json.dumps(engine.asked[1], ensure_ascii=False)
    assert "Würfel 🎲" in second
    assert ("SEAL" in second) is (engine.wire in (ANTHROPIC, GEMINI))


def test_what_was_signed_is_kept_and_goes_only_to_its_own_model(engine: Engine) -> None:
    if engine.wire not in (ANTHROPIC, GEMINI):
        return
    engine.turn(whole_stream(engine))
    engine.session.save_now()
    assert engine.runner.run_until(lambda: engine.session.save_state.kind == "saved", SECONDS)
    assert b"SEAL" in engine.session.path.read_bytes()
    assert engine.runner.run_until(lambda: not engine.generations.running(), SECONDS)
    same = engine.servers.connections.find("c")
    for model, is_sent in (("m", True), ("other", False)):
        engine.wire = replace(engine.wire, path=engine.wire.path.replace("/m:", f"/{model}:"))
        engine._server.on("POST", engine.wire.path, engine._answer)
        engine.servers.connections.put(Connection(**{**_fields(same), "model": model}))
        engine.turn(engine.wire.reply("Nun."))
        assert ("SEAL" in json.dumps(engine.asked[0])) is is_sent


def _fields(connection: Connection) -> dict[str, Any]:
    return {name: getattr(connection, name) for name in Connection.__struct_fields__}


def test_a_cut_anywhere_runs_no_tool_and_keeps_what_was_said(engine: Engine, is_full: bool) -> None:
    whole = whole_stream(engine)
    step = 1 if is_full else STEP
    finished = 0
    for at in range(0, len(whole), step):
        task = engine.turn(whole[:at], drops=bool(at // step % 2))
        rows = engine.rows()
        if task.state == "done":  # nothing but the end mark is missing
            finished += 1
            assert (engine.ran, [row["mes"] for row in rows]) == (1, ["Ich würfle.", "Vier.", "Eine Vier."])
        else:
            assert (task.state, engine.ran) == ("failed", 0)
            assert len(rows) <= 1
            assert all("tool_calls" not in row and "Ich würfle.".startswith(row["mes"].rstrip("�")) for row in rows)
            assert all("SEAL" not in call for row in rows for call in row.get("tool_calls", ()))
        engine.take_back()
    assert finished <= len(whole) // step // 4
    assert engine.turn(whole).state == "done"
