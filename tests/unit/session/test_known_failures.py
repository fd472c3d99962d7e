"""What other programs did to chats (known failures B-01 … B-36), done here through sessions to real files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.session import commands
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tests.unit.session.chats import lines
from tests.unit.session.mira import Program, Record, a, base, data, key, shown, u
from tests.unit.session.stepped import Stepped


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def test_b02_changes_all_over_a_long_chat_leave_every_other_line(program: Program) -> None:
    path = program.write(base(300))
    before = lines(path)
    session = program.open(path)
    newest, gone, old = key(session, 599), key(session, 559), key(session, 99)
    session.do(commands.EditText(newest, "newest"))
    session.do(commands.DeleteMessages([gone]))
    session.do(commands.EditText(old, "old"))
    program.chats.release(session)
    program.runner.run_until_idle()
    after = lines(path)
    kept = [line for number, line in enumerate(before) if number not in (0, 100, 560, 600)]
    assert [line for number, line in enumerate(after) if number not in (0, 100, 599)] == kept
    assert [json.loads(after[number])["mes"] for number in (100, 599)] == ["old", "newest"]


def test_b09_odd_fields_open_and_survive(program: Program) -> None:
    records = base(5)
    records[5] |= {"extra": {"token_count": None, "time_to_first_token": "fast"}}
    records[7] |= {"swipe_id": "0"}
    records[9] |= {"extra": None}
    del records[8]["send_date"]
    records[1] |= {"zz": {"a": [1]}}
    path = program.write(records)
    before = lines(path)
    session = program.open(path)
    assert session.chat is not None
    assert [facts.text(message.data()) for message in session.chat.messages] == [record["mes"] for record in records]
    for index in range(10):
        session.do(commands.EditText(key(session, index), f"new {index}"))
    program.runner.advance(1)
    for index, line in enumerate(lines(path)[1:]):
        written = json.loads(line)
        assert written.pop("message_id").startswith("msg_")
        expected = records[index] | {"mes": f"new {index}"}
        if "swipes" in expected:
            expected |= {"swipes": [f"new {index}"]}
        assert written == expected
    for _ in range(10):
        session.undo()
    program.runner.advance(1)
    assert lines(path) == before


def test_b12_fast_switching_never_mixes_two_chats(tmp_path: Path) -> None:
    """A slow load of A, to B, send, rename B, back to A: each file holds exactly its own."""
    program = Program(tmp_path)
    runner = Stepped()
    chats = OpenChats(runner, program.own, preview_limit=0)
    acts = FileActs(runner, chats, program.own)
    path_a = program.write([u(1, mes="only in A"), a(1)], "A")
    path_b = program.write([u(1, mes="only in B"), a(1)], "B")
    before_a = lines(path_a)
    first = chats.open(path_a)
    chats.release(first)
    second = chats.open(path_b)
    runner.work(1)  # B is there before A
    runner.answer()
    while runner.answer():
        pass
    assert second.chat is not None
    second.do(commands.AppendMessage(u(2, mes="sent to B")))
    renamed: list[Any] = []
    acts.rename(path_b, "C", renamed.append)
    chats.release(second)
    again = chats.open(path_a)
    runner.settle()
    runner.advance(5)
    runner.settle()
    assert first.chat is None
    assert again.chat is not None
    assert facts.text(data(again, 0)) == "only in A"
    assert lines(path_a) == before_a
    assert not path_b.exists()
    texts_c = [json.loads(line)["mes"] for line in lines(path_b.with_name("C.jsonl"))[1:]]
    assert texts_c == ["only in B", "a1", "sent to B"]
    assert renamed[0].error is None


def test_b23_deleting_a_message_and_an_alternative_are_two_commands(program: Program) -> None:
    path = program.write([u(1), a(1), u(2), a(2, "x", "y", "z", mes="y", swipe_id=1)])
    before = lines(path)
    session = program.open(path)
    session.do(commands.DeleteMessages([key(session, 3)]))
    program.runner.advance(1)
    assert lines(path)[1:] == before[1:4]
    session.undo()
    program.runner.advance(1)
    assert lines(path) == before
    session.do(commands.DeleteSwipe(key(session, 3), 1))
    assert shown(session, 3) == ("z", 2, 2)
    session.undo()
    program.runner.advance(1)
    assert lines(path) == before


@pytest.mark.parametrize(
    ("mes", "swipe_id", "expected"),
    [
        ("y", 7, ("y", 2, 2)),
        ("x", -1, ("x", 1, 2)),
        ("other", 7, ("other", 3, 3)),
        ("other", -1, ("other", 3, 3)),
        ("", 2, ("y", 2, 2)),  # cancelled before the first word
    ],
)
def test_b24_an_index_past_the_end_is_never_shown(
    program: Program, mes: str, swipe_id: int, expected: tuple[str, int, int]
) -> None:
    path = program.write([a(1, "x", "y", mes=mes, swipe_id=swipe_id)])
    before = path.read_bytes()
    session = program.open(path)
    assert shown(session, 0) == expected
    program.runner.advance(60)
    assert path.read_bytes() == before
    session.do(commands.AddSwipe(key(session, 0), "new"))
    assert shown(session, 0) == ("new", expected[2] + 1, expected[2] + 1)
    session.do(commands.SelectSwipe(key(session, 0), expected[1] - 1))
    assert facts.text(data(program.reopen(session), 0)) == expected[0]


@pytest.mark.parametrize(
    ("count", "at", "expected"),
    [(2, 0, (1, 1)), (9, 0, (1, 8)), (9, 5, (6, 8)), (9, 8, (8, 8))],
)
def test_b25_deleting_an_alternative_shows_its_neighbour(
    program: Program, count: int, at: int, expected: tuple[int, int]
) -> None:
    texts = [f"s{number}" for number in range(count)]
    path = program.write([a(1, *texts, mes=texts[at], swipe_id=at), u(2)])
    session = program.open(path)
    session.do(commands.DeleteSwipe(key(session, 0), at))
    rest = texts[:at] + texts[at + 1 :]
    assert shown(session, 0) == (rest[expected[0] - 1], *expected)
    assert shown(program.reopen(session), 0) == (rest[expected[0] - 1], *expected)


def test_b25_the_only_alternative_stays(program: Program) -> None:
    session = program.open(program.write([a(1)]))
    with pytest.raises(CommandRefused):
        session.do(commands.DeleteSwipe(key(session, 0), 0))


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        ({"swipe_info": None}, ["x", "y", "z"]),
        ({"swipe_info": [{"extra": {"reasoning": "r0"}}]}, ["x", "y", "z"]),
        ({"swipe_info": [{"extra": {}}, None, {"extra": {}}]}, ["x", "y", "z"]),
        ({"swipes": ["x", None, "z"]}, ["x", "", "z"]),
    ],
)
def test_b26_alternatives_without_side_data_differ(program: Program, fields: Record, texts: list[str]) -> None:
    path = program.write([u(1), a(1, "x", "y", "z", **fields)])
    before = lines(path)
    session = program.open(path)
    for index in (1, 2, 0, 2, 1, 0):
        session.do(commands.SelectSwipe(key(session, 1), index))
        assert data(session, 1)["mes"] == texts[index]
    while session.undo_label is not None:
        session.undo()
    program.runner.advance(60)
    assert lines(path) == before


def test_b26_side_data_that_is_not_there_is_not_needed(program: Program) -> None:
    record = a(1, "x", "y", "z")
    del record["swipe_info"]
    session = program.open(program.write([record]))
    session.do(commands.SelectSwipe(key(session, 0), 2))
    assert shown(session, 0) == ("z", 3, 3)


def test_b27_text_and_reasoning_stay_together(program: Program) -> None:
    info = [{"extra": {"reasoning": f"r{number}"}} for number in range(3)]
    record = a(1, "t0", "t1", "t2", mes="t1", swipe_id=1, extra={"reasoning": "r1"}, swipe_info=info)
    session = program.open(program.write([u(1), record]))

    def pairs() -> list[tuple[str, str]]:
        now = data(session, 1)
        assert (now["mes"], now["extra"]) == (
            now["swipes"][now["swipe_id"]],
            now["swipe_info"][now["swipe_id"]]["extra"],
        )
        return [(text, side["extra"]["reasoning"]) for text, side in zip(now["swipes"], now["swipe_info"], strict=True)]

    session.do(commands.DeleteSwipe(key(session, 1), 0))
    assert pairs() == [("t1", "r1"), ("t2", "r2")]
    session.do(commands.DeleteSwipe(key(session, 1), 0))
    assert pairs() == [("t2", "r2")]
    session = program.reopen(session)
    assert pairs() == [("t2", "r2")]


def test_b28_an_edit_is_there_after_swiping_away_and_back(program: Program) -> None:
    session = program.open(program.write([u(1), a(1, "one", "two")]))
    session.do(commands.EditText(key(session, 1), "edited"))
    session.do(commands.SelectSwipe(key(session, 1), 1))
    session.do(commands.SelectSwipe(key(session, 1), 0))
    assert shown(session, 1) == ("edited", 1, 2)
    session = program.reopen(session)
    assert shown(session, 1) == ("edited", 1, 2)
    assert data(session, 1)["swipes"] == ["edited", "two"]


def test_b36_hidden_and_narrator_rows_are_messages(program: Program) -> None:
    narrator = {"name": "Narrator", "is_user": False, "is_system": True, "mes": "rain", "extra": {"type": "narrator"}}
    hidden = u(2, is_system=True, extra={"own": [1]})
    path = program.write([u(1), narrator, a(1, "x", "y", "z"), hidden])
    before = lines(path)
    session = program.open(path)
    assert session.chat is not None
    assert [facts.kind(message.data()) for message in session.chat.messages] == [
        "user",
        "narrator",
        "character",
        "user",
    ]
    session.do(commands.EditText(key(session, 0), "new"))
    program.runner.advance(1)
    assert lines(path)[2:] == before[2:]
