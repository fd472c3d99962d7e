"""Stray stages go, one that is being written stays (decision D23)."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

import pytest

from tavern_desktop.storage import stages
from tavern_desktop.storage.stages import Stage, sweep


def _names(folder: Path) -> set[str]:
    return set(os.listdir(folder))


def test_what_nobody_writes_is_swept_and_nothing_else(tmp_path: Path) -> None:
    stage = Stage(tmp_path / "a.jsonl")
    (being_written,) = _names(tmp_path)
    others = {"a.jsonl", ".td-1234567.tmp", ".td-0123456G.tmp", "x.td-01234567.tmp", ".td-01234567.tmp.jsonl"}
    for name in {".td-01234567.tmp", *others}:
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert _names(tmp_path) == {being_written, *others}
    stage.discard()
    assert _names(tmp_path) == others


def test_a_link_named_like_a_stage_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"x")
    (tmp_path / ".td-01234567.tmp").symlink_to("precious")
    sweep(tmp_path)
    assert (tmp_path / "precious").read_bytes() == b"x"


def test_without_locks_only_old_stages_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    young, old = tmp_path / ".td-00000000.tmp", tmp_path / ".td-11111111.tmp"
    young.touch()
    old.touch()
    yesterday = time.time() - 25 * 3600
    os.utime(old, (yesterday, yesterday))
    sweep(tmp_path)
    assert _names(tmp_path) == {young.name}
    Stage(tmp_path / "a.jsonl").discard()


def test_a_stage_swept_before_it_was_locked_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = stages._lock
    swept: list[str] = []

    def swept_just_before(descriptor: int) -> bool | None:
        if not swept:
            swept.extend(os.listdir(tmp_path))
            (tmp_path / swept[0]).unlink()
        return lock(descriptor)

    monkeypatch.setattr(stages, "_lock", swept_just_before)
    stage = Stage(tmp_path / "a.jsonl")
    stage.write([b"x"])
    stage.sync()
    stage.replace_target()
    assert (tmp_path / "a.jsonl").read_bytes() == b"x"
    assert _names(tmp_path) == {"a.jsonl"}


def test_a_folder_that_cannot_be_listed_is_no_error(tmp_path: Path) -> None:
    sweep(tmp_path / "gone")
