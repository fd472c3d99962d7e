"""Another program wrote the file of a chat that was changed here: both are merged, and nothing of either is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.session import writing
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.trouble import Trouble
from tavern_desktop.session.writing import ATTEMPTS
from tavern_desktop.storage.savelog import read_save_log
from tavern_desktop.storage.signature import Signature
from tests.unit.session.chats import HEADER, ByHand, lines, recorded, reply, texts, user, write

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1"), user("u2")]


@pytest.fixture
def runner() -> ByHand:
    return ByHand()


@pytest.fixture
def session(tmp_path: Path, runner: ByHand) -> ChatSession:
    chats = OpenChats(runner, tmp_path / "recovery", preview_limit=0, own_folder=tmp_path / "own")
    session = chats.open(write(tmp_path / "chat.jsonl", RECORDS))
    runner.run_until_idle()
    return session


def key(session: ChatSession, index: int) -> int:
    assert session.chat is not None
    return session.chat.messages[index].key


def changed_elsewhere(session: ChatSession, records: list[dict[str, object]], runner: ByHand) -> None:
    """Another program writes, and our next save finds it."""
    write(session.path, records)
    session.save_now()
    runner.run_until_idle()


def on_disk(session: ChatSession) -> list[str]:
    return [json.loads(line)["mes"] for line in lines(session.path)[1:]]


def test_additions_and_edits_of_both_sides_are_kept(session: ChatSession, runner: ByHand) -> None:
    merged: list[MergeResult] = recorded(session.merged)
    session.do(EditText(key(session, 1), "mine"))
    session.do(DeleteMessages([key(session, 2)]))
    edited = RECORDS[3] | {"mes": "theirs", "swipes": ["theirs"]}
    changed_elsewhere(session, [*RECORDS[:3], edited, RECORDS[4], user("new")], runner)
    assert session.chat is not None
    assert texts(session.chat) == on_disk(session) == ["u0", "mine", "theirs", "u2", "new"]
    assert session.save_state.kind == "saved"
    assert not session.is_dirty
    (result,) = merged
    assert (len(result.added_by_disk), len(result.changed_by_disk), len(result.deleted_by_disk)) == (1, 1, 0)


def test_what_is_typed_while_merging_stays_and_is_saved(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    write(session.path, [*RECORDS, user("theirs")])
    session.save_now()
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
    assert sorted(on_disk(session)) == sorted(["u0", "mine", "u1", "a1", "u2", "theirs", "published by us"])
    assert len(merged[0].restored) == 1


def test_a_chat_that_collapsed_is_asked_about(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [reply("a greeting in place of everything")], runner)
    before = session.path.read_bytes()
    assert session.trouble == Trouble("shrunk", 1)
    assert session.save_state.kind == "changed_on_disk"
    session.do(EditText(key(session, 0), "typed since"))
    runner.advance(100)
    assert session.path.read_bytes() == before
    session.keep_mine()
    runner.run_until_idle()
    assert on_disk(session) == ["typed since", "mine", "u1", "a1", "u2"]
    assert (session.trouble, session.save_state.kind, session.is_dirty) == (None, "saved", False)
    copies = list((session.path.parent / "own" / "backups").iterdir())
    assert [copy.read_bytes() for copy in copies] == [before]


def test_the_file_can_be_taken_instead(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    changed_elsewhere(session, [reply("a greeting in place of everything")], runner)
    session.take_file()
    runner.run_until_idle()
    assert session.chat is not None
    assert texts(session.chat) == on_disk(session) == ["a greeting in place of everything"]
    assert (session.trouble, session.is_dirty) == (None, False)


def test_another_chat_is_not_merged(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    write(session.path, RECORDS, b'{"chat_metadata":{"integrity":"another"}}')
    before = session.path.read_bytes()
    session.save_now()
    runner.advance(100)
    assert session.path.read_bytes() == before
    assert session.is_dirty
    assert session.trouble == Trouble("other")


def test_an_identity_given_elsewhere_to_a_chat_without_one_is_taken(tmp_path: Path, runner: ByHand) -> None:
    chats = OpenChats(runner, tmp_path / "recovery", preview_limit=0)
    session = chats.open(write(tmp_path / "old.jsonl", RECORDS, b'{"chat_metadata":{}}'))
    runner.run_until_idle()
    session.do(EditText(key(session, 1), "mine"))
    write(session.path, [*RECORDS, user("theirs")], HEADER)
    runner.advance(1)
    assert on_disk(session) == ["u0", "mine", "u1", "a1", "u2", "theirs"]
    assert session.chat is not None
    assert session.chat.header.integrity() == Header(HEADER).integrity()
    assert Header(lines(session.path)[0]).integrity() == Header(HEADER).integrity()


def test_a_file_that_is_damaged_now_is_not_merged(session: ChatSession, runner: ByHand) -> None:
    session.do(EditText(key(session, 1), "mine"))
    session.path.write_bytes(session.path.read_bytes()[:-9])
    before = session.path.read_bytes()
    for _ in range(6):
        runner.advance(5)
    assert session.path.read_bytes() == before
    assert session.is_dirty
    assert session.trouble is not None
    assert (session.trouble.kind, session.save_state.kind) == ("unreadable", "changed_on_disk")


def test_a_file_written_again_and_again_is_merged_in_the_end(
    session: ChatSession, runner: ByHand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program writes between each reading and the replacing: the next attempt finds that too."""
    numbers = iter(range(2 * ATTEMPTS))
    real = writing.publish

    def publish(path: Path, *arguments: Any, **options: Any) -> Signature:
        for number in numbers:
            write(path, [*RECORDS, *(user(f"theirs {n}") for n in range(number + 1))])
            break
        return real(path, *arguments, **options)

    monkeypatch.setattr(writing, "publish", publish)
    session.do(EditText(key(session, 1), "mine"))
    write(session.path, [*RECORDS, user("theirs")])
    for _ in range(4):
        runner.advance(1)
    assert session.chat is not None
    assert on_disk(session) == texts(session.chat)
    assert on_disk(session)[1:2] + on_disk(session)[5:] == ["mine", *(f"theirs {n}" for n in range(2 * ATTEMPTS))]
    assert (session.save_state.kind, session.is_dirty) == ("saved", False)


def test_what_another_program_wrote_and_took_back_is_gone_here_too(session: ChatSession, runner: ByHand) -> None:
    """SillyTavern adds a reply, which we follow, and regenerates it: the first one is not ours to bring back."""
    write(session.path, [*RECORDS, reply("the first", send_date="2026-01-05T10:00:00.000Z")])
    session.look_at_file()
    runner.run_until_idle()
    write(session.path, [*RECORDS, reply("another one", send_date="2026-01-05T10:01:00.000Z")])
    session.look_at_file()
    runner.run_until_idle()
    assert on_disk(session)[5:] == ["another one"]
    assert session.chat is not None
    assert texts(session.chat) == on_disk(session)
    session.undo()  # what it was stands in the history
    assert texts(session.chat)[5:] == ["the first"]


def test_what_we_wrote_comes_back_though_we_followed_others_since(session: ChatSession, runner: ByHand) -> None:
    """SillyTavern on the phone goes on from our message; that on the desktop saves its older copy over both."""
    session.do(AppendMessage(user("ours")))
    session.save_now()
    runner.run_until_idle()
    ours = [json.loads(line) for line in session.path.read_bytes().split(b"\n")[1:]]
    write(session.path, [*ours, user("Written on the train.", send_date="2026-01-05T10:00:00.000Z")])
    session.look_at_file()
    runner.run_until_idle()
    write(session.path, [*RECORDS, user("And this one here", send_date="2026-01-05T10:01:00.000Z")])
    session.look_at_file()
    runner.run_until_idle()
    assert sorted(on_disk(session)[5:]) == ["And this one here", "Written on the train.", "ours"]


def test_what_was_followed_and_deleted_there_does_not_come_back(session: ChatSession, runner: ByHand) -> None:
    write(session.path, RECORDS[:4])
    session.look_at_file()
    runner.run_until_idle()
    write(session.path, [*RECORDS[:4], user("new")])
    session.look_at_file()
    runner.run_until_idle()
    assert on_disk(session) == ["u0", "a0", "u1", "a1", "new"]
    assert session.chat is not None
    assert texts(session.chat) == on_disk(session)


def test_what_happened_is_in_the_log_of_saves(session: ChatSession, runner: ByHand, tmp_path: Path) -> None:
    session.do(EditText(key(session, 1), "mine"))
    runner.advance(1)
    write(session.path, [*RECORDS, user("theirs")])
    session.do(EditText(key(session, 2), "mine too"))
    runner.advance(1)
    merged, plain = read_save_log(tmp_path / "own" / "savelog")
    assert (plain.op, plain.path, plain.old_count, plain.new_count, plain.result) == ("save", "same", 5, 5, "saved")
    assert (merged.op, merged.path, merged.new_count, merged.conflicts) == ("save", "slow", 6, 0)
    assert merged.lost_in_memory == 0


def test_a_spool_that_cannot_be_written_stops_no_save(
    session: ChatSession, runner: ByHand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tavern_desktop.chat.states.MOST_BYTES", 10)
    (tmp_path / "own").mkdir(exist_ok=True)
    (tmp_path / "own" / "spool").write_bytes(b"in the way")
    session.do(EditText(key(session, 1), "mine"))
    runner.advance(1)
    session.do(EditText(key(session, 1), "mine again"))
    runner.advance(1)
    assert (session.save_state.kind, on_disk(session)[1]) == ("saved", "mine again")
