"""One session for each file, for as long as anybody looks at it or it holds what its file does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session import commands
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tests.unit.session.chats import ByHand, lines, raw, recorded, reply, texts, user, write

RECORDS = [user("u0"), reply("a1", "b1"), user("u2")]


@pytest.fixture
def runner() -> ByHand:
    return ByHand()


@pytest.fixture
def chats(tmp_path: Path, runner: ByHand) -> OpenChats:
    return OpenChats(runner, tmp_path / "own" / "recovery", preview_limit=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path / "chats" / "Mira" / "one.jsonl", RECORDS)


def edit(session: ChatSession, index: int, text: str) -> None:
    assert session.chat is not None
    session.do(commands.EditText(session.chat.messages[index].key, text))


def break_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    monkeypatch.setattr(Stage, "sync", full)


def test_two_views_share_one_chat(chats: OpenChats, runner: ByHand, path: Path) -> None:
    first, second = chats.open(path), chats.open(path.parent / ".." / "Mira" / path.name)
    runner.run_until_idle()
    assert first is second is chats.session_for(path)
    edit(first, 0, "edited")
    assert second.chat is not None
    assert texts(second.chat)[0] == "edited"


def test_a_link_leads_to_the_same_session(chats: OpenChats, path: Path) -> None:
    link = path.with_name("link.jsonl")
    link.symlink_to(path)
    assert chats.open(link) is chats.open(path)


def test_the_kind_is_told_by_the_folder(chats: OpenChats, tmp_path: Path, path: Path) -> None:
    group = write(tmp_path / "group chats" / "1.jsonl", RECORDS, None)
    assert (chats.open(path).kind, chats.open(group).kind) == ("character", "group")


def test_the_last_view_that_leaves_saves_and_closes(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    chats.open(path)
    runner.run_until_idle()
    edit(session, 0, "edited")
    chats.release(session)
    assert chats.session_for(path) is session
    chats.release(session)
    runner.run_until_idle()
    assert chats.session_for(path) is None
    assert b'"edited"' in lines(path)[1]
    chats.release(session)


def test_leaving_without_changes_writes_nothing(chats: OpenChats, runner: ByHand, path: Path) -> None:
    before = path.stat()
    session = chats.open(path)
    runner.run_until_idle()
    chats.release(session)
    assert chats.session_for(path) is None
    runner.advance(60)
    assert path.stat() == before


def test_leaving_while_it_loads_stops_the_loading(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    chats.release(session)
    runner.run_until_idle()
    assert session.chat is None
    again = chats.open(path)
    runner.run_until_idle()
    assert again is not session
    assert again.state == "ready"


def test_coming_back_while_it_saves_finds_the_same_chat(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    edit(session, 0, "edited")
    chats.release(session)
    assert chats.open(path) is session
    runner.run_until_idle()
    assert chats.session_for(path) is session
    edit(session, 0, "again")
    runner.advance(1)
    assert b'"again"' in lines(path)[1]


def test_what_could_not_be_saved_stays_open_until_it_is(
    chats: OpenChats, runner: ByHand, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    told = recorded(chats.unsaved_changed)
    edit(session, 0, "edited")
    with monkeypatch.context() as patched:
        break_saving(patched)
        chats.release(session)
        runner.run_until_idle()
        assert chats.unsaved() == [session]
        assert chats.open(path) is session
        chats.release(session)
        assert chats.flush_all(0) == ["one"]
        told.clear()
    runner.advance(60)
    assert (chats.unsaved(), chats.session_for(path)) == ([], None)
    assert told
    assert b'"edited"' in lines(path)[1]


def test_flushing_saves_all_at_once(chats: OpenChats, runner: ByHand, tmp_path: Path, path: Path) -> None:
    other = write(tmp_path / "chats" / "Bo" / "two.jsonl", RECORDS)
    sessions = [chats.open(path), chats.open(other)]
    runner.run_until_idle()
    for session in sessions:
        edit(session, 2, "edited")
    assert chats.flush_all(10) == []
    assert all(b'"edited"' in lines(file)[3] for file in (path, other))


def test_a_chat_saved_as_new_is_found_under_its_new_name(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    edit(session, 0, "mine")
    new = session.save_as_new("two")
    chats.release(session)
    assert chats.session_for(path) is session
    runner.run_until_idle()
    assert (chats.session_for(path), chats.session_for(new)) == (None, None)
    assert (lines(path)[1], b'"mine"' in lines(new)[1]) == (raw(RECORDS[0]), True)
    assert chats.open(path) is not session


def test_switching_fast_between_two_chats_never_mixes_them(
    chats: OpenChats, runner: ByHand, tmp_path: Path, path: Path
) -> None:
    other = write(tmp_path / "chats" / "Mira" / "two.jsonl", [user("v0"), reply("c1")])
    first = chats.open(path)
    chats.release(first)
    second = chats.open(other)
    runner.run_until_idle()
    edit(second, 0, "to two")
    chats.release(second)
    third = chats.open(path)
    runner.run_until_idle()
    edit(third, 0, "to one")
    chats.release(third)
    runner.run_until_idle()
    assert [b'"to one"' in lines(path)[1], b'"to two"' in lines(other)[1]] == [True, True]
    assert (len(lines(path)), len(lines(other))) == (4, 3)
