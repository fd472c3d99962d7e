"""Killed with -9 at random moments of every way of writing: nothing is lost, nothing half written, work goes on."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session.preferences import Preferences
from tavern_desktop.storage.journal import Journal
from tavern_desktop.storage.journal_folders import JOURNALS
from tavern_desktop.storage.own_folders import own_folders
from tests.faults.conftest import Report
from tests.faults.writing.all_paths import WRITE_PATHS
from tests.faults.writing.base import WritePath, keep_places, texts_of, whole_chats
from tests.faults.writing.open_chats import FullSave

KILLS, KILLS_IN_FULL = 24, 1000


class Nursery:
    """The process that forks the writers."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.faults.nursery"]
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=root)

    def write(self, name: str, folder: Path, seconds: float | None) -> dict[str, Any]:
        """Let a process write in `folder`, and kill it so many seconds after it began."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        request = {"name": name, "folder": str(folder), "seconds": seconds}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert not answer.get("failed"), name
        return answer

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


@pytest.fixture
def nursery() -> Iterator[Nursery]:
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.mark.timeout(3600)
def test_killed_at_random_moments(
    nursery: Nursery,
    tmp_path: Path,
    is_full: bool,
    monkeypatch: pytest.MonkeyPatch,
    report: Report,
) -> None:
    keep_places(monkeypatch)
    took = {name: nursery.write(name, tmp_path / f"undisturbed {name}", None)["seconds"] for name in WRITE_PATHS}
    moments = random.Random(20)
    killed: Counter[str] = Counter()
    strays = number = 0
    while killed.total() < (KILLS_IN_FULL if is_full else KILLS):
        number += 1
        name = list(WRITE_PATHS)[number % len(WRITE_PATHS)]
        folder = tmp_path / f"{number} {name}"
        if nursery.write(name, folder, moments.uniform(0, took[name]))["killed"]:
            killed[name] += 1
            strays += len(list(folder.rglob(".td-*.tmp")))
            _check(WRITE_PATHS[name](folder))
    assert strays or not is_full, "no process was ever killed while it wrote: the moments are chosen badly"
    each = ", ".join(f"{name} {count}" for name, count in sorted(killed.items()))
    report(f"{killed.total()} processes killed, {strays} stages left behind and swept: {each}")


def _check(path: WritePath) -> None:
    """See from the disk alone that nothing is lost or half written, and that the next program can go on."""
    assert path.strays() == []
    everywhere = whole_chats(path.folder)
    assert [texts for texts in everywhere if len(texts) >= 3], "the chat is gone"
    assert all(map(path.is_allowed, everywhere))
    for folder in (path.own.data / JOURNALS).glob("*"):
        journal = Journal(folder)
        assert journal.warnings == []
        assert [meta.number for meta, _ in journal.deltas_back()] == [meta.number for meta in journal.metas()]
    preferences = Preferences(own_folders())
    assert preferences.settings.value.user in (None, "one", "two")
    assert preferences.problems() == []
    for chat in sorted(path.root.chats.rglob("*.jsonl")):
        _go_on(path, chat)


def _go_on(path: WritePath, chat: Path) -> None:
    """Open a chat as the next program does, change it and save it. What was in the journal only is there again."""
    before = texts_of(chat)
    program = FullSave(path.folder)
    program.chat = chat
    program.start()
    if path.comes_back and chat.stem in ("talk", "renamed"):
        assert "four" in program.memory()
    program.change()
    program.act()
    assert program.told == []
    *texts, last = texts_of(chat)
    assert last == "four"
    assert texts == before or path.is_allowed(texts)
