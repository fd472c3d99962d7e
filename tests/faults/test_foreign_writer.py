"""Another program writes the same chat again and again while we save in a loop (conversation entry §9.6)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.session.commands import AppendMessage, DeleteMessages, EditText
from tavern_desktop.storage.reader import load
from tests.unit.session.chats import lines, reply, user
from tests.unit.session.journaled import Desk

ROUNDS, ROUNDS_IN_FULL = 25, 1500


class Others:
    """The other program, and what it did."""

    def __init__(self, chat: Path, seed: int) -> None:
        command = [sys.executable, "-m", "tests.faults.foreign_writer", str(chat), str(seed)]
        pipe, here = subprocess.PIPE, Path(__file__).parents[2]
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=here)
        self.added: list[str] = []
        self.taken: list[str] = []

    def begin(self) -> None:
        """Let it write once more, at the same time as whatever comes next."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def end(self) -> None:
        """Wait until it has written."""
        assert self._process.stdout is not None
        for said in iter(self._process.stdout.readline, b".\n"):
            what, text = said.decode().strip().split(" ", 1)
            assert what != "!", f"the other program found a file that it could not read: {text}"
            (self.added if what == "+" else self.taken).append(text)

    def close(self) -> None:
        self._process.communicate()


def ours(number: int) -> dict[str, Any]:
    return user(f"ours {number}", send_date=f"2026-01-05T{number}")


class We:
    """What we do, and what must be there in the end."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.there: set[str] = set()
        self._number = 0

    def do_something(self) -> None:
        """Add a message, edit one of ours or delete one, and save."""
        desk, number = self.desk, self._number
        self._number += 1
        mine = [(key, text) for key, text in zip(desk.keys, desk.texts, strict=True) if text in self.there]
        if number % 3 == 1 and mine:
            key, text = mine[number % len(mine)]
            desk.session.do(EditText(key, f"ours {number} edited"))
            self.there ^= {text, f"ours {number} edited"}
        elif number % 7 == 5 and mine:
            key, text = mine[number % len(mine)]
            desk.session.do(DeleteMessages([key]))
            self.there -= {text}
        else:
            desk.session.do(AppendMessage(ours(number)))
            self.there.add(f"ours {number}")
        desk.session.save_now()
        desk.runner.run_until_idle()
        desk.runner.advance(6)


@pytest.mark.parametrize("seed", [1, 2])
def test_no_message_is_lost_and_the_file_can_always_be_read(tmp_path: Path, is_full: bool, seed: int) -> None:
    desk = Desk(tmp_path, [user(f"u{n}", send_date=f"2026-01-01T{n}") for n in range(20)] + [reply("a")])
    we = We(desk)
    others = Others(desk.path, seed)
    for _ in range(ROUNDS_IN_FULL if is_full else ROUNDS):
        others.begin()
        we.do_something()
        others.end()
    others.close()
    for _ in range(4):
        desk.session.look_at_file()
        desk.save()
        desk.runner.advance(6)
    assert desk.session.trouble is None
    assert (desk.session.save_state.kind, desk.session.is_dirty) == ("saved", False)
    assert load(desk.path).warnings == ()
    texts = on_disk(desk.path)
    assert texts == desk.texts
    assert we.there - set(texts) == set()
    assert {"u0", "u19", "a"} <= set(texts)
    # What they added is there, unless they took it out again or it is in a copy that was made first: they may have
    # written between our last look and our replacing.
    everything = b"".join(desk.backups()) + desk.path.read_bytes()
    missing = [text for text in others.added if text not in texts and text not in others.taken]
    assert [text for text in missing if json.dumps(text).encode() not in everything] == []


def on_disk(chat: Path) -> list[str]:
    return [json.loads(line)["mes"] for line in lines(chat)[1:]]
