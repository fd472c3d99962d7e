"""One session for each file, for as long as anybody looks at it or it holds what its file does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session import commands
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tests.unit.session.chats import ByHand, lines, raw, recorded, reply, texts, user, write
from tests.unit.session.stepped import Stepped

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


def test_back_and_forth_shows_nothing_of_what_was_left(tmp_path: Path, path: Path) -> None:
    """A slow load of one chat never shows in another, whatever arrives when."""
    runner = Stepped()
    chats = OpenChats(runner, tmp_path / "own" / "recovery")
    other = write(tmp_path / "chats" / "Mira" / "two.jsonl", [user("v0")])
    first = chats.open(path)
    runner.work()
    chats.release(first)
    second = chats.open(other)
    chats.release(second)
    third = chats.open(path)
    for session in (first, second):
        session.state_changed.connect(lambda: pytest.fail("nobody looks at this any more"))
        session.preview_ready.connect(lambda: pytest.fail("nobody looks at this any more"))
    runner.settle()
    assert (first.chat, second.chat) == (None, None)
    assert third is not first
    assert third.chat is not None
    assert texts(third.chat) == ["u0", "a1", "u2"]


def test_letting_go_works_though_the_folder_is_gone(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    path.parent.rename(path.parent.with_name("away"))
    chats.release(session)
    runner.run_until_idle()
    assert not chats.flush_all(0)
    path.parent.with_name("away").rename(path.parent)
    assert chats.session_for(path) is None


def test_a_folder_that_was_exchanged_holds_other_files(chats: OpenChats, runner: ByHand, path: Path) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    edit(session, 0, "mine")
    path.parent.rename(path.parent.with_name("away"))
    write(path, [user("another")])
    runner.advance(1)
    assert session.save_state.kind == "changed_on_disk"
    assert chats.flush_all(0) == ["one"]


def test_a_chat_that_moves_onto_another_ones_name_puts_nobody_out(
    chats: OpenChats, runner: ByHand, tmp_path: Path, path: Path
) -> None:
    gone = write(path.with_name("gone.jsonl"), RECORDS)
    orphan, session = chats.open(gone), chats.open(path)
    runner.run_until_idle()
    edit(orphan, 0, "of the one")
    edit(session, 0, "of the other")
    gone.unlink()
    session.save_as_new("gone")
    runner.advance(1)
    assert b'"of the other"' in lines(gone)[1]
    assert orphan.save_state.kind == "changed_on_disk"
    chats.release(session)
    chats.release(orphan)
    assert chats.unsaved() == [orphan]


def test_the_end_waits_for_a_save_as_new_and_what_was_changed_meanwhile(
    chats: OpenChats, runner: ByHand, path: Path
) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    new = session.save_as_new("two")
    edit(session, 0, "meanwhile")
    assert chats.flush_all(10) == []
    assert b'"meanwhile"' in lines(new)[1]


def test_the_end_waits_for_what_a_reload_puts_aside(
    chats: OpenChats, runner: ByHand, tmp_path: Path, path: Path
) -> None:
    session = chats.open(path)
    runner.run_until_idle()
    edit(session, 0, "mine")
    session.reload()
    assert chats.flush_all(10) == []
    (kept,) = (tmp_path / "own" / "recovery").iterdir()
    assert b'"mine"' in lines(kept)[1]


def test_the_end_waits_only_so_long_and_names_what_is_not_saved(tmp_path: Path, path: Path) -> None:
    runner = Stepped()
    chats = OpenChats(runner, tmp_path / "own" / "recovery", preview_limit=0)
    sessions = [chats.open(path), chats.open(write(path.with_name("two.jsonl"), RECORDS))]
    runner.settle()
    edit(sessions[0], 0, "mine")
    assert chats.flush_all(0) == ["one"]
    assert sessions[0].is_saving
    runner.settle()
    assert (chats.unsaved(), b'"mine"' in lines(path)[1]) == ([], True)


def test_one_chat_that_cannot_be_saved_does_not_keep_the_others_from_it(
    chats: OpenChats, runner: ByHand, path: Path
) -> None:
    other = write(path.with_name("two.jsonl"), RECORDS)
    for session in (chats.open(path), chats.open(other)):
        runner.run_until_idle()
        edit(session, 0, "mine")
    foreign = b'{"chat_metadata":{"integrity":"another"}}\n' + raw(user("foreign"))
    path.write_bytes(foreign)
    assert chats.flush_all(10) == ["one"]
    assert b'"mine"' in lines(other)[1]
    assert path.read_bytes() == foreign


def test_a_chat_that_is_read_only_writes_nothing_however_it_ends(tmp_path: Path, runner: ByHand, path: Path) -> None:
    before = path.stat()
    chats = OpenChats(runner, tmp_path / "own" / "recovery", read_only=True)
    session = chats.open(path)
    runner.run_until_idle()
    with pytest.raises(CommandRefused):
        edit(session, 0, "mine")
    assert chats.flush_all(10) == []
    chats.release(session)
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
