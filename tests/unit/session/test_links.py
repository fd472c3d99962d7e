"""Bookmarks, checkpoints, and links that follow a rename (B-30, B-31)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import change_job
from tavern_desktop.session.commands import AppendMessage, EditText
from tavern_desktop.session.link_commands import Relink, SetBookmark
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.chats import chat_of, reply, user
from tests.unit.session.test_file_acts import CHAT, Desk, lines


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / "talk.jsonl"
    path.write_bytes(CHAT)
    return path


def put(path: Path, metadata: dict[str, Any], *extras: dict[str, Any]) -> Path:
    records = [{"chat_metadata": metadata}, *({"name": "Ada", "mes": "x", "extra": extra} for extra in extras)]
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return path


def test_a_bookmark_is_set_replaced_and_removed_and_says_nothing_to_a_prompt() -> None:
    chat = chat_of(user("q"), reply("a", "b"))
    before = (chat.header, list(chat.messages))
    key = chat.messages[1].key
    first, second, none = SetBookmark(key, "cp 1"), SetBookmark(key, "cp 2"), SetBookmark(key, None)
    assert first.do(chat)
    assert second.do(chat)
    data = chat.messages[1].data()
    assert (data["extra"]["bookmark_link"], data["mes"], len(data["swipes"])) == ("cp 2", "a", 2)
    assert chat.header == before[0]
    assert none.do(chat)
    assert "bookmark_link" not in chat.messages[1].data()["extra"]
    for command in (none, second, first):
        command.undo(chat)
    assert (chat.header, list(chat.messages)) == before


def test_relinking_touches_only_what_points_there() -> None:
    marked = user("q", extra={"branches": ["old"], "bookmark_link": "old"})
    chat = chat_of(marked, reply("a"), header=b'{"chat_metadata":{"main_chat":"old","a":1.50}}')
    untouched = chat.messages[1]
    command = Relink("old", "new")
    assert command.do(chat)
    assert chat.header.metadata()["main_chat"] == "new"
    assert chat.messages[0].data()["extra"] == {"branches": ["new"], "bookmark_link": "new"}
    assert chat.messages[1] is untouched
    assert not Relink("old", "x").do(chat)


def test_a_checkpoint_holds_the_chat_up_to_there_and_the_chat_is_not_touched(desk: Desk, chat: Path) -> None:
    made = desk.result(lambda done: desk.acts.branch(chat, 0, done, checkpoint="")).path
    assert made.name == "talk - Checkpoint #1.jsonl"
    assert lines(made)[0]["chat_metadata"]["main_chat"] == "talk"
    assert lines(made)[0]["chat_metadata"]["integrity"] != "x"
    assert lines(made)[1:] == lines(chat)[1:2]
    assert chat.read_bytes() == CHAT
    named = [desk.result(lambda done: desk.acts.branch(chat, 0, done, checkpoint="Act 2?")).path.name for _ in "12"]
    assert named == ["Act 2.jsonl", "Act 2 2.jsonl"]
    of_checkpoint = desk.result(lambda done: desk.acts.branch(made, 0, done))
    assert of_checkpoint.path.name == "talk - Branch #1.jsonl"
    with pytest.raises(StorageError, match="validation/name"):
        desk.result(lambda done: desk.acts.branch(chat, 0, done, checkpoint="???"))


def test_links_in_other_chats_follow_a_rename(desk: Desk, chat: Path) -> None:
    child = put(chat.with_name("child.jsonl"), {"main_chat": "talk", "integrity": "c"}, {})
    parent = put(chat.with_name("parent.jsonl"), {}, {"bookmark_link": "talk"}, {"branches": ["talk", "other"]})
    other = put(chat.with_name("other.jsonl"), {"main_chat": "parent"}, {"bookmark_link": "talkative"})
    before = other.read_bytes()
    conflict = chat.with_name("child.sync-conflict-20260109-183000-ABCDEFG.jsonl")
    conflict.write_bytes(child.read_bytes())
    theirs = conflict.read_bytes()
    session = desk.chats.open(child)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "not saved"}))
    done = desk.rename(chat, "Act 2")
    assert done.warnings == ()
    assert lines(child)[0]["chat_metadata"]["main_chat"] == "Act 2"
    assert lines(child)[-1]["mes"] == "not saved"
    assert lines(parent)[1]["extra"]["bookmark_link"] == "Act 2"
    assert lines(parent)[2]["extra"]["branches"] == ["Act 2", "other"]
    assert (other.read_bytes(), conflict.read_bytes()) == (before, theirs)
    assert session.chat is not None
    assert session.chat.header.metadata()["main_chat"] == "Act 2"


def test_a_chat_that_cannot_follow_is_a_warning(desk: Desk, chat: Path) -> None:
    damaged = put(chat.with_name("child.jsonl"), {"main_chat": "talk"}, {})
    damaged.write_bytes(damaged.read_bytes() + b'\n{"cut')
    before = damaged.read_bytes()
    (chat.with_name("garbage.jsonl")).write_bytes(b"garbage talk")
    done = desk.rename(chat, "Act 2")
    (warning,) = done.warnings
    assert warning.startswith("Renamed, but the chat “child” still points to the old name. ")
    assert (damaged.read_bytes(), done.path.exists()) == (before, True)


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        ('Act 2: "The End?"', "Act 2 The End"),
        ("x" * 300, None),
        ("talk", "talk"),
        ("Talk", "Talk"),
        ("..", ".."),
        ("", None),
        (" Mira ", " Mira "),
        ("-rf", "-rf"),
        (".hidden", ".hidden"),
        ("What?|Now", "WhatNow"),
        ("a/b\\c", "abc"),
        ("tab\there", "tabhere"),
        ("x\u202ey", "x\u202ey"),
    ],
)
def test_every_name_is_taken_made_safe_or_refused_with_the_chat_as_it_was(
    desk: Desk, chat: Path, name: str, becomes: str | None
) -> None:
    if becomes is None:
        with pytest.raises(StorageError, match="validation/name"):
            desk.rename(chat, name)
        assert chat.read_bytes() == CHAT
        return
    target = desk.rename(chat, name).path
    assert target.name == f"{becomes}.jsonl"
    assert target.read_bytes() == CHAT


def test_a_long_chat_is_looked_through_before_the_command_is_carried_out(
    desk: Desk, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(change_job, "MANY", 2)
    child = put(chat.with_name("child.jsonl"), {"main_chat": "talk"}, {"bookmark_link": "talk"}, {}, {})
    session = desk.chats.open(child)
    desk.runner.run_until_idle()
    prepare = Relink.prepare

    def prepare_and_be_late(command: Relink, messages: Any) -> None:
        prepare(command, messages)
        key = messages[0].key
        session.do(EditText(key, "edited meanwhile"))

    monkeypatch.setattr(Relink, "prepare", prepare_and_be_late)
    assert desk.rename(chat, "Act 2").warnings == ()
    assert lines(child)[0]["chat_metadata"]["main_chat"] == "Act 2"
    assert (lines(child)[1]["mes"], lines(child)[1]["extra"]["bookmark_link"]) == ("edited meanwhile", "Act 2")
