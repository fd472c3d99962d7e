"""Backups brought back: beside what is there, or in its place with every way back (B-19, B-20, contract B7, B9)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.backing_up import backups_in
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.deleted import bring_back, deleted_chats
from tavern_desktop.session.importing import Receiver
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.backups import BackupFolder
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.test_file_acts import CHAT, Desk, lines

ARIA = Receiver("Aria Vale")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / "talk.jsonl"
    path.write_bytes(CHAT)
    return path


@pytest.fixture
def backup(root: DataRoot, chat: Path) -> Path:
    """What the chat said before its last message was changed."""
    path = backups_in(root).ensure(chat)
    chat.write_bytes(CHAT.replace(b'"two"', b'"changed"') + b'{"name":"Ada","mes":"three"}\n')
    return path


def texts(path: Path) -> list[Any]:
    return [line["mes"] for line in lines(path)[1:]]


def restore(desk: Desk, chat: Path, backup: Path) -> int:
    return desk.result(lambda done: desk.acts.backups.restore_over(chat, backup, done))


def all_backups(root: DataRoot) -> set[bytes]:
    return {each.path.read_bytes() for each in backups_in(root).list()}


def test_a_closed_chat_becomes_what_the_backup_says_and_what_it_said_is_kept(
    desk: Desk, root: DataRoot, chat: Path, backup: Path
) -> None:
    before = chat.read_bytes()
    assert restore(desk, chat, backup) == 2
    assert texts(chat) == ["one", "two"]
    assert before in all_backups(root)
    assert lines(chat)[0]["chat_metadata"] == {"integrity": "x", "note": 1.1}


def test_an_open_chat_is_restored_where_it_is_open_and_undo_brings_it_back(
    desk: Desk, root: DataRoot, chat: Path, backup: Path
) -> None:
    session = desk.chats.open(chat)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Ada", "mes": "not saved"}))
    assert restore(desk, chat, backup) == 2
    assert texts(chat) == ["one", "two"]
    assert session.chat is not None
    assert len(session.chat) == 2
    session.undo()
    session.save_now()
    desk.runner.run_until_idle()
    assert texts(chat) == ["one", "changed", "three", "not saved"]


def test_the_identity_of_the_chat_stays(desk: Desk, root: DataRoot, chat: Path, backup: Path) -> None:
    other = backup.with_name("chat_aria_vale_20200101-000000.jsonl")
    other.write_bytes(backup.read_bytes().replace(b'"integrity":"x"', b'"integrity":"other"'))
    restore(desk, chat, other)
    assert lines(chat)[0]["chat_metadata"]["integrity"] == "x"


@pytest.mark.parametrize("content", [b"garbage", CHAT + b'{"cut'])
def test_a_damaged_backup_restores_nothing(desk: Desk, chat: Path, backup: Path, content: bytes) -> None:
    before = chat.read_bytes()
    backup.write_bytes(content)
    with pytest.raises(StorageError, match="bad_"):
        restore(desk, chat, backup)
    backup.unlink()
    with pytest.raises(StorageError, match="not_found"):
        restore(desk, chat, backup)
    assert chat.read_bytes() == before


def test_a_chat_that_must_not_be_written_is_not(tmp_path: Path, chat: Path, backup: Path) -> None:
    desk = Desk(tmp_path / "own")
    desk.chats = type(desk.chats)(desk.runner, tmp_path / "own" / "recovery", read_only=True, preview_limit=0)
    desk.acts = type(desk.acts)(desk.runner, desk.chats, tmp_path / "own")
    before = chat.read_bytes()
    outcomes: list[Outcome[int]] = []
    desk.acts.backups.restore_over(chat, backup, outcomes.append)
    desk.runner.run_until_idle()
    assert isinstance(outcomes[0].error, CommandRefused)
    assert chat.read_bytes() == before


def test_a_copy_never_replaces_a_chat_of_the_same_name(desk: Desk, root: DataRoot, chat: Path, backup: Path) -> None:
    before = {path: path.read_bytes() for path in chat.parent.glob("*.jsonl")}
    made = [desk.result(lambda done: desk.acts.restore(chat, backup, done)).path for _ in range(2)]
    made.append(bring_back(root, ARIA, "talk", backup))
    assert [path.name for path in made] == ["talk (backup).jsonl", "talk (backup) 2.jsonl", "talk 2.jsonl"]
    assert all(path.read_bytes() == CHAT for path in made)
    assert {path: path.read_bytes() for path in before} == before


def test_a_deleted_chat_is_found_and_comes_back_after_a_restart(
    desk: Desk, root: DataRoot, chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: path.unlink() or True)
    assert deleted_chats(root, ARIA) == []
    content = chat.read_bytes()
    older = backups_in(root).ensure(chat)
    chat.write_bytes(content + b'{"name":"Ada","mes":"three"}')
    desk.remove(chat)
    found = deleted_chats(root, ARIA)
    assert [each.path.read_bytes() for each in found] == [content + b'{"name":"Ada","mes":"three"}']
    assert found[0].path != older
    back = bring_back(root, ARIA, "talk", found[0].path)
    assert back == chat
    assert deleted_chats(root, ARIA) == []


def test_a_deleted_group_chat_is_found_by_not_being_a_characters(root: DataRoot) -> None:
    (record,) = root.groups.glob("*.json")
    path = root.group_chats / "gone.jsonl"
    path.write_bytes(CHAT)
    backups_in(root).ensure(path)
    path.unlink()
    (found,) = deleted_chats(root, Receiver(group=record.stem))
    back = bring_back(root, Receiver(group=record.stem), "gone", found.path)
    assert back == path
    assert "gone" in json.loads(record.read_bytes())["chats"]


def test_what_is_saved_often_does_not_drive_out_what_is_saved_rarely(tmp_path: Path) -> None:
    folder = BackupFolder(tmp_path / "backups", keep=5)
    chats = tmp_path / "chats" / "Mira"
    chats.mkdir(parents=True)
    rare, often = chats / "P.jsonl", chats / "Q.jsonl"
    day = 86_400.0
    for week in range(8):
        rare.write_text(f'{{"chat_metadata":{{"integrity":"p"}}}}\n{{"mes":"week {week}"}}', "utf-8")
        _add(folder, rare, week * 7 * day)
        for save in range(8):
            often.write_text(f'{{"chat_metadata":{{"integrity":"q"}}}}\n{{"mes":"{week} {save}"}}', "utf-8")
            _add(folder, often, week * 7 * day + 3600 + save * 60)
    kept = [backup.path.read_text("utf-8") for backup in folder.list()]
    assert sum('"p"' in text for text in kept) == 1
    assert any("week 7" in text for text in kept)
    assert sum('"q"' in text for text in kept) == 5
    often.unlink()
    before = folder.list()
    assert folder.add(rare, at=99 * 7 * day) is None  # says what the newest copy says
    assert folder.list() == before


def _add(folder: BackupFolder, chat: Path, at: float) -> None:
    made = folder.add(chat, at=at)
    if made is not None:
        os.utime(made, (at, at))
