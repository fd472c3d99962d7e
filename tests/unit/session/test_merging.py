"""Another program wrote the file of a chat that was changed here: both are merged, and nothing of either is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText
from tavern_desktop.session.open_chats import OpenChats
from tests.unit.session.chats import ByHand, lines, recorded, reply, texts, user, write

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1"), user("u2")]


@pytest.fixture
def runner() -> ByHand:
    return ByHand()


@pytest.fixture
def session(tmp_path: Path, runner: ByHand) -> ChatSession:
    chats = OpenChats(runner, tmp_path / "recovery", preview_limit=0)
    session = chats.open(write(tmp_path / "chat.jsonl", RECORDS))
    runner.run_until_idle()
    return session


def key(session: ChatSession, index: int) -> int:
    assert session.chat is not None
    return session.chat.messages[index].key


def changed_elsewhere(session: ChatSession, records: list[dict[str, object]], runner: ByHand) -> None:
    """Another program writes, and our next save notices."""
    write(session.path, records)
    session.save_now()
    runner.run_until_idle()
    assert session.save_state.kind == "changed_on_disk"


def on_disk(session: ChatSession) -> list[str]:
    return [json.loads(line)["mes"] for line in lines(session.path)[1:]]


def test_additions_and_edits_of_both_sides_are_kept(session: ChatSession, runner: ByHand) -> None:
    merged: list[MergeResult] = recorded(session.merged)
    session.do(EditText(key(session, 1), "mine"))
    session.do(DeleteMessages([key(session, 2)]))
    edited = RECORDS[3] | {"mes": "theirs", "swipes": ["theirs"]}
    changed_elsewhere(session, [*RECORDS[:3], edited, RECORDS[4], user("new")], runner)
    session.merge()
    runner.run_until_idle()
    assert session.chat is not None
    assert texts(session.chat) == on_disk(session) == ["u0", "mine", "theirs", "u2", "new"]
    assert session.save_state.kind == "saved"
    assert not session.is_dirty
    (result,) = merged
    assert (len(result.added_by_disk), len(result.changed_by_disk), len(result.deleted_by_disk)) == (1, 1, 0)


def test_what_is_typed_while_merging_stays_and_is_saved(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [*RECORDS, user("theirs")], runner)
    session.merge()
    session.do(AppendMessage(user("typed meanwhile")))
    session.do(DeleteMessages([key(session, 0)]))
    runner.run_until_idle()
    assert session.chat is not None
    assert sorted(texts(session.chat)) == sorted(["mine", "u1", "a1", "u2", "theirs", "typed meanwhile"])
    runner.advance(1)
    assert on_disk(session) == texts(session.chat)


def test_undo_brings_our_version_back(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [*RECORDS, user("theirs")], runner)
    session.merge()
    runner.run_until_idle()
    assert session.undo_label == "Merge"
    session.undo()
    runner.advance(1)
    assert on_disk(session) == ["u0", "mine", "u1", "a1", "u2"]


def test_what_an_older_copy_was_saved_over_comes_back(session: ChatSession, runner: ByHand) -> None:
    merged: list[MergeResult] = recorded(session.merged)
    session.do(AppendMessage(user("published by us")))
    runner.advance(1)
    assert on_disk(session)[-1] == "published by us"
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [*RECORDS, reply("theirs")], runner)  # it never saw our last message
    session.merge()
    runner.run_until_idle()
    assert sorted(on_disk(session)) == sorted(["u0", "mine", "u1", "a1", "u2", "theirs", "published by us"])
    assert len(merged[0].restored) == 1


def test_a_chat_that_collapsed_is_not_merged(session: ChatSession, runner: ByHand) -> None:
    notices = recorded(session.notice)
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [reply("a greeting in place of everything")], runner)
    before = session.path.read_bytes()
    session.merge()
    runner.run_until_idle()
    assert session.path.read_bytes() == before
    assert session.save_state.kind == "changed_on_disk"
    assert session.chat is not None
    assert texts(session.chat) == ["u0", "mine", "u1", "a1", "u2"]
    assert "shrank to 1 messages" in notices[-1]


def test_another_chat_is_not_merged(session: ChatSession, runner: ByHand) -> None:
    notices = recorded(session.notice)
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, RECORDS, runner)
    write(session.path, RECORDS, b'{"chat_metadata":{"integrity":"another"}}')
    before = session.path.read_bytes()
    session.merge()
    runner.run_until_idle()
    assert session.path.read_bytes() == before
    assert session.is_dirty
    assert notices[-1].startswith("Not merged.")


def test_a_file_that_is_damaged_now_is_not_merged(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, RECORDS, runner)
    session.path.write_bytes(session.path.read_bytes()[:-9])
    before = session.path.read_bytes()
    session.merge()
    runner.run_until_idle()
    assert session.path.read_bytes() == before
    assert session.is_dirty
    assert session.save_state.kind == "changed_on_disk"
