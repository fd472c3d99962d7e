"""The way to a server: proxies, certificates, retries, what is imported when."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
import ssl
import subprocess
import sys

import httpx2
import pytest

from tavern_desktop.backends.connection import Connection, Secrets, Timeouts
from tavern_desktop.backends.events import Failed, Waiting
from tavern_desktop.backends.failures import from_transport
from tavern_desktop.backends.opening import open_backend
from tavern_desktop.backends.transport import Http
from tests.unit.backends.fake_server import Answer, FakeServer, Seen
from tests.unit.backends.talking import a_request, answers, backend_on, events_of, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import OPENAI


def test_a_connection_lost_before_the_first_byte_is_tried_again() -> None:
    async def talk() -> None:
        dropped = []

        async def handler(seen: Seen, answer: Answer) -> None:
            if not dropped:
                dropped.append(seen)
                answer.drop()
            else:
                await sends(OPENAI, OPENAI.reply("now"))(seen, answer)

        async with talking(OPENAI, handler) as (backend, _):
            waiting, *rest = await events_of(backend)
            assert waiting == Waiting("Fake closed the connection without an answer. Trying again.", 0.001)
            assert not isinstance(rest[-1], Failed)

    on_a_loop(talk)


def test_after_three_retries_the_error_is_told() -> None:
    async def talk() -> None:
        async with talking(OPENAI, answers("503 Service Unavailable", b"")) as (backend, server):
            events = await events_of(backend)
            assert [type(event) for event in events] == [Waiting, Waiting, Waiting, Failed]
            assert [event.seconds for event in events if isinstance(event, Waiting)] == [0.001, 0.002, 0.004]
            assert len(server.seen) == 4

    on_a_loop(talk)


def test_a_wait_the_server_asks_for_is_kept() -> None:
    async def talk() -> None:
        async with talking(OPENAI, answers("429 Too Many Requests", b"", retry_after="0.01")) as (backend, _):
            waits = [event for event in await events_of(backend) if isinstance(event, Waiting)]
            assert [wait.seconds for wait in waits] == [0.01, 0.01, 0.01]

    on_a_loop(talk)


def test_a_redirect_is_told_and_not_followed() -> None:
    async def talk() -> None:
        handler = answers("301 Moved Permanently", b"", location="https://elsewhere.example/v1")
        async with talking(OPENAI, handler) as (backend, server):
            (failed,) = await events_of(backend)
            assert isinstance(failed, Failed)
            assert failed.kind == "not_found"
            assert "it sends on to https://elsewhere.example/v1" in failed.sentence
            assert len(server.seen) == 1

    on_a_loop(talk)


def test_a_compressed_stream_is_read() -> None:
    async def talk() -> None:
        packed = gzip.compress(OPENAI.reply("packed"))

        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head(content_encoding="gzip")
            await answer.bytewise(packed)
            await answer.end()

        async with talking(OPENAI, handler) as (backend, _):
            assert (await reply_of(backend)).text() == "packed"

    on_a_loop(talk)


def test_an_endless_page_of_an_error_is_cut() -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head("500 Internal Server Error", "text/html")
            while not answer.gone.is_set():
                await answer.piece(b"<p>word</p>" * 1000)

        async with talking(OPENAI, handler) as (backend, _):
            (failed,) = await events_of(backend)
            assert isinstance(failed, Failed)
            assert len(failed.sentence) < 400

    on_a_loop(talk)


def test_a_record_without_end_fails_instead_of_filling_the_memory() -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head()
            await answer.piece(b"data: ")
            while not answer.gone.is_set():
                await answer.piece(b"x" * 1_000_000)

        async with talking(OPENAI, handler) as (backend, _):
            failed = (await reply_of(backend)).failed
            assert failed is not None
            assert failed.sentence == "Fake sent something unexpected: one record has no end."

    on_a_loop(talk)


async def _forward(seen: Seen, answer: Answer) -> None:
    await sends(OPENAI, OPENAI.reply("through the proxy"))(seen, answer)


def test_a_proxy_is_used_with_its_password() -> None:
    async def talk() -> None:
        http = Http()
        async with FakeServer() as proxy:
            # A proxy is asked for the whole address.
            proxy.on("POST", "http://far.example/v1/chat/completions", _forward)
            connection = Connection(
                id="1", name="Far", protocol="openai", url="http://far.example/v1",
                proxy=proxy.url.replace("//", "//me@"),
            )  # fmt: skip
            backend = open_backend(connection, Secrets("", "p:w"), http)
            assert (await reply_of(backend)).text() == "through the proxy"
            assert proxy.seen[0].headers["proxy-authorization"] == "Basic bWU6cDp3"
        await http.aclose()

    on_a_loop(talk)


def test_a_proxy_that_is_not_there_is_named() -> None:
    async def talk() -> None:
        http = Http()
        async with FakeServer() as server:
            place = server.url
        connection = Connection(id="1", name="Far", protocol="openai", url="http://far.example/v1", proxy=place)
        (failed,) = await events_of(open_backend(connection, Secrets(), http))
        assert isinstance(failed, Failed)
        assert failed.sentence == f"The proxy {place.removeprefix('http://')} cannot be reached."
        await http.aclose()

    on_a_loop(talk)


def test_a_proxy_of_the_environment_does_not_catch_servers_nearby(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("direct"))) as (backend, _):
            assert (await reply_of(backend)).text() == "direct"

    on_a_loop(talk)


def test_a_server_that_speaks_no_https_is_told_so() -> None:
    async def talk() -> None:
        async def complain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            writer.close()

        http = Http()
        async with await asyncio.start_server(complain, "127.0.0.1", 0) as server:
            url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            connection = Connection(id="1", name="Plain", protocol="openai", url=url, check_certificate=False)
            (failed,) = await events_of(open_backend(connection, Secrets(), http))
            assert isinstance(failed, Failed)
            assert (failed.kind, failed.sentence) == ("certificate", f"Plain does not speak HTTPS at {url}.")
        await http.aclose()

    on_a_loop(talk)


def test_a_host_without_an_address_is_unreachable() -> None:
    async def talk() -> None:
        http = Http()
        connection = Connection(id="1", name="Nowhere", protocol="openai", url="http://nowhere.invalid/v1")
        backend = open_backend(connection, Secrets(), http)
        (failed,) = await events_of(backend)
        assert isinstance(failed, Failed)
        assert failed.kind == "unreachable"
        await http.aclose()

    on_a_loop(talk)


def test_two_replies_at_once_do_not_wait_for_each_other() -> None:
    async def talk() -> None:
        both = asyncio.Barrier(2)

        async def handler(seen: Seen, answer: Answer) -> None:
            await both.wait()
            await sends(OPENAI, OPENAI.reply(seen.json["messages"][0]["content"]))(seen, answer)

        async with talking(OPENAI, handler) as (backend, _):
            one, other = await asyncio.gather(reply_of(backend), reply_of(backend))
            assert one.text() == other.text() == "Hi"

    on_a_loop(talk)


def test_one_client_serves_every_connection_that_goes_the_same_way() -> None:
    async def talk() -> None:
        http = Http()
        async with FakeServer() as server:
            server.on("POST", OPENAI.path, sends(OPENAI, OPENAI.reply("ok")))
            clients = set()
            for _ in range(3):
                backend = backend_on(server, OPENAI, http)
                await reply_of(backend)
                clients.add(http.client(backend.connection))
            assert len(clients) == 1
        await http.aclose()

    on_a_loop(talk)


def test_a_small_question_has_its_own_time_limit() -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.gone.wait()

        async with talking(OPENAI, timeouts=Timeouts()) as (backend, server):
            server.on("GET", "/v1/models", handler)
            with pytest.raises(Exception, match=r"Fake did not answer within 0 s\."):
                await backend._exchange.ask("GET", f"{server.url}/v1/models", seconds=0.05)

    on_a_loop(talk)


def test_a_stream_that_is_closed_before_it_began_sends_nothing() -> None:
    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("x"))) as (backend, server):
            async with contextlib.aclosing(backend.stream(a_request(backend))):
                pass
            assert server.seen == []

    on_a_loop(talk)


def test_nothing_of_http_is_imported_before_it_is_needed() -> None:
    words = (
        "import sys, tavern_desktop.backends.opening, tavern_desktop.backends.loop_thread;"
        "sys.exit(any(name in sys.modules for name in ('httpx2', 'keyring')))"
    )
    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == 0


def test_a_certificate_that_nobody_vouches_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:

    verdict = ssl.SSLCertVerificationError("self-signed")
    verdict.verify_message = "self-signed certificate"
    error = httpx2.ConnectError("failed")
    error.__cause__ = verdict
    connection = Connection(id="1", name="Home", protocol="openai", url="https://home.example")
    told = from_transport(error, connection, "Home")
    assert (told.kind, told.sentence) == (
        "certificate",
        "The certificate of Home cannot be trusted: self-signed certificate.",
    )


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_a_socks_proxy_is_used(scheme: str) -> None:
    wanted = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(3)
        writer.write(b"\x05\x00")
        head = await reader.readexactly(5)
        wanted.append(await reader.readexactly(head[4] + 2))
        writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
        await reader.readuntil(b"\r\n\r\n")
        body = OPENAI.reply("through the proxy")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n" % len(body) + body
        )
        writer.close()

    async def talk() -> None:
        http = Http()
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as proxy:
            place = f"{scheme}://127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
            connection = Connection(id="1", name="Far", protocol="openai", url="http://far.example/v1", proxy=place)
            assert (await reply_of(open_backend(connection, Secrets(), http))).text() == "through the proxy"
            assert wanted == [b"far.example\x00\x50"]
        await http.aclose()

    on_a_loop(talk)


def test_two_hundred_replies_stopped_anywhere_leave_nothing_behind() -> None:
    async def talk() -> None:
        chance = random.Random(7)
        gone = []

        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head()
            while not answer.gone.is_set():
                await answer.piece(OPENAI.record("word "))
                await asyncio.sleep(0)
            gone.append(seen)

        async with talking(OPENAI, handler) as (backend, server):

            async def one() -> None:
                stop_after, is_cancelled = chance.randint(0, 30), chance.random() < 0.5
                task = asyncio.create_task(read(stop_after))
                if is_cancelled:
                    for _ in range(chance.randint(0, 60)):
                        await asyncio.sleep(0)
                    task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

            async def read(stop_after: int) -> None:
                async with contextlib.aclosing(backend.stream(a_request(backend))) as events:
                    count = 0
                    async for _ in events:
                        count += 1
                        if count > stop_after:
                            break

            for _ in range(20):
                await asyncio.gather(*(one() for _ in range(10)))
            while len(gone) < len(server.seen):
                await asyncio.sleep(0)
            server.on("POST", OPENAI.path, sends(OPENAI, OPENAI.reply("still well")))
            assert (await reply_of(backend)).text() == "still well"
        assert asyncio.all_tasks() == {asyncio.current_task()}

    on_a_loop(talk)


def test_a_first_request_can_be_prepared() -> None:
    async def talk() -> None:
        async with talking(OPENAI, sends(OPENAI, OPENAI.reply("soon"))) as (backend, _):
            http = Http()
            await http.prepare(backend.connection)
            client = http.client(backend.connection)
            await http.prepare(backend.connection)
            assert http.client(backend.connection) is client
            await http.aclose()

    on_a_loop(talk)
