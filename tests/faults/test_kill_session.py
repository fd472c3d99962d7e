"""A program is killed with changes that are not saved, or while it merges: nothing that was done is lost."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.dying import Program
from tests.unit.session.chats import lines, reply, user, write

KILLS, KILLS_IN_FULL = 6, 100
RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1")]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TAVERN_DESKTOP_HOME", str(tmp_path / "own"))
    (tmp_path / "data" / "default-user" / "characters").mkdir(parents=True)
    return tmp_path / "data"


@pytest.fixture
def chat(root: Path) -> Path:
    return write(root / "default-user" / "chats" / "Mira" / "talk.jsonl", RECORDS)


def start(root: Path, chat: Path, *mode: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.dying", str(root), str(chat), *mode]
    here = Path(__file__).parents[2]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=here)


def kill(child: subprocess.Popen[bytes]) -> bytes:
    """Kill it, and return what else it had said."""
    child.kill()
    said, _ = child.communicate()
    return said


def texts(chat: Path) -> list[str]:
    return [json.loads(line)["mes"] for line in lines(chat)[1:]]


def test_what_was_done_before_the_end_is_back_at_the_next_opening(root: Path, chat: Path) -> None:
    before = chat.read_bytes()
    child = start(root, chat)
    assert child.stdout is not None
    assert child.stdout.readline() == b"written\n"
    kill(child)
    assert chat.read_bytes() == before
    program = Program(root)
    session = program.open(chat)
    assert session.recovery is not None
    assert (session.recovery.kind, session.recovery.count) == ("unsaved", 2)
    program.save(session)
    assert texts(chat) == ["changed before the end", "a0", "u1", "a1", "written before the end"]
    assert chat.read_bytes() != before


def test_killed_while_it_merges(root: Path, chat: Path, is_full: bool) -> None:
    """Another program writes too, again and again: every save is a merge."""
    moments = random.Random(7)
    saved: set[int] = set()
    theirs = first = 0
    for _ in range(KILLS_IN_FULL if is_full else KILLS):
        child = start(root, chat, str(first))
        assert child.stdout is not None
        for _ in range(moments.randrange(1, 6)):
            saved.add(int(child.stdout.readline()))
            add_elsewhere(chat, f"theirs {theirs}")
            theirs += 1
        saved |= {int(line) for line in kill(child).split()}
        first = max(saved) + 2  # it may have been at the next one
        program = Program(root)
        session = program.open(chat)
        program.save(session)
        program.chats.release(session)
        program.runner.run_until_idle()
        found = texts(chat)
        assert set(found) >= {"u0", "a0", "u1", "a1", *(f"mine {n}" for n in saved)}
        assert lost(root, theirs) == set()
        assert sorted(found) == sorted(set(found))


def add_elsewhere(chat: Path, text: str) -> None:
    """As SillyTavern writes: what it read with a message more, over whatever is there by then."""
    beside = chat.with_name(chat.name + ".12345678")
    beside.write_bytes(chat.read_bytes() + b"\n" + json.dumps(user(text, send_date=f"2026-01-05 {text}")).encode())
    beside.replace(chat)


def lost(root: Path, count: int) -> set[str]:
    """Which of their messages are neither in the chat nor in a backup."""
    files = [*(root / "default-user" / "chats").rglob("*.jsonl"), *(root / "default-user" / "backups").glob("*.jsonl")]
    there = b"".join(file.read_bytes() for file in files)
    return {f"theirs {n}" for n in range(count) if f'"theirs {n}"'.encode() not in there}
