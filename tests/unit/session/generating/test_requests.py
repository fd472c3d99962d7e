"""What goes over the network for a reply, and what does not; models that run here; what is then known of a server."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tavern_desktop.backends.connection import Connection
from tavern_desktop.backends.errors import BackendError, Kind
from tavern_desktop.backends.events import Event, Failed, Text
from tavern_desktop.backends.settings import Generation
from tavern_desktop.chat.message import Message
from tavern_desktop.library.personas import Persona
from tavern_desktop.prompt import history
from tavern_desktop.prompt.messages import PromptError
from tavern_desktop.prompt.tokens import IMAGE
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.scenes import Asked, ChatChoices
from tavern_desktop.session.generating.task import NoModel, Prompted
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.own_folders import OwnFolders
from tests.model_server import SECONDS, ModelServer
from tests.tiny_model import make_tiny_model
from tests.unit.session.chats import raw, reply, user

WORDS = "The ferry is late again and the lamp turns. " * 4
REPLY_PATH = "/v1/chat/completions"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


class Program:
    """A chat, and what talks to servers."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.folder = folder
        self.runner = PlainRunner()
        self.servers = ModelServers(self.runner, OwnFolders(folder, folder, folder), None, frame=0)
        self.connection = Connection(
            id="c", name="Here", protocol="openai", provider="llamacpp", url=server.url, model="tiny"
        )
        self._server = server

    def connect(self, **changes: Any) -> None:
        self.connection = msgspec.structs.replace(self.connection, **changes)
        self.servers.connections.put(self.connection)

    def asked(self, messages: int = 3, **metadata: Any) -> Asked:
        records = [user(WORDS) if number % 2 == 0 else reply(WORDS) for number in range(messages)]
        read = tuple(Message.read(map(raw, records)))
        path = self.folder / "chats" / "Mira" / "talk.jsonl"
        return Asked(path, metadata, read, len(read), "reply", Speaker("Mira"), Persona("Ana"))

    def reply(self, asked: Asked, *texts: str) -> list[Event | Prompted]:
        """Ask for a reply, let it be these texts, and return what came."""
        came: list[Event | Prompted] = []
        future = self.servers.submit(self.servers.produce(asked)(came.append))
        self._server.wait_for_request()
        self._server.say(*texts)
        self._server.end()
        future.result(SECONDS)
        return came

    def until(self, condition: Callable[[], bool]) -> None:
        assert self.runner.run_until(condition, SECONDS)


def room(came: list[Event | Prompted]) -> int:
    """Return how many tokens prompt and reply could have."""
    (prompted,) = [event for event in came if isinstance(event, Prompted)]
    return prompted.prompt.context


@pytest.fixture
def program(tmp_path: Path, server: ModelServer) -> Iterator[Program]:
    made = Program(tmp_path, server)
    yield made
    made.servers.close()


def test_after_the_first_nothing_but_the_request_goes_out(program: Program, server: ModelServer) -> None:
    program.connect()
    came = program.reply(program.asked(), "Yes.")
    assert any(isinstance(event, Text) for event in came)
    before = len(server.paths)
    program.reply(program.asked(), "Yes.")
    assert server.paths[before:] == [REPLY_PATH]


def test_what_was_asked_beforehand_is_not_asked_again(program: Program, server: ModelServer) -> None:
    program.connect()
    program.servers.submit(program.servers.warm_up(program.connection)).result(SECONDS)
    program.until(lambda: program.servers.reaches.of("c").state == "connected")
    assert program.servers.reaches.of("c").context == 4096
    before = len(server.paths)
    program.reply(program.asked(), "Yes.")
    assert server.paths[before:] == [REPLY_PATH]


@pytest.mark.parametrize(("kind", "state"), [("silent", "unknown"), ("busy", "unknown"), ("key", "failed")])
def test_a_server_that_is_slow_to_speak_of_itself_has_not_failed(
    program: Program, monkeypatch: pytest.MonkeyPatch, kind: Kind, state: str
) -> None:
    async def refused(*_: object) -> None:
        raise BackendError(kind, "It does not say.")

    program.connect()
    monkeypatch.setattr(program.servers.requests, "know", refused)
    program.servers.submit(program.servers.warm_up(program.connection)).result(SECONDS)
    program.runner.run_until_idle()
    assert program.servers.reaches.of("c").state == state


def test_a_full_prompt_is_counted_once_and_shortened_by_the_count(program: Program, server: ModelServer) -> None:
    program.connect(generation=Generation(reply_tokens=100))
    server.count(6000)
    came = program.reply(program.asked(400), "Yes.")
    assert server.paths.count("/tokenize") == 1
    (prompted,) = [event for event in came if isinstance(event, Prompted)]
    assert prompted.prompt.tokens < 4096
    # Reckoned as the server counts, it is two thirds as long as the one that was counted.
    sent = sum(len(message["content"]) for message in server.asked[0]["messages"])
    assert sent < 4096 * 3.35 * 0.75


def test_a_prompt_with_room_to_spare_is_not_counted(program: Program, server: ModelServer) -> None:
    program.connect()
    server.count(6000)
    program.reply(program.asked(), "Yes.")
    assert "/tokenize" not in server.paths


def test_a_model_that_sees_nothing_gets_the_texts_alone(
    program: Program, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.connect()
    server.refuse_pictures()
    picture = program.folder / "a.png"
    picture.write_bytes(b"\x89PNG")
    monkeypatch.setattr(history, "_images", lambda data, scene: (picture,))
    came = program.reply(program.asked(), "Yes.")
    assert not [event for event in came if isinstance(event, Failed)]
    assert [type(request["messages"][-1]["content"]) for request in server.asked] == [list, str]
    came = program.reply(program.asked(), "Yes.")
    assert isinstance(server.asked[-1]["messages"][-1]["content"], str)
    assert len(server.asked) == 3
    (prompted,) = [event for event in came if isinstance(event, Prompted)]
    left_out = [left for left in prompted.prompt.left_out if left.source == "pictures"]
    assert {left.first for left in left_out} == {0, 1, 2}
    assert {left.reason for left in left_out} == {"the model sees no pictures"}
    assert prompted.prompt.tokens < IMAGE


def test_a_reply_shows_that_the_server_is_there_and_a_failure_that_it_is_not(
    program: Program, server: ModelServer
) -> None:
    program.connect(name="Here")
    program.reply(program.asked(), "Yes.")
    program.until(lambda: program.servers.reaches.of("c").state == "connected")
    server.unplug()
    program.servers.http.first_wait = 0.001
    came: list[Event | Prompted] = []
    program.servers.submit(program.servers.produce(program.asked())(came.append)).result(SECONDS)
    (failed,) = [event for event in came if isinstance(event, Failed)]
    program.until(lambda: program.servers.reaches.of("c").state == "failed")
    reach = program.servers.reaches.of("c")
    assert (reach.sentence, reach.kind) == (failed.sentence, "unreachable")


def test_a_server_that_may_be_another_one_by_now_is_asked_again(program: Program, server: ModelServer) -> None:
    """It was started anew with a larger context, say, and with a model that sees pictures."""
    program.connect()
    program.reply(program.asked(), "Yes.")
    server.speak_of_context(16384)
    assert room(program.reply(program.asked(), "Yes.")) == 4096
    program.servers.submit(program.servers.try_again(program.connection)).result(SECONDS)
    assert room(program.reply(program.asked(), "Yes.")) == 16384


def test_several_are_wished_for_only_where_the_server_makes_several(program: Program, server: ModelServer) -> None:
    program.connect(provider="")
    future = program.servers.submit(program.servers.produce(program.asked(), 3)(lambda event: None))
    server.wait_for_request()
    server.end()
    future.result(SECONDS)
    assert "n" not in server.asked[0]


def test_the_settings_of_the_chat_come_before_those_of_the_connection(program: Program, server: ModelServer) -> None:
    program.connect(generation=Generation(temperature=0.5, top_p=0.9))
    own = {"tavern_desktop": {"generation": {"temperature": 1.5}}}
    program.reply(program.asked(**own), "Yes.")
    assert (server.asked[0]["temperature"], server.asked[0]["top_p"]) == (1.5, 0.9)


def test_the_connection_that_is_asked_for_this_once_comes_before_the_one_in_use(
    program: Program, server: ModelServer
) -> None:
    program.connect()
    other = msgspec.structs.replace(program.connection, id="d", name="Other", model="other")
    program.servers.connections.put(other)
    program.servers.connections.choose("c")
    asked = program.asked()
    program.reply(asked, "Yes.")
    program.reply(dataclasses.replace(asked, connection="Other"), "Yes.")
    assert [body["model"] for body in server.asked] == ["tiny", "other"]


def test_a_template_of_one_s_own_writes_the_text_and_stops_it(program: Program, server: ModelServer) -> None:
    own = 'name = "Mine"\nstop = ["</s>"]\n' + "".join(
        f'[{role}]\nbefore = "<{role}>"\n' for role in ("system", "user", "assistant")
    )
    program.connect(protocol="openai-text", provider="", template=own)
    _, request = program.servers.submit(program.servers.requests.prompt(program.asked(1))).result(SECONDS)
    assert request.prompt.endswith(f"<user>{WORDS}<assistant>")
    assert request.stop == ("</s>",)


def test_looking_at_a_prompt_starts_no_model_and_a_reply_does(program: Program, tmp_path: Path) -> None:
    file = make_tiny_model(tmp_path / "tiny.gguf")
    program.connect(protocol="local", provider="", url="", model=str(file), generation=Generation(reply_tokens=8))
    heard: list[str] = []
    program.servers.reaches.changed.connect(lambda id: heard.append(program.servers.reaches.of(id).state))
    prompt, _ = program.servers.submit(program.servers.requests.prompt(program.asked())).result(SECONDS)
    assert prompt.parts
    assert heard == []
    came: list[Event | Prompted] = []
    program.servers.submit(program.servers.produce(program.asked())(came.append)).result(SECONDS)
    assert any(isinstance(event, Text) for event in came)
    program.until(lambda: "connected" in heard)
    assert heard[0] == "loading"


def test_a_model_file_that_is_none_is_a_sentence(program: Program, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"no model")
    program.connect(protocol="local", provider="", url="", model=str(wrong))
    future = program.servers.submit(program.servers.produce(program.asked())(lambda event: None))
    with pytest.raises(Exception, match="is no model file"):
        future.result(SECONDS)
    program.until(lambda: program.servers.reaches.of("c").state == "failed")


def test_without_a_connection_there_is_no_model(program: Program) -> None:
    assert program.servers.connection_for(ChatChoices()) is None
    with pytest.raises(NoModel):
        program.servers.submit(program.servers.produce(program.asked())(lambda event: None)).result(SECONDS)


def test_after_the_end_nothing_is_asked_any_more(program: Program) -> None:
    program.servers.close()
    told: list[object] = []
    assert program.servers.ask(program.servers.try_out(program.connection), told.append).cancelled()
    assert told == []


def with_tools(program: Program) -> None:
    program.connect()
    program.servers.permissions.offer(is_on=True)


def test_tools_are_told_of_only_where_they_are_on_and_may_be_called(program: Program, server: ModelServer) -> None:
    program.connect()
    asked = dataclasses.replace(program.asked(), may_call=True)
    program.reply(asked, "Yes.")
    program.servers.permissions.offer(is_on=True)
    program.servers.permissions.switch("roll_dice", is_on=False)
    came = program.reply(asked, "Yes.")
    program.reply(program.asked(), "Yes.")
    assert ["tools" in body for body in server.asked] == [False, True, False]
    names = {tool["function"]["name"] for tool in server.asked[1]["tools"]}
    assert "show_table" in names
    assert "roll_dice" not in names
    assert server.asked[1]["tool_choice"] == "auto"
    (prompted,) = [event for event in came if isinstance(event, Prompted)]
    assert {tool.name for tool in prompted.tools} == names


def test_earlier_calls_are_sent_with_their_tools_though_none_may_be_called(
    program: Program, server: ModelServer
) -> None:
    with_tools(program)
    caller = reply("Let me look.") | {"tool_calls": [{"id": "a", "function": {"name": "x", "arguments": "{}"}}]}
    result = {"name": "x", "is_user": False, "is_system": True, "role": "tool", "tool_call_id": "a", "mes": "4"}
    messages = tuple(Message.read(map(raw, [user("Roll."), caller, result])))
    asked = dataclasses.replace(program.asked(), messages=messages, end=3)
    program.reply(asked, "Four.")
    assert (server.asked[0]["tool_choice"], bool(server.asked[0]["tools"])) == ("none", True)
    assert server.asked[0]["messages"][-1] == {"role": "tool", "content": "4", "tool_call_id": "a"}
    program.connect(generation=Generation(leaves_out_old_tools=True))
    later = tuple(Message.read(map(raw, [user("Roll."), caller, result, user("And now?")])))
    program.reply(dataclasses.replace(asked, messages=later, end=4), "Five.")
    assert "tools" not in server.asked[1]
    assert [message["role"] for message in server.asked[1]["messages"]][-3:] == ["user", "assistant", "user"]


def test_tools_that_leave_no_room_are_named_and_nothing_is_sent(program: Program, server: ModelServer) -> None:
    program.connect(generation=Generation(context_tokens=600, reply_tokens=50))
    program.servers.permissions.offer(is_on=True)
    asked = dataclasses.replace(program.asked(), may_call=True)
    with pytest.raises(PromptError, match="offer fewer of them"):
        program.servers.submit(program.servers.produce(asked)(lambda event: None)).result(SECONDS)
    assert server.asked == []
