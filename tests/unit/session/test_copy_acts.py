"""Conflict copies: merged into their chat, or kept as chats of their own. Nothing of either is lost."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session import copy_acts
from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText
from tavern_desktop.session.copy_acts import COPY_UNSAVED, UNRELATED, CopyMerged
from tavern_desktop.session.file_acts import FileActs, FileDone
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.metadata import read_metadata
from tests.unit.session.chats import reply, texts, user, write
from tests.unit.session.test_file_acts import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture(autouse=True)
def no_bin(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


COMMON = [reply("hello"), user("hi")]


@pytest.fixture
def chat(root: DataRoot) -> Path:
    return write(root.chats / "Aria Vale" / "talk.jsonl", [*COMMON, reply("ours"), user("still ours")])


@pytest.fixture
def copy(chat: Path) -> Path:
    return write(
        chat.with_name("talk.sync-conflict-20260106-090000-ABCDEFG.jsonl"), [*COMMON, reply("theirs"), user("too")]
    )


def merge(desk: Desk, chat: Path, copy: Path, *, keep_copy: bool = False) -> CopyMerged:
    def start(done: Callable[[Outcome[CopyMerged]], None]) -> None:
        desk.acts.copies.merge(chat, copy, done, keep_copy=keep_copy)

    return desk.result(start)


def keep_both(desk: Desk, chat: Path, copy: Path) -> FileDone:
    def start(done: Callable[[Outcome[FileDone]], None]) -> None:
        desk.acts.copies.keep_both(chat, copy, done)

    return desk.result(start)


def on_disk(path: Path) -> list[str]:
    return [facts.text(json.loads(line)) for line in path.read_bytes().split(b"\n")[1:]]


def backups(root: DataRoot) -> list[bytes]:
    return [file.read_bytes() for file in (root.user_folder / "backups").glob("chat_*.jsonl")]


def test_a_merge_has_all_of_both_and_puts_the_copy_into_the_bin(
    desk: Desk, root: DataRoot, chat: Path, copy: Path, no_bin: list[Path]
) -> None:
    before = [chat.read_bytes(), copy.read_bytes()]
    merged = merge(desk, chat, copy)
    assert sorted(on_disk(chat)) == sorted(["hello", "hi", "ours", "still ours", "theirs", "too"])
    assert (merged.path, merged.messages, len(merged.result.added_by_disk), merged.differing) == (chat, 6, 2, 0)
    assert (no_bin, copy.exists()) == ([copy], False)
    assert all(content in backups(root) for content in before)
    gone = merged.removed
    assert gone is not None
    assert gone.copy is not None
    assert gone.copy.read_bytes() == before[1]


def test_a_merge_into_an_open_chat_is_one_step_of_undo(desk: Desk, chat: Path, copy: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    assert session.chat is not None
    session.do(AppendMessage(user("not saved yet")))
    merge(desk, chat, copy)
    assert set(texts(session.chat)) == {"hello", "hi", "ours", "still ours", "not saved yet", "theirs", "too"}
    assert not session.is_dirty
    assert session.undo_label == "Merge conflict copy"
    session.undo()
    assert texts(session.chat) == ["hello", "hi", "ours", "still ours", "not saved yet"]


def test_what_is_changed_while_the_copy_is_read_is_merged_too(desk: Desk, chat: Path, copy: Path) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    outcomes: list[Any] = []
    desk.acts.copies.merge(chat, copy, outcomes.append)
    session.do(AppendMessage(user("typed meanwhile")))
    desk.runner.run_until_idle()
    assert outcomes[0].result().messages == 7
    assert "typed meanwhile" in on_disk(chat)


def test_where_a_reply_differs_ours_stands_and_theirs_becomes_an_alternative(desk: Desk, chat: Path) -> None:
    write(chat, [*COMMON, reply("ours", message_id="m1")])
    copy = write(chat.with_name("talk (conflicted copy 2026-01-09).jsonl"), [*COMMON, reply("theirs", message_id="m1")])
    merged = merge(desk, chat, copy)
    last = json.loads(chat.read_bytes().split(b"\n")[-1])
    assert (last["mes"], last["swipes"], merged.differing) == ("ours", ["ours", "theirs"], 1)


def test_a_copy_with_nothing_new_only_goes(desk: Desk, chat: Path, copy: Path) -> None:
    write(copy, COMMON)
    before = chat.read_bytes()
    merged = merge(desk, chat, copy)
    assert (chat.read_bytes(), copy.exists(), merged.result.change_count) == (before, False, 0)


def test_metadata_that_only_the_copy_has_comes_along(desk: Desk, chat: Path, copy: Path) -> None:
    header = b'{"chat_metadata":{"integrity":"11111111-1111-4111-8111-111111111111","note_prompt":"kept"}}'
    write(copy, COMMON, header=header)
    merge(desk, chat, copy)
    assert read_metadata(chat)["note_prompt"] == "kept"


def test_a_copy_may_stay(desk: Desk, chat: Path, copy: Path, no_bin: list[Path]) -> None:
    before = copy.read_bytes()
    assert merge(desk, chat, copy, keep_copy=True).removed is None
    assert (copy.read_bytes(), no_bin) == (before, [])


def test_files_with_nothing_in_common_are_not_merged(desk: Desk, chat: Path, copy: Path) -> None:
    write(copy, [user("something else")])
    before = (chat.read_bytes(), copy.read_bytes())
    with pytest.raises(CommandRefused) as caught:
        merge(desk, chat, copy)
    assert caught.value.sentence == UNRELATED
    assert (chat.read_bytes(), copy.read_bytes()) == before


def test_a_damaged_copy_stays_as_it_is(desk: Desk, chat: Path, copy: Path) -> None:
    copy.write_bytes(copy.read_bytes() + b"\n{")
    before = (chat.read_bytes(), copy.read_bytes())
    with pytest.raises(StorageError) as caught:
        merge(desk, chat, copy)
    assert caught.value.kind == "bad_record"
    assert (chat.read_bytes(), copy.read_bytes()) == before


def test_without_a_backup_nothing_is_merged(
    desk: Desk, chat: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_chat: Path) -> Path:
        raise StorageError("io", "space")

    monkeypatch.setattr(copy_acts, "back_up_first", full)
    before = (chat.read_bytes(), copy.read_bytes())
    with pytest.raises(StorageError):
        merge(desk, chat, copy)
    assert (chat.read_bytes(), copy.read_bytes()) == before


def test_the_copy_stays_until_the_merge_is_saved(
    desk: Desk, chat: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any, **_named: Any) -> None:
        raise StorageError("io", "space")

    monkeypatch.setattr("tavern_desktop.session.versions.publish", full)
    session = desk.chats.open(chat)
    with pytest.raises(StorageError) as caught:
        merge(desk, chat, copy)
    assert (caught.value.detail, copy.exists()) == ("space", True)
    assert session.is_dirty


def test_a_copy_that_is_open_and_unsaved_is_left_alone(desk: Desk, chat: Path, copy: Path) -> None:
    session = desk.chats.open(copy)
    desk.runner.run_until_idle()
    session.do(AppendMessage(user("not saved yet")))
    with pytest.raises(CommandRefused) as caught:
        desk.acts.copies.merge(chat, copy, lambda outcome: None)
    assert caught.value.sentence == COPY_UNSAVED


def test_kept_both_are_two_chats(desk: Desk, chat: Path, copy: Path) -> None:
    before = copy.read_bytes().split(b"\n")[1:]
    kept = keep_both(desk, chat, copy)
    assert (kept.path.name, kept.warnings) == ("talk (version of 2026-01-06).jsonl", ())
    assert not copy.exists()
    assert kept.path.read_bytes().split(b"\n")[1:] == before
    assert read_metadata(kept.path)["integrity"] != read_metadata(chat)["integrity"]


def test_a_damaged_copy_can_be_kept(desk: Desk, chat: Path, copy: Path) -> None:
    copy.write_bytes(b"{\n")
    kept = keep_both(desk, chat, copy)
    assert kept.path.read_bytes() == b"{\n"
    assert len(kept.warnings) == 1


def test_a_kept_copy_of_a_group_chat_is_in_the_groups_list(desk: Desk, root: DataRoot) -> None:
    record = next(root.groups.glob("*.json"))
    chat = root.group_chats / f"{json.loads(record.read_bytes())['chats'][0]}.jsonl"
    copy = write(chat.with_name(f"{chat.stem} (other conflicted copy).jsonl"), COMMON)
    kept = keep_both(desk, chat, copy)
    assert kept.path.stem in json.loads(record.read_bytes())["chats"]


@pytest.fixture
def journaled(tmp_path: Path, root: DataRoot) -> Desk:
    """A program that keeps the history of its chats."""
    desk = Desk(tmp_path / "own")
    desk.chats = OpenChats(
        desk.runner, tmp_path / "own" / "recovery", preview_limit=0, own_folder=tmp_path / "own", root=root.path
    )
    desk.acts = FileActs(desk.runner, desk.chats, tmp_path / "own")
    return desk


def test_what_was_deleted_here_does_not_come_back_with_an_old_copy(journaled: Desk, chat: Path, copy: Path) -> None:
    write(chat, [user(f"message {number}", send_date=str(number)) for number in range(6)])
    session = journaled.chats.open(chat)
    journaled.runner.run_until_idle()
    assert session.chat is not None
    # The copy was made before what is done here: there two messages were edited, and one came.
    lines = [json.loads(line) for line in chat.read_bytes().split(b"\n")[1:]]
    lines[1]["mes"], lines[4]["mes"] = "message 1 there", "message 4 there"
    write(copy, [*lines, user("came there", send_date="9")])
    keys = [message.key for message in session.chat.messages]
    session.do(DeleteMessages([keys[0], keys[1]]))
    session.do(EditText(keys[3], "message 3 here"))
    session.do(AppendMessage(user("came here", send_date="8")))
    session.save_now()
    merged = merge(journaled, chat, copy)
    # message 0 stays deleted, message 1 was edited there; no edit of either side is lost, and nothing came twice.
    assert texts(session.chat) == [
        "message 1 there", "message 2", "message 3 here", "message 4 there", "message 5", "came there", "came here",
    ]  # fmt: skip
    assert merged.differing == 0


def test_messages_that_an_old_copy_does_not_have_yet_stay(journaled: Desk, chat: Path, copy: Path) -> None:
    write(chat, [user(f"m{number}", send_date=str(number)) for number in range(4)])
    write(copy, [user(f"m{number}", send_date=str(number)) for number in range(3)])
    session = journaled.chats.open(chat)
    journaled.runner.run_until_idle()
    merge(journaled, chat, copy)
    assert session.chat is not None
    assert texts(session.chat) == ["m0", "m1", "m2", "m3"]
