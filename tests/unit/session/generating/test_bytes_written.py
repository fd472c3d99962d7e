"""While a reply is written its chat's file is left alone, and our own writing grows with the reply only (B-56)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.backends.events import Text
from tavern_desktop.session.generating import keeping
from tavern_desktop.storage.reply_stream import ReplyStream
from tavern_desktop.storage.signature import Signature
from tests.unit.session.chats import recorded, user, write
from tests.unit.session.generating.scripted import Program

TOKENS, AT_ONCE = 1000, 20


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    program = Program(tmp_path)
    yield program
    program.loop.close()


def test_a_thousand_tokens_cost_one_save(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(program.folder / "talk.jsonl", [user("x" * 5000) for _ in range(200)])
    written: list[int] = []
    original = ReplyStream._write

    def counting(stream: ReplyStream, line: bytes) -> None:
        written.append(len(line))
        original(stream, line)

    monkeypatch.setattr(ReplyStream, "_write", counting)
    monkeypatch.setattr(keeping, "INTERVAL", 0.0)
    session = program.open(path)
    before, published = Signature.of_path(path), recorded(session.published)
    task, model = program.start(session)
    text = ""
    for first in range(0, TOKENS, AT_ONCE):
        pieces = [f"word{number} " for number in range(first, first + AT_ONCE)]
        text += "".join(pieces)
        model.send(*map(Text, pieces))
        program.until(lambda last=pieces[-1]: last.strip() in task.log.so_far().text)
        program.runner.run_timers()
    assert Signature.of_path(path) == before
    assert len(written) > TOKENS / AT_ONCE / 2
    assert sum(written) < 3 * len(text)

    program.finish(task, model)
    session.save_now()
    program.runner.run_until_idle()
    assert len(published) == 1
    assert b"word999" in path.read_bytes()
