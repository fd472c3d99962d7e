"""Two spellings of one file share a lock, two files do not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tavern_desktop.storage import locks
from tavern_desktop.storage.locks import file_key, same_file, writing


def test_spellings_that_may_reach_the_same_file_have_one_key(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    same = [tmp_path / "Café.jsonl", link / "Cafe\u0301.jsonl", tmp_path / "x" / ".." / "CAFÉ.jsonl"]
    assert len(set(map(file_key, same))) == 1
    assert file_key(tmp_path / "a.jsonl") != file_key(tmp_path / "b.jsonl")
    assert file_key(tmp_path / "gone" / "a.jsonl") != file_key(tmp_path / "gone" / "b.jsonl")


def test_the_second_writer_waits_and_nothing_is_kept_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    order: list[str] = []
    started = threading.Event()

    def second() -> None:
        started.set()
        with writing(path):
            order.append("second")

    thread = threading.Thread(target=second)
    with writing(path):
        thread.start()
        assert started.wait(10)
        with writing(tmp_path / "b.jsonl"):
            order.append("first")
    thread.join()
    assert order == ["first", "second"]
    with pytest.raises(RuntimeError), writing(path):
        raise RuntimeError
    assert locks._held == {}


def test_names_that_differ_in_case_are_one_file_only_where_the_disk_says_so(tmp_path: Path) -> None:
    one, other = tmp_path / "Mira.jsonl", tmp_path / "mira.jsonl"
    one.write_bytes(b"1")
    assert not same_file(one, other)
    other.write_bytes(b"2")
    assert not same_file(one, other)
    other.unlink()
    other.hardlink_to(one)  # as a disk answers for which both names are one
    assert same_file(one, other)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert same_file(one, link / "Mira.jsonl")
    assert not same_file(one, tmp_path / "other.jsonl")
