"""Killed with -9 while saving: the file is one of the whole versions, and nothing stays beside it."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tavern_desktop.storage.publish import sweep
from tavern_desktop.storage.reader import load
from tests.faults import saver

KILLS, KILLS_IN_FULL = 10, 200
LONGEST = 0.08
"""Seconds that a child may go on saving after its first save; one save takes a tenth of it."""


def _start(path: Path, number: int) -> subprocess.Popen[bytes]:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.faults.saver", str(path), str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root)


def _kill_after(child: subprocess.Popen[bytes], seconds: float) -> int:
    """Kill the child that long after its first save and return the last number that it printed."""
    assert child.stdout is not None
    first = child.stdout.readline()
    assert first, "the child could not save"
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(seconds)
    child.kill()
    printed = first + child.stdout.read()
    child.stdout.close()
    child.wait()
    return int(printed.rsplit(b"\n", 2)[-2])


def _whole_version(path: Path) -> int:
    """Return the number of the version that the file is, having seen that it is whole."""
    chat = load(path)
    assert chat.header is not None
    number = chat.header.metadata()["version"]
    header, messages = saver.version(number)
    assert chat.header == header
    assert [message.raw for message in chat.messages] == [message.raw for message in messages]
    return int(number)


def test_killed_at_random_moments(tmp_path: Path, is_full: bool) -> None:
    path = tmp_path / "chat.jsonl"
    moments = random.Random(20)
    number, strays = 1, 0
    for _ in range(KILLS_IN_FULL if is_full else KILLS):
        published = _kill_after(_start(path, number), moments.uniform(0, LONGEST))
        strays += len(os.listdir(tmp_path)) - 1
        found = _whole_version(path)
        assert found in (published, published + 1)  # it may have died between the replace and the word of it
        sweep(tmp_path)
        assert os.listdir(tmp_path) == [path.name]
        number = found + 1
    assert strays or not is_full, "no child was ever killed while it wrote: the moments are chosen badly"


def test_the_next_save_in_the_folder_sweeps_too(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    (tmp_path / ".td-0badcafe.tmp").write_bytes(b"left by a process that died")
    child = _start(path, 1)
    _kill_after(child, 0)
    assert ".td-0badcafe.tmp" not in os.listdir(tmp_path)


def test_a_sweep_leaves_alone_what_another_process_is_writing(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    child = _start(path, 1)
    assert child.stdout is not None
    try:
        for _ in range(20):
            assert child.stdout.readline(), "the child's stage was taken away"
            sweep(tmp_path)
    finally:
        child.kill()
        child.stdout.close()
        child.wait()
    _whole_version(path)
