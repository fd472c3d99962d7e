"""Sessions with a real server of tools, as a child process and over HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.tools.mcp.errors import UNKNOWN_OUTCOMES, ToolServerError
from tavern_desktop.tools.mcp.links import Links, try_out
from tavern_desktop.tools.mcp.results import MOST_TEXT, Answer
from tavern_desktop.tools.mcp.server import ToolServer
from tests.tool_server import SMALLEST_PNG
from tests.unit.backends.fake_server import Answer as Answering
from tests.unit.backends.fake_server import FakeServer, Seen
from tests.unit.tools.mcp.harbour import SECONDS, as_child, linked, over_http, run


@pytest.fixture(scope="module")
def address() -> Iterator[ToolServer]:
    with over_http() as server:
        yield server


@pytest.mark.parametrize("way", ["child", "http"])
def test_a_server_offers_its_tools_and_answers(way: str, address: ToolServer) -> None:
    server = as_child() if way == "child" else address

    async def work() -> None:
        async with linked(server) as links:
            offered = {each.name: each.tool for each in await links.offered(SECONDS)}
            depth = offered["depth"]
            assert (depth.title, depth.only_reads) == ("Depth of water", True)
            assert depth.parameters["required"] == ["place"]
            assert offered["set_flag"].name == "set.flag"

            async def answer(tool: str, **arguments: object) -> Answer:
                return await links.call(server.id, tool, arguments, SECONDS)

            assert await answer("depth", place="bay", tide=1) == Answer("4 feet at bay")
            assert await answer("set.flag", colour="red") == Answer("red it is")
            assert '"bales": 3' in (await answer("manifest")).text
            several = await asyncio.gather(*(answer("depth", place="x" * count) for count in range(1, 9)))
            assert [each.text.split()[0] for each in several] == list("12345678")

    run(work)


@pytest.mark.parametrize("way", ["child", "http"])
def test_whatever_a_tool_gives_is_an_answer(way: str, address: ToolServer) -> None:
    server = as_child() if way == "child" else address

    async def work() -> None:
        async with linked(server) as links:

            async def answer(tool: str, **arguments: object) -> Answer:
                return await links.call(server.id, tool, arguments, SECONDS)

            assert (await answer("run_aground")).is_error
            assert (await answer("no_such_tool")).is_error
            assert (await answer("depth", wrong=1)).is_error
            long = await answer("cargo", characters=3_000_000)
            assert len(long.text) < MOST_TEXT + 100
            assert long.text.endswith("[2,800,000 more characters were left out.]")
            chart = await answer("chart")
            assert [picture.data for picture in chart.pictures] == [SMALLEST_PNG]
            assert chart.text == "[A picture, image/png.]"

    run(work)


def test_a_server_that_dies_in_a_call_leaves_the_outcome_unknown_and_is_started_again() -> None:
    async def work() -> None:
        server = as_child()
        async with linked(server) as links:
            first = (await links.call(server.id, "process", {}, SECONDS)).text
            with pytest.raises(ToolServerError) as caught:
                await links.call(server.id, "sink", {}, SECONDS)
            assert caught.value.kind in UNKNOWN_OUTCOMES
            assert caught.value.sentence == "“Harbour” ended in the middle of the call."
            assert "the hull is breached" in caught.value.said
            assert (await links.call(server.id, "process", {}, SECONDS)).text != first

    run(work)


def test_a_tool_that_hangs_is_given_up_after_its_limit_and_the_server_started_again() -> None:
    async def work() -> None:
        server = as_child()
        async with linked(server) as links:
            first = int((await links.call(server.id, "process", {}, SECONDS)).text)
            with pytest.raises(ToolServerError) as caught:
                await links.call(server.id, "becalmed", {}, 0.2)
            assert caught.value.kind == "silent"
            assert int((await links.call(server.id, "process", {}, SECONDS)).text) != first
            assert not psutil.pid_exists(first)

    run(work)


def test_a_call_can_be_cancelled_and_the_session_goes_on() -> None:
    async def work() -> None:
        server = as_child()
        async with linked(server) as links:
            first = (await links.call(server.id, "process", {}, SECONDS)).text
            call = asyncio.create_task(links.call(server.id, "becalmed", {}, SECONDS))
            await asyncio.sleep(0)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert (await links.call(server.id, "process", {}, SECONDS)).text == first

    run(work)


def test_secrets_reach_the_program_by_its_environment_and_nothing_else() -> None:
    async def work() -> None:
        server = as_child(secrets=("HARBOUR_KEY",))
        async with linked(server, HARBOUR_KEY="swordfish-7") as links:
            assert (await links.call(server.id, "variable", {"name": "HARBOUR_KEY"}, SECONDS)).text == "swordfish-7"
            number = int((await links.call(server.id, "process", {}, SECONDS)).text)
            assert "swordfish-7" not in " ".join(psutil.Process(number).cmdline())
            assert "swordfish-7" not in repr(links.standing())

    run(work)


def test_secrets_reach_an_address_as_headers() -> None:
    async def work() -> list[str | None]:
        async with FakeServer() as fake:
            fake.on_json("POST", "/mcp", {})
            server = ToolServer(id="a", name="A", transport="http", url=f"{fake.url}/mcp", secrets=("Authorization",))
            with pytest.raises(ToolServerError):
                await try_out(server, lambda _: {"Authorization": "Bearer swordfish-7"})
            return [seen.headers.get("authorization") for seen in fake.seen]

    assert set(run(work)) == {"Bearer swordfish-7"}


@pytest.mark.parametrize(
    ("server", "kind", "says"),
    [
        (as_child(command="no-such-program-8f1"), "start", "“no-such-program-8f1” is not there"),
        (as_child(command=str(Path(__file__))), "start", "is no program we may run"),
        (as_child(args=("-c", "raise SystemExit('out of rum')")), "start", "ended before it was ready"),
        (
            as_child(args=("-c", "import time; print('ahoy', flush=True); time.sleep(60)"), start_seconds=1),
            "silent",
            "within 1 s",
        ),
        (as_child(folder="/no/such/folder"), "start", "“the folder /no/such/folder” is not there"),
        (as_child(secrets=("KEY",)), "setup", "The value of KEY for “Harbour” is not known"),
        (ToolServer(id="x", name="X", transport="http", url="http://127.0.0.1:9/mcp"), "unreachable", "127.0.0.1:9"),
    ],
)
def test_a_server_that_cannot_be_used_says_why(server: ToolServer, kind: str, says: str) -> None:
    with pytest.raises(ToolServerError) as caught:
        run(lambda: try_out(server, lambda _: {}))
    assert (caught.value.kind, says in caught.value.sentence) == (kind, True), caught.value.sentence


@pytest.mark.parametrize(
    ("status", "kind"), [("401 Unauthorized", "refused"), ("404 Not Found", "refused"), ("200 OK", "protocol")]
)
def test_an_address_with_something_else_says_why(status: str, kind: str) -> None:
    async def work() -> ToolServerError:
        async with FakeServer() as fake:
            fake.on_json("POST", "/mcp", {"ahoy": 1}, status)
            server = ToolServer(id="a", name="A", transport="http", url=f"{fake.url}/mcp", start_seconds=20)
            with pytest.raises(ToolServerError) as caught:
                await try_out(server, lambda _: {})
            return caught.value

    assert run(work).kind == kind


def test_one_that_fails_keeps_no_other_from_being_offered_and_is_left_alone_for_a_while() -> None:
    async def work() -> None:
        broken = as_child(id="broken", name="Broken", command="no-such-program-8f1")
        async with linked(broken, as_child()) as links:
            names = [each.name for each in await links.offered(SECONDS)]
            assert "depth" in names
            standing = {each.server.id: each for each in links.standing()}
            assert standing["broken"].state == "failed"
            assert standing["broken"].error is not None
            await links.offered(SECONDS)
            assert standing["broken"].error is {each.server.id: each for each in links.standing()}["broken"].error

    run(work)


def test_what_is_left_out_or_off_is_not_offered_and_equal_names_get_their_servers() -> None:
    async def work() -> None:
        left_out = tuple(name for name in ("set.flag", "variable", "process", "run_aground", "sink", "becalmed"))
        one, other = (as_child(id=id, name=name, left_out=left_out) for id, name in (("1", "North"), ("2", "South")))
        async with linked(one, other) as links:
            names = [each.name for each in await links.offered(SECONDS)]
            assert names[:2] == ["North_depth", "North_cargo"]
            assert "South_depth" in names
            await links.use([one])
            assert [each.name for each in await links.offered(SECONDS)][:2] == ["depth", "cargo"]
            with pytest.raises(ToolServerError) as caught:
                await links.call("2", "depth", {"place": "x"}, SECONDS)
            assert caught.value.kind == "off"

    run(work)


def test_programs_end_with_the_loop() -> None:
    loop = LoopThread()
    links = Links(lambda server: {})

    async def begin() -> int:
        await links.use([as_child()])
        return int((await links.call("child", "process", {}, SECONDS)).text)

    number = loop.submit(begin()).result(SECONDS)
    loop.close()
    assert not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE


def test_what_a_server_writes_reaches_no_log(caplog: pytest.LogCaptureFixture) -> None:
    noisy = as_child(args=("-c", "print('she said: meet me at midnight', flush=True)"))
    with pytest.raises(ToolServerError):
        run(lambda: try_out(noisy, lambda _: {}))
    assert "midnight" not in caplog.text


def test_nothing_of_the_protocol_is_imported_before_it_is_used() -> None:
    import subprocess

    code = "import sys, tavern_desktop.tools.mcp.links; print('mcp' in sys.modules, 'pydantic' in sys.modules)"
    env = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[4])}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert told.stdout.split() == ["False", "False"]


def test_a_line_without_end_is_given_up_while_the_loop_goes_on_and_memory_stays() -> None:
    here = psutil.Process()

    async def work() -> None:
        async with linked(as_child()) as links:
            await links.offered(SECONDS)
            loop = asyncio.get_running_loop()
            before, most, longest, last = here.memory_info().rss, 0, 0.0, loop.time()

            async def watch() -> None:
                nonlocal most, longest, last
                while True:
                    await asyncio.sleep(0.005)
                    longest, last = max(longest, loop.time() - last), loop.time()
                    most = max(most, here.memory_info().rss - before)

            watching, began = asyncio.create_task(watch()), loop.time()
            with pytest.raises(ToolServerError) as raised:
                await links.call("child", "flood", {"megabytes": 300}, SECONDS)
            watching.cancel()
            assert raised.value.kind in UNKNOWN_OUTCOMES
            assert raised.value.sentence == "“Harbour” sent more than 32 MB in one message, so it was ended."
            assert loop.time() - began < SECONDS / 2
            assert longest < 1.0
            assert most < 150_000_000
            # The next call begins another session.
            assert await links.call("child", "depth", {"place": "bay"}, SECONDS) == Answer("3 feet at bay")

    run(work)


def test_a_message_over_http_that_is_too_long_is_given_up() -> None:
    async def work() -> None:
        async with FakeServer() as fake:

            async def answer(seen: Seen, back: Answering) -> None:
                await back.head(content_type="application/json")
                with contextlib.suppress(ConnectionError):
                    for _ in range(60):
                        await back.piece(b"x" * 1_000_000)
                    await back.end()

            fake.on("POST", "/mcp", answer)
            server = ToolServer(id="http", name="Harbour", transport="http", url=f"{fake.url}/mcp")
            with pytest.raises(ToolServerError) as raised:
                await try_out(server, lambda asked: {})
            assert raised.value.sentence == "“Harbour” sent more than 32 MB in one message, so it was ended."

    run(work)
