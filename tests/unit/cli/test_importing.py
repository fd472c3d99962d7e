"""chats import: new chats, what was adjusted, and sentences for what cannot be taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tests.unit.cli.conftest import Run


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.json"
    path.write_text(json.dumps({"messages": [{"msg": "Hi"}, {"userId": "u", "msg": "Hello"}, {}]}), "utf-8")
    return path


def test_a_chat_of_another_program(run: Run, root: DataRoot, source: Path) -> None:
    done = run("chats", "import", source, "--character", "Aria Vale", "--json")
    (facts,) = done.objects()
    assert (done.code, facts["form"], facts["messages"], facts["exact"], facts["warnings"]) == (
        0,
        "Agnai",
        2,
        False,
        [],
    )
    assert [(each["kind"], each["count"]) for each in facts["adjusted"]] == [("left_out", 1), ("dates", 1)]
    (file,) = facts["files"]
    assert run("chats", "check", file).code == 0
    shown = run("chats", "show", file, "--json").objects()
    assert [(each["role"], each["text"]) for each in shown] == [("assistant", "Hi"), ("user", "Hello")]


def test_in_words_the_file_is_printed_and_the_rest_goes_to_the_error_stream(run: Run, source: Path) -> None:
    done = run("chats", "import", source, "--character", "Aria Vale")
    assert Path(done.out.rstrip("\n")).is_file()
    assert done.err.splitlines() == [
        "One entry held no text and was left out.",
        "The file has no dates; its messages carry the time of the import.",
    ]


def test_whose_it_is_comes_from_the_file_or_has_to_be_said(run: Run, chat: Path, source: Path, tmp_path: Path) -> None:
    named = tmp_path / "x.jsonl"
    named.write_bytes(chat.read_bytes().replace(b'"name": "Aria"', b'"name": "Aria Vale"'))
    assert Path(run("chats", "import", named).out.rstrip("\n")).parent == chat.parent
    assert "choose the character" in run("chats", "import", source).err
    assert run("chats", "import", source, "--character", "Nobody", "--json").error()["kind"] == "validation"
    assert run("chats", "import", source, "--group", "Nobody", "--json").error()["kind"] == "validation"


def test_a_group_by_its_name(run: Run, root: DataRoot, chat: Path) -> None:
    done = run("chats", "import", chat, "--group", "The Night Watch", "--json").objects()[0]
    assert Path(done["files"][0]).parent == root.group_chats


def test_damage(run: Run, chat: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "d.jsonl"
    damaged.write_bytes(chat.read_bytes() + b'\n{"cut')
    assert run("chats", "import", damaged, "--character", "Aria Vale", "--json").error()["line"] == 10
    done = run("chats", "import", damaged, "--character", "Aria Vale", "--repair", "--json").objects()[0]
    assert (done["messages"], done["adjusted"][0]["kind"]) == (8, "damaged")
