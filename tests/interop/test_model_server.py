"""A real llama.cpp server with a tiny model, started as the program starts one: every protocol it speaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import msgspec
import pytest

from tavern_desktop.backends.connection import Connection, Secrets
from tavern_desktop.backends.discovery import discover
from tavern_desktop.backends.errors import BackendError
from tavern_desktop.backends.events import Event, Progress, Text
from tavern_desktop.backends.gathered import Gathered
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.protocol import Backend
from tavern_desktop.backends.request import Request, Tool
from tavern_desktop.backends.settings import Generation
from tavern_desktop.backends.transport import Http
from tavern_desktop.backends.trying import try_out
from tavern_desktop.prompt.messages import PromptMessage
from tavern_desktop.session.local_model import LocalModel
from tavern_desktop.storage.own_folders import OwnFolders
from tavern_desktop.tools.checking import read_arguments
from tests.tiny_model import make_tiny_model

HELLO = (PromptMessage("system", "You keep a lighthouse."), PromptMessage("user", "Hello, keeper!"))
SHORT = Generation(reply_tokens=24, temperature=0.8, seed=3)
LONG = Generation(reply_tokens=100_000)

Talk = Callable[[Callable[[Backend], Awaitable[Any]]], Any]


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Connection, Secrets]]:
    folder = tmp_path_factory.mktemp("model")
    model = LocalModel(OwnFolders(folder, folder, folder))
    file = make_tiny_model(folder / "tiny.gguf")
    settings = Generation(context_tokens=4096)
    yield model.ready(Connection(id="1", name="Real", protocol="local", model=str(file), generation=settings))
    model.close()


@pytest.fixture(params=["openai", "openai-text", "llamacpp", "anthropic"])
def talk(request: pytest.FixtureRequest, reached: tuple[Connection, Secrets]) -> Talk:
    return talk_by(request.param, *reached)


def talk_by(protocol: str, connection: Connection, secrets: Secrets) -> Talk:
    """Return what opens a backend by a protocol and has a coroutine talk to it."""
    if protocol == "anthropic":
        connection = msgspec.structs.replace(connection, headers={"Authorization": "Bearer ${key}"})
    connection = msgspec.structs.replace(connection, protocol=protocol)

    def talk(conversation: Callable[[Backend], Awaitable[Any]]) -> Any:
        async def whole() -> Any:
            http = Http()
            try:
                return await conversation(open_backend(connection, secrets, http))
            finally:
                await http.aclose()

        return asyncio.run(whole())

    return talk


def ask(backend: Backend, settings: Generation = SHORT, **fields: Any) -> Request:
    if backend.takes_messages:
        return Request(messages=HELLO, settings=settings, **fields)
    return Request(prompt="The old keeper", settings=settings, **fields)


async def reply_to(backend: Backend, request: Request) -> Gathered:
    gathered = Gathered()
    async with contextlib.aclosing(backend.stream(request)) as events:
        async for event in events:
            gathered.take(event)
    assert gathered.failed is None
    return gathered


def test_it_writes_and_counts(talk: Talk) -> None:
    reply: Gathered = talk(lambda backend: reply_to(backend, ask(backend)))
    assert reply.text()
    assert reply.finished[0].reason in ("stop", "length")
    assert reply.usage.reply is not None
    assert 0 < reply.usage.reply <= 24
    assert reply.usage.prompt is not None


def test_it_tells_of_itself_and_has_the_model(talk: Talk) -> None:
    status = talk(try_out)
    assert status.model == "tiny"


def test_a_stop_string_ends_a_reply(talk: Talk) -> None:
    async def conversation(backend: Backend) -> Gathered:
        return await reply_to(backend, ask(backend, LONG, stop=(" ",)))

    reply: Gathered = talk(conversation)
    assert " " not in reply.text()
    assert reply.finished[0].reason == "stop"


def test_a_stop_frees_the_server_at_once(talk: Talk) -> None:
    async def conversation(backend: Backend) -> Gathered:
        # More replies than it has places for: only one that was really stopped leaves its place to the next.
        for _ in range(4):
            async with contextlib.aclosing(backend.stream(ask(backend, LONG))) as events:
                async for event in events:
                    if isinstance(event, Text):
                        break
        return await reply_to(backend, ask(backend))

    assert talk(conversation).text()


def test_two_replies_come_at_once(talk: Talk) -> None:
    async def conversation(backend: Backend) -> list[Gathered]:
        return await asyncio.gather(*(reply_to(backend, ask(backend)) for _ in range(2)))

    assert all(reply.text() for reply in talk(conversation))


@pytest.mark.parametrize("protocol", ["openai", "openai-text", "llamacpp"])
def test_tokens_templates_and_the_context_are_the_server_s(protocol: str, reached: tuple[Connection, Secrets]) -> None:
    async def conversation(backend: Backend) -> tuple[Any, ...]:
        text = await backend.apply_template(HELLO)
        begun = PromptMessage("assistant", "Well,", is_prefill=True)
        continued = await backend.apply_template((*HELLO, begun))
        return await backend.context_size(), await backend.count_tokens(" the rain"), text, continued

    context, tokens, text, continued = talk_by(protocol, *reached)(conversation)
    assert (context, tokens) == (4096, 2)
    assert text.endswith("Hello, keeper!<|im_end|>\n<|im_start|>assistant\n")
    assert continued == f"{text}Well,"


def test_a_reply_is_continued(reached: tuple[Connection, Secrets]) -> None:
    async def conversation(backend: Backend) -> list[Event]:
        begun = PromptMessage("assistant", "The old clock", is_prefill=True)
        request = Request(messages=(*HELLO, begun), settings=Generation(reply_tokens=3, temperature=0))
        async with contextlib.aclosing(backend.stream(request)) as events:
            return [event async for event in events]

    events = talk_by("openai", *reached)(conversation)
    text = "".join(event.text for event in events if isinstance(event, Text))
    assert text == " ticks, and"
    assert any(isinstance(event, Progress) for event in events)


def test_a_prompt_that_is_too_long_says_so(talk: Talk) -> None:
    async def conversation(backend: Backend) -> Gathered:
        long = "rain " * 6000
        request = Request(messages=(PromptMessage("user", long),)) if backend.takes_messages else Request(prompt=long)
        gathered = Gathered()
        async for event in backend.stream(request):
            gathered.take(event)
        return gathered

    failed = talk(conversation).failed
    assert failed is not None
    assert failed.kind == "too_long"


def test_a_wrong_key_is_told(reached: tuple[Connection, Secrets]) -> None:
    connection, _ = reached
    with pytest.raises(BackendError, match="Real does not accept the key") as caught:
        talk_by("openai", connection, Secrets("wrong"))(lambda backend: backend.count_tokens("rain"))
    assert caught.value.kind == "key"


def test_it_is_found_on_its_port(reached: tuple[Connection, Secrets]) -> None:
    connection, _ = reached

    async def look() -> list[Any]:
        http = Http()
        try:
            return await discover(http, [int(connection.url.removesuffix("/v1").rpartition(":")[2])])
        finally:
            await http.aclose()

    (found,) = asyncio.run(look())
    assert (found.protocol, found.url) == ("openai", connection.url)


@pytest.fixture(scope="module")
def calling(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Connection, Secrets]]:
    """The same server with a model that uses tools."""
    folder = tmp_path_factory.mktemp("calling")
    model = LocalModel(OwnFolders(folder, folder, folder))
    file = make_tiny_model(folder / "calling.gguf", calls=True)
    settings = Generation(context_tokens=4096)
    yield model.ready(Connection(id="1", name="Real", protocol="local", model=str(file), generation=settings))
    model.close()


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_call_is_valid_by_its_grammar_and_goes_back_with_its_result(
    calling: tuple[Connection, Secrets], protocol: str
) -> None:
    properties = {"dice": {"type": "string", "enum": ["2d6", "1d20"]}}
    dice = Tool("roll_dice", "Roll dice", {"type": "object", "properties": properties, "required": ["dice"]})
    settings = Generation(reply_tokens=1_000, seed=3)

    async def conversation(backend: Backend) -> None:
        wish = Request(messages=HELLO, settings=settings, tools=(dice,), tool_choice="required")
        reply = await reply_to(backend, wish)
        assert reply.failed is None
        assert reply.tool_calls(), (reply.text()[-200:], reply.finished)
        call, *_ = reply.tool_calls()
        assert call.name == "roll_dice"
        assert read_arguments(call.arguments, dice.parameters)["dice"] in ("2d6", "1d20")
        said = PromptMessage("assistant", reply.text(), tool_calls=(call,))
        answered = (*HELLO, said, PromptMessage("tool", "7", tool_call_id=call.id))
        after = Request(messages=answered, settings=settings, tools=(dice,), tool_choice="none")
        last = await reply_to(backend, after)
        assert last.failed is None
        # By Anthropic's protocol this server does not know `none`; the engine carries out no call it did not ask for.
        assert protocol == "anthropic" or not last.tool_calls()

    talk_by(protocol, *calling)(conversation)
