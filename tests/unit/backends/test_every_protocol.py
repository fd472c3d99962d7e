"""What holds for the replies of every protocol, whatever the network and the server do."""

from __future__ import annotations

import asyncio
import contextlib
import json

import pytest

from tavern_desktop.backends.connection import Timeouts
from tavern_desktop.backends.events import Failed, Finished, Text, Waiting
from tests.unit.backends.fake_server import Answer, Seen
from tests.unit.backends.talking import KEY, a_request, answers, events_of, on_a_loop, reply_of, sends, talking
from tests.unit.backends.wires import KOBOLDCPP, OPENAI, WIRES, Wire

every_wire = pytest.mark.parametrize("wire", WIRES, ids=[wire.protocol for wire in WIRES])


@every_wire
def test_a_reply_comes_with_its_counts_and_its_end(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.reply("Hello", " there"))) as (backend, _):
            reply = await reply_of(backend)
            assert (reply.text(), reply.failed) == ("Hello there", None)
            assert (reply.usage.prompt, reply.usage.reply) == (9, 3)
            assert reply.finished[0].reason == "stop"

    on_a_loop(talk)


@every_wire
def test_letters_stay_whole_however_the_pieces_are_cut(wire: Wire) -> None:
    async def talk() -> None:
        said = "a👩‍🚀щ 你好"
        handler = sends(wire, wire.literal(f'"{said}"'), wire.ending(), bytewise=True)
        async with talking(wire, handler) as (backend, _):
            assert (await reply_of(backend)).text() == said

    on_a_loop(talk)


@every_wire
def test_halves_of_a_pair_in_two_records_are_joined(wire: Wire) -> None:
    async def talk() -> None:
        handler = sends(wire, wire.literal(r'"\ud83d"'), wire.literal(r'"\ude80!"'), wire.ending())
        async with talking(wire, handler) as (backend, _):
            assert (await reply_of(backend)).text() == "🚀!"

    on_a_loop(talk)


@every_wire
def test_a_half_that_stays_alone_becomes_a_replacement_sign(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.literal(r'"x\ud83d"'), wire.ending())) as (backend, _):
            assert (await reply_of(backend)).text() == "x�"

    on_a_loop(talk)


@every_wire
def test_a_letter_whose_bytes_a_server_put_into_two_records_is_joined(wire: Wire) -> None:
    async def talk() -> None:
        rocket, mark = "🚀".encode(), wire.record("@")
        handler = sends(wire, mark.replace(b"@", rocket[:2]), mark.replace(b"@", rocket[2:]), wire.ending())
        async with talking(wire, handler) as (backend, _):
            assert (await reply_of(backend)).text() == "🚀"

    on_a_loop(talk)


@every_wire
def test_other_line_ends_are_understood(wire: Wire) -> None:
    async def talk() -> None:
        whole = wire.reply("one", " two").replace(b"\n", b"\r\n")
        async with talking(wire, sends(wire, whole, bytewise=True)) as (backend, _):
            assert (await reply_of(backend)).text() == "one two"

    on_a_loop(talk)


@every_wire
def test_an_error_in_the_middle_keeps_what_came(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.record("Half a"), wire.failure("CUDA out of memory"))) as (
            backend,
            _,
        ):
            reply = await reply_of(backend)
            assert reply.text() == "Half a"
            assert reply.failed is not None
            assert reply.failed.kind == "server"
            assert "CUDA out of memory" in reply.failed.sentence

    on_a_loop(talk)


@every_wire
def test_a_closed_socket_keeps_what_came(wire: Wire) -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head(content_type=wire.content_type)
            await answer.piece(wire.record("Half a"))
            answer.drop()

        async with talking(wire, handler) as (backend, server):
            reply = await reply_of(backend)
            assert reply.text() == "Half a"
            assert reply.failed is not None
            assert reply.failed.kind == "disconnected"
            assert len(server.asked(wire.path)) == 1, "a reply that has begun is never asked for again"

    on_a_loop(talk)


@every_wire
def test_an_end_without_a_word_is_a_lost_connection(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.record("Half a"))) as (backend, server):
            server.on_json("GET", "/api/extra/perf", {"stop_reason": -1})
            reply = await reply_of(backend)
            assert (reply.text(), reply.failed and reply.failed.kind) == ("Half a", "disconnected")

    on_a_loop(talk)


@every_wire
def test_a_stalled_stream_ends_with_a_sentence(wire: Wire) -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head(content_type=wire.content_type)
            await answer.piece(wire.record("Half a"))
            await answer.gone.wait()

        async with talking(wire, handler, timeouts=Timeouts(idle=0.05)) as (backend, _):
            reply = await reply_of(backend)
            assert (reply.text(), reply.failed and reply.failed.kind) == ("Half a", "silent")

    on_a_loop(talk)


@every_wire
def test_a_server_that_never_begins_ends_with_a_sentence(wire: Wire) -> None:
    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.gone.wait()

        async with talking(wire, handler, timeouts=Timeouts(first_byte=0.05)) as (backend, _):
            reply = await reply_of(backend)
            assert reply.failed is not None
            assert reply.failed.kind == "silent"

    on_a_loop(talk)


@every_wire
def test_a_stop_reaches_the_server(wire: Wire) -> None:
    async def talk() -> None:
        is_gone = asyncio.Event()

        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head(content_type=wire.content_type)
            await answer.piece(wire.record("word "))
            await answer.gone.wait()
            is_gone.set()

        async with talking(wire, handler) as (backend, _):
            async with contextlib.aclosing(backend.stream(a_request(backend))) as events:
                async for event in events:
                    if isinstance(event, Text):
                        break
            await is_gone.wait()

    on_a_loop(talk)


@every_wire
def test_a_task_that_is_cancelled_while_it_waits_stops_the_server_too(wire: Wire) -> None:
    async def talk() -> None:
        has_come, is_gone = asyncio.Event(), asyncio.Event()

        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head(content_type=wire.content_type)
            has_come.set()
            await answer.gone.wait()
            is_gone.set()

        async with talking(wire, handler) as (backend, _):
            task = asyncio.create_task(events_of(backend))
            await has_come.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await is_gone.wait()

    on_a_loop(talk)


PAGES = [
    ("401 Unauthorized", "key", "Fake does not accept the key"),
    ("403 Forbidden", "forbidden", "Fake does not allow this"),
    ("404 Not Found", "not_found", "Fake does not know this address or this model (404 Not Found)"),
    ("500 Internal Server Error", "server", "Fake failed (500 Internal Server Error)"),
    ("413 Payload Too Large", "too_long", "The prompt is too long for Fake"),
]


@every_wire
@pytest.mark.parametrize(("status", "kind", "says"), PAGES)
def test_a_page_instead_of_a_reply_becomes_one_sentence(wire: Wire, status: str, kind: str, says: str) -> None:
    async def talk() -> None:
        page = (
            b"<!doctype html><html><head><title>It &amp; broke</title><style>p{}</style></head><body>...</body></html>"
        )
        async with talking(wire, answers(status, page)) as (backend, _):
            (failed,) = await events_of(backend)
            assert isinstance(failed, Failed)
            assert (failed.kind, failed.sentence) == (kind, f"{says}: It & broke.")

    on_a_loop(talk)


@every_wire
def test_a_busy_server_is_asked_again_and_the_wait_is_visible(wire: Wire) -> None:
    async def talk() -> None:
        turned_away = []

        async def handler(seen: Seen, answer: Answer) -> None:
            if len(turned_away) < 2:
                turned_away.append(seen)
                await answer.whole(b"Service Unavailable", "503 Service Unavailable", "text/plain")
            else:
                await sends(wire, wire.reply("now"))(seen, answer)

        async with talking(wire, handler) as (backend, _):
            first, second, *rest = await events_of(backend)
            assert isinstance(first, Waiting)
            assert isinstance(second, Waiting)
            assert first.sentence == "Fake is busy or not ready. (Service Unavailable) Trying again."
            assert isinstance(rest[-1], Finished)

    on_a_loop(talk)


@every_wire
def test_too_many_requests_tell_how_long_to_wait(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, answers("429 Too Many Requests", b"", retry_after="3600")) as (backend, server):
            (failed,) = await events_of(backend)
            assert isinstance(failed, Failed)
            assert (failed.kind, failed.retry_after) == ("rate_limit", 3600)
            assert "asks to wait 3600 s" in failed.sentence
            assert len(server.asked(wire.path)) == 1, "nobody waits an hour unseen"

    on_a_loop(talk)


@every_wire
def test_a_key_never_comes_back_to_light(wire: Wire) -> None:
    async def talk() -> None:
        body = f'{{"error":{{"message":"Incorrect API key provided: {KEY}."}}}}'.encode()
        async with talking(wire, answers("401 Unauthorized", body, "application/json")) as (backend, server):
            (failed,) = await events_of(backend)
            assert KEY not in repr(failed) + repr(backend.connection) + repr(vars(backend))
            assert any(KEY in value for value in server.seen[0].headers.values())
            assert KEY not in server.seen[0].path

    on_a_loop(talk)


@every_wire
def test_what_is_no_json_is_said_to_be_so(wire: Wire) -> None:
    async def talk() -> None:
        async with talking(wire, sends(wire, wire.framed("<html>"))) as (backend, _):
            reply = await reply_of(backend)
            assert reply.failed is not None
            assert reply.failed.kind == "bad_reply"

    on_a_loop(talk)


@every_wire
def test_odd_fields_are_passed_over(wire: Wire) -> None:
    async def talk() -> None:
        odd = [{}, {"choices": None}, {"choices": [1, {"delta": "x"}]}, {"message": [], "content": 3, "usage": "many"}]
        odd += [{"candidates": [{"content": {"parts": [None]}}]}, {"type": 7, "token": {}, "timings": [], "index": "a"}]
        records = [wire.framed(json.dumps(record)) for record in odd]
        async with talking(wire, sends(wire, *records, wire.reply("fine"))) as (backend, _):
            assert (await reply_of(backend)).text() == "fine"

    on_a_loop(talk)


def test_a_server_that_is_not_there_is_named() -> None:
    async def talk() -> None:
        async with talking(OPENAI) as (backend, server):
            url = server.url
        (failed,) = await events_of(backend)
        assert isinstance(failed, Failed)
        assert failed.kind == "unreachable"
        assert failed.sentence == f"Fake cannot be reached at {url}/v1. Is it running?"

    on_a_loop(talk)


def test_an_endless_reply_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tavern_desktop.backends.protocol.TEXT_LIMIT", 10_000)

    async def talk() -> None:
        async def handler(seen: Seen, answer: Answer) -> None:
            await answer.head()
            while not answer.gone.is_set():
                await answer.piece(OPENAI.record("word " * 100))

        async with talking(OPENAI, handler) as (backend, _):
            reply = await reply_of(backend)
            assert reply.failed is not None
            assert reply.failed.kind == "bad_reply"
            assert len(reply.text()) <= 10_000

    on_a_loop(talk)


def test_a_stop_is_told_to_koboldcpp_by_the_name_of_the_reply() -> None:
    async def talk() -> None:
        written = []
        is_aborted = asyncio.Event()

        async def generate(seen: Seen, answer: Answer) -> None:
            """Go on writing, as KoboldCpp does, whether somebody listens or not."""
            if written:
                assert is_aborted.is_set(), "busy"
            await answer.head()
            while not is_aborted.is_set():
                written.append(seen.json["genkey"])
                await answer.piece(KOBOLDCPP.record("word "))
                await asyncio.sleep(0)
            await answer.piece(KOBOLDCPP.ending())
            await answer.end()

        async def abort(seen: Seen, answer: Answer) -> None:
            assert seen.json == {"genkey": written[-1]}
            is_aborted.set()
            await answer.json({"success": "true", "done": "true"})

        async with talking(KOBOLDCPP, generate) as (backend, server):
            server.on("POST", "/api/extra/abort", abort)
            async with contextlib.aclosing(backend.stream(a_request(backend))) as events:
                async for event in events:
                    if isinstance(event, Text):
                        break
            assert is_aborted.is_set(), "the close returns when the server has stopped"
            reply = await reply_of(backend)
            assert reply.failed is None

    on_a_loop(talk)
