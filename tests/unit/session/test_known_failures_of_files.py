"""What became of chats when their files could not be read as they should be (known failures B-01 … B-08, B-37)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tavern_desktop.session import commands
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.directory import list_around
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.format import HEADERLESS_SUSPECT
from tavern_desktop.storage.summary import summarise
from tests.unit.session.chats import texts
from tests.unit.session.mira import HEAD, Program, a, base, key, u


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_b01_a_failed_read_is_no_empty_chat(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program.write(base(50))
    before = path.read_bytes()

    def refused(*_arguments: object, **_named: object) -> int:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refused)
        session = program.open(path)
    assert session.state == "failed"
    assert session.chat is None
    assert session.error is not None
    assert session.error.kind == "io"
    with pytest.raises(CommandRefused):
        session.do(commands.AppendMessage(u(51)))
    session.save_now()
    program.runner.run_until_idle()
    assert path.read_bytes() == before

    # Retry reads it as if nothing had been.
    session.load()
    program.runner.run_until_idle()
    assert session.chat is not None
    assert len(session.chat) == 100


def test_b04_what_was_not_loaded_changes_nothing(program: Program) -> None:
    path = program.write(base(20))
    before = path.read_bytes()
    session = program.chats.open(path)  # and nothing has been read yet
    with pytest.raises(CommandRefused):
        session.do(commands.DeleteMessages([1]))
    program.runner.run_until_idle()
    assert session.chat is not None
    with pytest.raises(CommandRefused):
        session.do(commands.DeleteMessages([-1]))
    assert (len(session.chat), path.read_bytes()) == (40, before)
    session.do(commands.DeleteMessages([key(session, 39)]))
    assert len(session.chat) == 39


def test_b05_a_cut_last_line_hides_nothing(program: Program) -> None:
    path = program.write(base(10))
    damaged = path.read_bytes() + b'\n{"name":"Mira","is_user":false,"mes":"cut he'
    path.write_bytes(damaged)
    (listed,) = list_around(program.folder.parents[1], path).files
    assert listed.stem == "talk"
    assert summarise(path).preview_state == "unavailable"
    session = program.open(path)
    assert session.rest is not None
    assert (session.rest.readable, session.rest.damaged) == (20, 1)
    assert session.rest.rows[-1].raw == b'{"name":"Mira","is_user":false,"mes":"cut he'
    assert path.read_bytes() == damaged


def test_b06_a_byte_order_mark_is_no_damage(program: Program) -> None:
    path = program.write(base(5))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    session = program.open(path)
    assert session.chat is not None
    assert len(session.chat) == 10
    assert session.chat.header.integrity() == HEAD["chat_metadata"]["integrity"]


def test_b06_a_cut_header_is_read_only_with_all_messages(program: Program) -> None:
    path = program.write(base(5))
    header, rest = path.read_bytes().split(b"\n", 1)
    damaged = header[:26] + b"\n" + rest
    path.write_bytes(damaged)
    session = program.open(path)
    assert session.chat is None
    assert session.rest is not None
    assert session.rest.readable == 10
    assert path.read_bytes() == damaged


def test_b06_a_missing_header_is_noticed_and_its_message_kept(program: Program) -> None:
    """The first line is the header whatever it says (format floor); a save keeps every byte of it."""
    path = program.write(base(5))
    first, *others = path.read_bytes().split(b"\n")[1:]
    path.write_bytes(b"\n".join([first, *others]))
    session = program.open(path)
    assert session.chat is not None
    assert session.warnings == (HEADERLESS_SUSPECT,)
    session.do(commands.AppendMessage(u(6)))
    program.chats.release(session)
    program.runner.run_until_idle()
    after = path.read_bytes().split(b"\n")
    assert json.loads(after[0])["mes"] == "u1"
    assert after[1 : len(others) + 1] == others


def test_b08_two_records_on_one_line_are_two_messages(program: Program) -> None:
    path = program.folder / "talk.jsonl"
    glued = f"{json.dumps(a(1))}{json.dumps(u(2))}"
    path.write_text("\n".join([json.dumps(HEAD), json.dumps(u(1)), glued, json.dumps(a(2))]), "utf-8")
    session = program.open(path)
    assert session.rest is not None
    assert [json.loads(row.raw)["mes"] for row in session.rest.rows] == ["u1", "a1", "u2", "a2"]
    assert session.rest.damaged == 0


def test_b08_what_is_added_begins_a_line_of_its_own(program: Program) -> None:
    path = program.write(base(2))
    assert not path.read_bytes().endswith(b"\n")
    session = program.open(path)
    session.do(commands.AppendMessage(u(3)))
    program.chats.release(session)
    program.runner.run_until_idle()
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[1:]]
    assert [record["mes"] for record in records] == ["u1", "a1", "u2", "a2", "u3"]


BASE = "\n".join(map(json.dumps, [HEAD, *base(2)])).encode()
SHOWN = ["u1", "a1", "u2", "a2"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xef\xbb\xbf" + BASE, SHOWN),
        (BASE.replace(b"\n", b"\r\n"), SHOWN),
        (BASE.replace(b'"u1"', rb'"u\r1"'), ["u\r1", *SHOWN[1:]]),
        (BASE.replace(b'"u1"', '"u\u20281"'.encode()), ["u\u20281", *SHOWN[1:]]),
        (BASE.replace(b"\n", b"\n\n \n"), SHOWN),
    ],
    ids=["byte order mark", "CRLF", "a carriage return in a text", "a raw line separator in a text", "blank lines"],
)
def test_b37_no_line_end_eats_a_record(program: Program, content: bytes, expected: list[str]) -> None:
    path = program.folder / "talk.jsonl"
    path.write_bytes(content)
    session = program.open(path)
    assert session.chat is not None
    assert texts(session.chat) == expected


@pytest.mark.parametrize(
    "content", [BASE.decode().encode("utf-16"), BASE + b"\n\0"], ids=["UTF-16", "a NUL at the end"]
)
def test_b37_other_damage_is_told_and_nothing_is_written(program: Program, content: bytes) -> None:
    path = program.folder / "talk.jsonl"
    path.write_bytes(content)
    session = program.open(path)
    assert isinstance(session.error, StorageError)
    assert session.chat is None
    program.chats.release(session)
    program.runner.run_until_idle()
    assert path.read_bytes() == content
