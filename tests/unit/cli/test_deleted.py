"""Deleted chats, found in the backups and brought back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage import file_moves
from tests.unit.cli.conftest import Run


def test_a_deleted_chat_is_listed_and_restored(run: Run, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: path.unlink() or True)
    before = chat.read_bytes()
    run("chats", "remove", chat)
    (facts,) = run("chats", "deleted", "--character", "Aria Vale", "--json").objects()
    assert (facts["messages"], facts["preview"]) == (8, "question 3")
    line = run("chats", "deleted", "--character", "Aria Vale").out
    assert Path(facts["backup"]).name in line
    done = run("chats", "restore", Path(facts["backup"]).name, "--character", "Aria Vale", "--name", "talk")
    assert done.out == f"{chat}\n"
    assert chat.read_bytes() == before
    again = run("chats", "restore", facts["backup"], "--character", "Aria Vale", "--json").objects()[0]
    assert Path(again["file"]).stem == "Aria Vale (restored)"
    assert run("chats", "deleted", "--character", "Aria Vale", "--json").out == ""
    run("characters", "remove", "Aria Vale", "--chats")
    found = run("chats", "deleted", "--character", "Aria Vale", "--json").objects()
    back = run("chats", "restore", found[0]["backup"], "--character", "Aria Vale", "--json").objects()[0]
    assert Path(back["file"]).is_file()
    assert run("chats", "restore", "x.jsonl", "--character", "Aria Vale", "--json").error()["kind"] == "validation"
    gone = run("chats", "restore", "chat_gone_20200101-000000.jsonl", "--character", "Aria Vale", "--json").error()
    assert gone["kind"] == "not_found"
