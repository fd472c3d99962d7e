"""Chats that SillyTavern saved open here, and what we do not touch stays byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.session.commands import EditText
from tests.interop.chats import Record, change, let_it_save, opened, theirs
from tests.interop.sillytavern import Server

TEXTS = [
    "plain",
    "two\nlines\r\nand a CR",
    "“quotes” \"double\" 'single' \\ back",
    "日本語 emoji 😀👍🏽 \u2028\u2029\u0085",
    "nul\0bell\x07del\x7f",
    "a lone \ud83d surrogate",
    "```py\nprint(1)\n```",
    "<b>html</b> &amp; {{user}} {{char}}",
    " lead and trail ",
    "",
    "x" * 200_000,
]


@pytest.fixture
def saved_by_it(server: Server) -> Path:
    """A chat of a character of its own making, written by SillyTavern alone."""
    avatar = server.create_character("Roundtrip")
    path = server.user_folder / "chats" / avatar.removesuffix(".png") / "saved there.jsonl"
    let_it_save(server, path, _chat())
    return path


def test_we_read_what_it_saved(server: Server, saved_by_it: Path, tmp_path: Path) -> None:
    with opened(saved_by_it, tmp_path) as session:
        assert session.chat is not None
        assert [message.data() for message in session.chat.messages] == _chat()[1:] == theirs(server, saved_by_it)[1:]
        assert session.chat.header.data() == _chat()[0]


def test_an_edit_leaves_every_other_line_as_it_wrote_it(saved_by_it: Path, tmp_path: Path) -> None:
    before = saved_by_it.read_bytes().split(b"\n")
    change(saved_by_it, tmp_path, lambda chat: EditText(chat.messages[4].key, "edited here"))
    after = saved_by_it.read_bytes().removesuffix(b"\n").split(b"\n")
    assert len(after) == len(before)
    assert [number for number, (old, new) in enumerate(zip(before, after, strict=True)) if old != new] == [5]


def _chat() -> list[Record]:
    """A chat as its page sends it: replies with alternatives, unknown fields, numbers of every kind."""
    identity = {
        "integrity": "0b8b7a1e-3c55-4f0e-9d0c-2a6f1c9be001",
        "tainted": True,
        "some_extension": {"kept": [1, 0.1]},
    }
    chat: list[Record] = [{"chat_metadata": identity, "user_name": "unused", "character_name": "unused"}]
    for number, text in enumerate(TEXTS):
        date = f"2026-05-06T07:08:{number:02d}.009Z"
        record: Record = {
            "name": "User",
            "is_user": True,
            "is_system": False,
            "send_date": date,
            "mes": text,
            "extra": {},
        }
        if number % 2 == 0:
            info: Record = {"send_date": date, "extra": {"model": "example", "gen_id": 1719321243022.5}}
            record |= {"name": "Roundtrip", "is_user": False, "swipes": ["before", text], "swipe_id": 1}
            record |= {"swipe_info": [info, info], "extra": info["extra"], "from_elsewhere": None}
        chat.append(record)
    return chat
