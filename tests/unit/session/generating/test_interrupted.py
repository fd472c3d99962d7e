"""Replies that a dead program left: put where they were going to be, or as near to it as the chat still allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tavern_desktop.session.generating.interrupted import belongs_to, command_for
from tavern_desktop.storage.reply_stream import InterruptedReply, Part, StreamHead
from tests.unit.session.chats import chat_of, reply, texts, user


def left(action: str, after: int, text: str = "part") -> InterruptedReply:
    head = StreamHead("/c/talk.jsonl", action, "Mira", after, 1_000, "tiny", "custom")
    return InterruptedReply(Path("x.reply"), head, text, "hm", 3_500)


@pytest.mark.parametrize(
    ("action", "after", "expected"),
    [
        ("reply", 0, ["u0", "part", "a1", "u2"]),
        ("reply", 2, ["u0", "a1", "u2", "part"]),
        ("reply", 9, ["u0", "a1", "u2", "part"]),
        ("reply", -1, ["part", "u0", "a1", "u2"]),
        ("swipe", 0, ["u0", "part", "u2"]),
        ("swipe", 1, ["u0", "a1", "part", "u2"]),
        ("continue", 1, ["u0", "a1part", "u2"]),
    ],
)
def test_it_goes_where_it_was_going_to_be(action: str, after: int, expected: list[str]) -> None:
    chat = chat_of(user("u0"), reply("a1", "b1"), user("u2"))
    command = command_for(left(action, after), chat)
    command.do(chat)
    assert texts(chat) == expected
    command.undo(chat)
    assert texts(chat) == ["u0", "a1", "u2"]


def test_it_says_that_it_is_not_whole_and_keeps_the_reasoning() -> None:
    chat = chat_of(user("u0"))
    command_for(left("reply", 0), chat).do(chat)
    extra = chat.messages[-1].data()["extra"]
    assert (extra["reasoning"], extra["tavern_desktop"]) == ("hm", {"stopped": "closing"})


def test_it_says_what_wrote_it_and_when() -> None:
    chat = chat_of(user("u0"))
    command_for(left("reply", 0), chat).do(chat)
    record = chat.messages[-1].data()
    assert (record["extra"]["api"], record["extra"]["model"]) == ("custom", "tiny")
    assert (record["gen_started"], record["gen_finished"]) == ("1970-01-01T00:00:01.000Z", "1970-01-01T00:00:03.500Z")


def test_in_a_group_it_is_by_the_member_who_spoke() -> None:
    chat = chat_of(user("u0"))
    head = StreamHead("/c/talk.jsonl", "reply", "Mira", 0, 1, card="Mira.png")
    command_for(InterruptedReply(Path("x.reply"), head, "part", "", 2), chat).do(chat)
    assert chat.messages[-1].data()["original_avatar"] == "Mira.png"


def test_what_goes_on_does_not_run_into_the_sentence_before() -> None:
    chat = chat_of(user("u0"), reply("Done."))
    command_for(left("continue", 1, "Then more"), chat).do(chat)
    assert texts(chat)[-1] == "Done. Then more"


def test_it_belongs_to_one_file_under_whatever_spelling(tmp_path: Path) -> None:
    found = InterruptedReply(tmp_path / "x", StreamHead(str(tmp_path / "Talk.jsonl"), "reply", "M", 0, 1), "t", "", 1)
    assert belongs_to(found, tmp_path / "sub" / ".." / "talk.jsonl") is belongs_to(found, tmp_path / "talk.jsonl")
    assert belongs_to(found, tmp_path / "Talk.jsonl")
    assert not belongs_to(found, tmp_path / "other.jsonl")


@pytest.mark.parametrize(
    ("action", "after", "expected"), [("reply", 2, ["part", "two"]), ("swipe", 0, ["a1", "b1", "part", "two"])]
)
def test_alternatives_that_were_written_beside_it_come_with_it(action: str, after: int, expected: list[str]) -> None:
    chat = chat_of(user("u0"), reply("a1", "b1"), user("u2"))
    before = [message.raw for message in chat.messages]
    command = command_for(replace(left(action, after), others=(Part("two", ""),)), chat)
    command.do(chat)
    record = next(message.data() for message in chat.messages if "part" in message.data().get("swipes", []))
    assert record["swipes"] == expected
    assert record["swipe_info"][-1]["extra"]["tavern_desktop"] == {"stopped": "closing"}
    command.undo(chat)
    assert [message.raw for message in chat.messages] == before
