"""Replies that a dead program left: put where they were going to be, or as near to it as the chat still allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.session.generating.interrupted import belongs_to, command_for
from tavern_desktop.storage.reply_stream import InterruptedReply, StreamHead
from tests.unit.session.chats import chat_of, reply, texts, user


def left(action: str, after: int, text: str = "part") -> InterruptedReply:
    return InterruptedReply(Path("x.reply"), StreamHead("/c/talk.jsonl", action, "Mira", after, 1), text, "hm")


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


def test_it_belongs_to_one_file_under_whatever_spelling(tmp_path: Path) -> None:
    found = InterruptedReply(tmp_path / "x", StreamHead(str(tmp_path / "Talk.jsonl"), "reply", "M", 0, 1), "t", "")
    assert belongs_to(found, tmp_path / "sub" / ".." / "talk.jsonl") is belongs_to(found, tmp_path / "talk.jsonl")
    assert belongs_to(found, tmp_path / "Talk.jsonl")
    assert not belongs_to(found, tmp_path / "other.jsonl")
