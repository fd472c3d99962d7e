"""Copies in SillyTavern's own folder: never over one another, once for the same content, pruned by name, restorable."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tavern_desktop.storage import backups, moves, stages
from tavern_desktop.storage.backups import BackupFolder, key_of_name, owner_of, to_prune
from tavern_desktop.storage.copies import copy_new
from tavern_desktop.storage.errors import StorageError

NOON = time.mktime((2026, 1, 2, 12, 0, 0, 0, 0, -1))


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "user" / "chats" / "Aria Vale" / "talk.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"one"}\r\nbroken \xff\0')
    return path


@pytest.fixture
def folder(chat: Path) -> BackupFolder:
    return BackupFolder(chat.parents[2] / "backups")


def _names(folder: BackupFolder) -> list[str]:
    return sorted(os.listdir(folder.path))


def test_a_backup_is_the_file_byte_for_byte_under_its_characters_name(chat: Path, folder: BackupFolder) -> None:
    path = folder.add(chat, at=NOON)
    assert path is not None
    assert path.name == "chat_aria_vale_20260102-120000.jsonl"
    assert path.read_bytes() == chat.read_bytes()
    assert _names(folder) == [path.name]


def test_nothing_is_overwritten_in_the_same_second(chat: Path, folder: BackupFolder) -> None:
    for number in range(3):
        chat.write_bytes(b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"%d"}' % number)
        folder.add(chat, at=NOON)
    stem = "chat_aria_vale_20260102-120000"
    assert _names(folder) == [f"{stem}-2.jsonl", f"{stem}-3.jsonl", f"{stem}.jsonl"]


def test_the_same_content_is_kept_once(chat: Path, folder: BackupFolder) -> None:
    assert folder.add(chat, at=NOON) is not None
    assert folder.add(chat, at=NOON + 60) is None
    chat.write_bytes(chat.read_bytes() + b"\n{}")
    assert folder.add(chat, at=NOON + 120) is not None
    assert len(_names(folder)) == 2


def test_another_chat_of_the_same_character_does_not_count_as_the_same_chat(chat: Path, folder: BackupFolder) -> None:
    folder.add(chat, at=NOON)
    other = chat.with_name("other.jsonl")
    other.write_bytes(b'{"chat_metadata":{"integrity":"b"}}')
    folder.add(other, at=NOON + 60)
    assert folder.add(chat, at=NOON + 120) is None  # the newest of this very chat has it
    assert len(_names(folder)) == 2


def test_a_program_that_lives_shortly_leaves_young_backups_alone(chat: Path, folder: BackupFolder) -> None:
    folder.add(chat)
    chat.write_bytes(b'{"chat_metadata":{"integrity":"a"}}')
    assert folder.add(chat, least_age=10) is None
    assert folder.add(chat, at=time.time() + 11, least_age=10) is not None


def test_only_backups_of_exactly_this_name_are_pruned_and_foreign_files_never(chat: Path, folder: BackupFolder) -> None:
    folder.path.mkdir()
    foreign = ["chat_aria_vale_smith_20200101-000000.jsonl", "notes.txt", "chat_aria_vale_2020.jsonl"]
    for name in foreign:
        (folder.path / name).write_bytes(b"")
        os.utime(folder.path / name, (0, 0))
    small = BackupFolder(folder.path, keep=2)
    for number in range(4):
        chat.write_bytes(b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"%d"}' % number)
        made = small.add(chat, at=NOON + number)
        assert made is not None
        os.utime(made, (NOON + number, NOON + number))
    left = ["chat_aria_vale_20260102-120002.jsonl", "chat_aria_vale_20260102-120003.jsonl"]
    assert _names(folder) == sorted([*foreign, *left])


def test_a_chat_that_is_saved_all_the_time_cannot_push_out_another(chat: Path, folder: BackupFolder) -> None:
    rare = chat.parents[1] / "Mira" / "rare.jsonl"
    rare.parent.mkdir()
    rare.write_bytes(b'{"chat_metadata":{}}')
    kept = folder.add(rare, at=NOON - 60 * 86400)
    for number in range(80):
        chat.write_bytes(b'{"chat_metadata":{}}\n{"mes":"%d"}' % number)
        folder.add(chat, at=NOON + number)
    assert kept is not None
    assert kept.exists()
    assert len(folder.list("aria_vale")) == 50


def test_none_are_kept_where_none_are_wanted(chat: Path, folder: BackupFolder) -> None:
    assert BackupFolder(folder.path, keep=0).add(chat) is None
    assert not folder.path.exists()


def test_the_total_can_be_limited(chat: Path, folder: BackupFolder) -> None:
    folder.path.mkdir()
    for number in range(5):
        (folder.path / f"chat_n{number}_20260101-000000.jsonl").write_bytes(b"")
        os.utime(folder.path / f"chat_n{number}_20260101-000000.jsonl", (number, number))
    BackupFolder(folder.path, total=2).prune("n4")
    assert _names(folder) == ["chat_n3_20260101-000000.jsonl", "chat_n4_20260101-000000.jsonl"]


@pytest.mark.parametrize("name", ["talk.jsonl", "../chat_x/talk.jsonl", "", "chat_\0.jsonl"])
def test_other_names_are_no_backups(folder: BackupFolder, name: str) -> None:
    with pytest.raises(StorageError) as caught:
        folder.find(name)
    assert (caught.value.kind, caught.value.detail) == ("validation", "name")


def test_a_path_before_the_name_counts_for_nothing(chat: Path, folder: BackupFolder) -> None:
    path = folder.add(chat)
    assert path is not None
    for word in (path.name, f"../../etc/{path.name}", f"C:\\x\\{path.name}"):
        assert folder.find(word) == path
    with pytest.raises(StorageError) as caught:
        folder.find("chat_missing_20260101-000000.jsonl")
    assert (caught.value.kind, caught.value.detail) == ("not_found", "backup")


def test_restoring_makes_a_new_file_and_touches_no_other(chat: Path, folder: BackupFolder) -> None:
    content = chat.read_bytes()
    path = folder.add(chat)
    assert path is not None
    chat.write_bytes(b'{"chat_metadata":{"integrity":"a"}}')
    first = folder.restore(path.name, chat.parent, "talk")
    second = folder.restore(path.name, chat.parent, "talk")
    assert [first.name, second.name] == ["talk 2.jsonl", "talk 3.jsonl"]
    assert first.read_bytes() == second.read_bytes() == content
    assert chat.read_bytes() == b'{"chat_metadata":{"integrity":"a"}}'
    folder.delete(path.name)
    assert folder.list() == []


def test_a_group_chats_backups_go_under_its_id() -> None:
    assert owner_of(Path("/d/user/group chats/2026-01-05@09h07m03s042ms.jsonl")) == "2026-01-05@09h07m03s042ms"
    assert key_of_name("2026-01-05@09h07m03s042ms") == "2026_01_05_09h07m03s042ms"


def test_characters_that_grow_when_lowered_count_once() -> None:
    assert key_of_name("İ").startswith("_")
    assert len(key_of_name("İ")) == len("_") + len("_") + 8


def test_pruning_takes_names_literally() -> None:
    assert to_prune([("chat_axb_20260101-000000.jsonl", 1)], "a.b", 0) == []


@pytest.mark.parametrize("without", ["renameat2", "links"])
def test_a_taken_name_is_never_replaced_whatever_the_system_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without: str
) -> None:
    monkeypatch.setattr(moves, "_rename_in_one_step", lambda source, target, how: False)
    if without == "links":

        def refuse(source: object, target: object) -> None:
            raise PermissionError(1, "no links here")

        monkeypatch.setattr(os, "link", refuse)
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    with pytest.raises(FileExistsError):
        moves.move_without_replacing(tmp_path / "a", tmp_path / "b")
    moves.move_without_replacing(tmp_path / "a", tmp_path / "c")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"b": b"b", "c": b"a"}


def test_a_copy_never_takes_a_taken_name(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = chat.with_name("copy.jsonl")
    take = stages.Stage.take_free_name

    def late(stage: stages.Stage) -> None:
        target.write_bytes(b"theirs")
        take(stage)

    monkeypatch.setattr(stages.Stage, "take_free_name", late)
    with pytest.raises(StorageError) as caught:
        copy_new(chat, target)
    assert (caught.value.kind, caught.value.detail) == ("already_exists", "target")
    assert target.read_bytes() == b"theirs"
    assert sorted(os.listdir(chat.parent)) == ["copy.jsonl", "talk.jsonl"]


def test_where_blocks_can_be_shared_nothing_is_copied(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def share(source: int, target: int) -> bool:
        os.write(target, os.pread(source, 1 << 20, 0))
        return True

    monkeypatch.setattr(stages, "_share_blocks", share)
    monkeypatch.setattr(stages.Stage, "write", None)
    target = chat.with_name("copy.jsonl")
    assert copy_new(chat, target).size == chat.stat().st_size
    assert target.read_bytes() == chat.read_bytes()


def test_a_folder_that_cannot_be_made_is_an_error_of_its_own(chat: Path, folder: BackupFolder) -> None:
    folder.path.write_bytes(b"a file is in the way")
    with pytest.raises(StorageError) as caught:
        folder.add(chat)
    assert caught.value.kind == "io"
    assert backups.UNLIMITED == -1
