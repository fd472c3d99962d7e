"""Other programs beside us: what they lost of chats, kept here (known failures B-13, B-18)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.session import commands
from tavern_desktop.session.copy_acts import CopyMerged
from tavern_desktop.session.file_acts import FileActs
from tavern_desktop.session.runner import Outcome
from tavern_desktop.storage import file_moves
from tavern_desktop.storage.directory import list_character
from tests.unit.session.chats import lines
from tests.unit.session.mira import Program, a, base, key, u


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.fixture
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


def mes(path: Path) -> list[str]:
    return [json.loads(line)["mes"] for line in lines(path)[1:]]


def test_b13_what_another_program_wrote_is_merged_and_not_overwritten(program: Program) -> None:
    path = program.write(base(10))
    session = program.open(path)
    program.write([*base(10), u(11), a(11)])
    session.do(commands.EditText(key(session, 19), "a10 edited"))
    session.save_now()
    program.runner.run_until_idle()
    assert mes(path) == [*(record["mes"] for record in base(10)[:-1]), "a10 edited", "u11", "a11"]
    assert (session.save_state.kind, session.trouble) == ("saved", None)


NAME = "Mira - 2026-01-05@10h00m00s"


@pytest.fixture
def synced(program: Program) -> tuple[Path, Path]:
    """The chat and its conflict copy, among what else synchronisers and other programs leave in a folder."""
    chat = program.write(base(10), NAME)
    copy = program.write(
        [*base(8), u(9, mes="on the train"), a(9, "a9 there")], f"{NAME}.sync-conflict-20260106-090000-ABCDEFG"
    )
    for name in (f"{NAME}.jsonl.tmp", f".~lock.{NAME}.jsonl#", f".syncthing.{NAME}.jsonl", f"~syncthing~{NAME}.jsonl"):
        (program.folder / name).write_bytes(b"half")
    return chat, copy


def test_b18_conflict_copies_stand_under_their_chat(program: Program, synced: tuple[Path, Path]) -> None:
    chat, copy = synced
    downloaded = program.write(base(10), f"{NAME} (1)")
    (listed,) = list_character(program.folder.parent.parent, "Mira").files
    assert (listed.file, listed.conflicts) == (str(chat), tuple(sorted((str(downloaded), str(copy)))))


def test_b18_merged_they_have_all_messages_of_both(
    program: Program, synced: tuple[Path, Path], binned: list[Path]
) -> None:
    chat, copy = synced
    told: list[Outcome[CopyMerged]] = []
    FileActs(program.runner, program.chats, program.own).copies.merge(chat, copy, told.append)
    program.runner.run_until_idle()
    assert told[0].result().messages == 22
    ours = [record["mes"] for record in base(10)]
    assert [text for text in mes(chat) if text in ours] == ours
    assert [text for text in mes(chat) if text not in ours] == ["on the train", "a9 there"]
    assert binned == [copy]
