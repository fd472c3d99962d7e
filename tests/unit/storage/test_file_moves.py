"""Renaming and removing: never over another file, bytes unchanged, and an honest answer where there is no bin."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tavern_desktop.storage import file_moves, locks
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.file_moves import bin_file, rename
from tavern_desktop.storage.signature import Signature

CHAT = b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"one"}\r\n\xff'


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chats" / "Mira - 2026-01-05.jsonl"
    path.parent.mkdir()
    path.write_bytes(CHAT)
    return path


def _refused(path: Path, name: str) -> tuple[str, str]:
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir()}
    with pytest.raises(StorageError) as caught:
        rename(path, name)
    assert {entry.name: entry.read_bytes() for entry in path.parent.iterdir()} == before
    return caught.value.kind, caught.value.detail


@pytest.mark.parametrize(
    ("name", "file_name"),
    [
        ('Act 2: "The End?"', "Act 2 The End.jsonl"),
        ("What?|Now", "WhatNow.jsonl"),
        ("a/b\\c", "abc.jsonl"),
        ("-rf", "-rf.jsonl"),
        (".hidden", ".hidden.jsonl"),
        (" Mira ", " Mira .jsonl"),
        ("Mira...", "Mira....jsonl"),
        ("with\ttab", "withtab.jsonl"),
        ("LPT¹", "LPT¹.jsonl"),
        ("CON .txt", "CON .txt.jsonl"),
        ("名前", "名前.jsonl"),
    ],
)
def test_a_name_becomes_one_that_every_system_takes(chat: Path, name: str, file_name: str) -> None:
    target, signature = rename(chat, name)
    assert os.listdir(chat.parent) == [file_name]
    assert (target.name, target.read_bytes(), signature) == (file_name, CHAT, Signature.of_path(target))


@pytest.mark.parametrize("name", ["", "con", "NUL", "com9.x", "???", "x" * 300, "Aux.old"])
def test_a_name_of_which_nothing_usable_is_left_is_refused(chat: Path, name: str) -> None:
    assert _refused(chat, name) == ("validation", "name")


def test_a_taken_name_is_refused_and_a_free_one_in_another_case_is_not(chat: Path) -> None:
    (chat.parent / "Taken.jsonl").write_bytes(b"{}")
    assert _refused(chat, "Taken") == ("already_exists", "target")
    assert rename(chat, "taken")[0].name == "taken.jsonl"  # a file system that tells them apart


def test_the_name_that_it_has_already_is_fine(chat: Path) -> None:
    assert rename(chat, chat.stem) == (chat, Signature.of_path(chat))


def test_two_spellings_of_one_file_are_refused(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.link(chat, chat.with_name("MIRA - 2026-01-05.jsonl"))  # stands for a file system that ignores case
    assert _refused(chat, "MIRA - 2026-01-05") == ("validation", "name")


def test_what_is_not_there_cannot_be_renamed(chat: Path) -> None:
    assert _refused(chat.with_name("gone.jsonl"), "other") == ("not_found", "chat")


def test_a_rename_that_the_system_refuses_leaves_everything(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: object, target: object) -> None:
        raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(file_moves, "move_without_replacing", refuse)
    assert _refused(chat, "other") == ("io", "replace")


def test_two_renames_the_other_way_round_do_not_wait_for_each_other_for_ever(chat: Path) -> None:
    with locks.writing(chat.with_name("third.jsonl")):
        rename(chat, "second")
    rename(chat.with_name("second.jsonl"), chat.stem)
    assert chat.exists()


def test_the_file_goes_to_the_systems_bin(tmp_path: Path, chat: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from tavern_desktop.storage.file_moves import bin_file;"
        "print(bin_file(Path(sys.argv[1]), Path(sys.argv[2])).kept_at)"
    )
    chat.write_bytes(b'{"chat_metadata":{}}')
    done = subprocess.run(
        [sys.executable, "-c", program, str(chat), str(tmp_path / "own")],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path / "share"), "HOME": str(tmp_path)},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "None\n"
    assert not chat.exists()
    assert (tmp_path / "share" / "Trash" / "files" / chat.name).read_bytes() == b'{"chat_metadata":{}}'


def test_where_there_is_no_bin_it_is_kept_in_our_own(
    tmp_path: Path, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: False)
    for number in range(2):
        chat.write_bytes(CHAT)
        kept = bin_file(chat, tmp_path / "own").kept_at
        assert kept == tmp_path / "own" / f"{chat.stem}{' 2' if number else ''}.jsonl"
        assert kept.read_bytes() == CHAT
        assert not chat.exists()


def test_a_damaged_chat_is_only_removed_knowingly(tmp_path: Path, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: False)
    chat.write_bytes(b"garbage\n{}")
    with pytest.raises(StorageError) as caught:
        bin_file(chat, tmp_path / "own")
    assert (caught.value.kind, caught.value.side) == ("bad_header", "existing")
    assert chat.exists()
    assert bin_file(chat, tmp_path / "own", despite_damage=True).kept_at is not None
    with pytest.raises(StorageError) as caught:
        bin_file(chat, tmp_path / "own")
    assert (caught.value.kind, caught.value.detail) == ("not_found", "chat")


def test_what_cannot_be_deleted_is_not_kept_twice(tmp_path: Path, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: False)
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == chat:
            raise PermissionError(errno.EACCES, "Permission denied")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StorageError) as caught:
        bin_file(chat, tmp_path / "own")
    assert (caught.value.kind, caught.value.detail) == ("io", "delete")
    assert chat.exists()
    assert os.listdir(tmp_path / "own") == []
