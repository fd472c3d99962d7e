"""A disk that is full, a folder or a file that may not be written: one clear error, the old file as it was."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

CHAT = b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"' + b"x" * 300_000 + b'"}'
SMALL_DISK = 1024 * 1024


@dataclass(frozen=True)
class Place:
    """A folder, and the limit for files there where the folder alone has none."""

    folder: Path
    largest_file: int | None = None


def _attempt(path: Path, megabytes: float, *options: str, largest_file: int | None = None) -> dict[str, Any]:
    def limit() -> None:
        if largest_file is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.attempt", str(path), str(megabytes), *options],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Place]:
    """A disk of one megabyte where we may mount one, else a limit for files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    options = f"size={SMALL_DISK}"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        yield Place(folder, SMALL_DISK)
        return
    yield Place(folder)
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's."""
    folder = Path(tempfile.mkdtemp(prefix="td-faults-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def _as_it_was(path: Path) -> bool:
    return path.read_bytes() == CHAT and os.listdir(path.parent) == [path.name]


def test_a_full_disk(small_disk: Place) -> None:
    path = small_disk.folder / "a.jsonl"
    path.write_bytes(CHAT)
    answer = _attempt(path, 2, largest_file=small_disk.largest_file)
    assert (answer["kind"], answer["detail"]) == ("io", "space")
    assert "disk is full" in answer["sentence"]
    assert _as_it_was(path)
    assert _attempt(path, 0.1, largest_file=small_disk.largest_file) == {"kind": None}


def test_a_limit_for_the_size_of_files(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(CHAT)
    answer = _attempt(path, 2, largest_file=SMALL_DISK)
    assert (answer["kind"], answer["detail"]) == ("io", "space")
    assert _as_it_was(path)


def test_a_folder_that_may_not_be_written(open_folder: Path) -> None:
    path = open_folder / "a.jsonl"
    path.write_bytes(CHAT)
    path.chmod(0o666)
    open_folder.chmod(0o555)
    answer = _attempt(path, 0, "--as-nobody")
    assert (answer["kind"], answer["detail"]) == ("io", "write")
    assert _as_it_was(path)


def test_a_file_marked_read_only(open_folder: Path) -> None:
    path = open_folder / "a.jsonl"
    path.write_bytes(CHAT)
    path.chmod(0o444)
    open_folder.chmod(0o777)
    answer = _attempt(path, 0, "--as-nobody")
    assert (answer["kind"], answer["detail"]) == ("io", "write")
    assert "read-only" in answer["sentence"]
    assert _as_it_was(path)
