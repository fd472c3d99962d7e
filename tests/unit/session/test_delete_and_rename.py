"""Deleting and renaming chats rule by rule (contract §8), and names that files cannot have (B-12, B-38, B-39)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library import card_text
from tavern_desktop.library.card_file import card_data, read_card
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.new_chat import create_chat
from tavern_desktop.storage import file_moves, locks
from tavern_desktop.storage.errors import StorageError, sentence
from tests.unit.session.test_file_acts import CHAT, Desk, lines


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "own")


@pytest.fixture(autouse=True)
def no_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: path.unlink() or True)


@pytest.fixture
def chat(root: DataRoot) -> Path:
    path = root.chats / "Aria Vale" / "talk.jsonl"
    path.write_bytes(CHAT)
    return path


def append(desk: Desk, path: Path, text: str) -> Any:
    """Open a chat and say something in it that is not saved yet."""
    session = desk.chats.open(path)
    desk.runner.run_until_idle()
    session.do(AppendMessage({"name": "Mira", "is_user": True, "mes": text}))
    return session


def test_nothing_is_moved_while_a_reply_is_being_written(desk: Desk, root: DataRoot, chat: Path) -> None:
    """D2, D6."""
    session = append(desk, chat, "ours")
    desk.chats.is_generating = lambda one: one is session
    acts, told = desk.acts, []
    for start in (
        lambda: acts.rename(chat, "other", told.append),
        lambda: acts.remove(chat, told.append),
        lambda: acts.character_names.rename(root, "Aria Vale", "Aria", told.append),
    ):
        with pytest.raises(StorageError) as caught:
            start()
        assert (caught.value.kind, caught.value.detail) == ("busy", "generating")
        assert sentence(caught.value) == "Stop the reply first."
    with pytest.raises(StorageError, match="busy/generating"):
        desk.result(lambda done: acts.character_bin.remove(root, "Aria Vale", done, with_chats=True))
    assert told == []
    session.save_now()
    desk.runner.run_until_idle()
    assert lines(chat)[-1]["mes"] == "ours"
    desk.chats.is_generating = lambda one: False
    assert desk.rename(chat, "other").path.exists()


def test_a_target_is_fixed_when_it_is_named(desk: Desk, chat: Path) -> None:
    """D1: what is opened meanwhile redirects nothing."""
    other = chat.with_name("second.jsonl")
    other.write_bytes(CHAT.replace(b'"x"', b'"y"'))
    told: list[Any] = []
    desk.acts.rename(chat, "moved", told.append)
    desk.chats.open(other)
    desk.runner.run_until_idle()
    assert told[0].result().path == chat.with_name("moved.jsonl")
    assert other.exists()


def test_names_that_differ_only_in_case_are_one_where_the_disk_says_so(
    desk: Desk, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D8: on a disk that tells them apart they are two."""
    assert desk.rename(chat, "TALK").path.name == "TALK.jsonl"
    upper = chat.with_name("TALK.jsonl")
    chat.hardlink_to(upper)  # as a disk answers for which both names are one
    monkeypatch.setattr(locks, "file_key", lambda path: str(path).casefold())
    with pytest.raises(StorageError, match="validation/name"):
        desk.rename(upper, "talk")
    assert upper.read_bytes() == CHAT


def test_an_export_saves_the_chat_it_is_of_and_no_other(desk: Desk, chat: Path, tmp_path: Path) -> None:
    """D13."""
    other = chat.with_name("second.jsonl")
    other.write_bytes(CHAT.replace(b'"x"', b'"y"'))
    ours, theirs = append(desk, chat, "ours"), append(desk, other, "theirs")
    desk.result(lambda done: desk.acts.export(chat, tmp_path / "out.jsonl", "jsonl", done))
    assert (ours.is_dirty, theirs.is_dirty) == (False, True)
    assert lines(tmp_path / "out.jsonl")[-1]["mes"] == "ours"


def test_a_missing_chat_cannot_be_renamed_or_removed(desk: Desk, chat: Path) -> None:
    """D6."""
    chat.unlink()
    for start in (lambda: desk.rename(chat, "other"), lambda: desk.remove(chat)):
        with pytest.raises(StorageError, match="not_found/chat"):
            start()


def test_two_chats_that_are_switched_between_quickly_keep_apart(desk: Desk, chat: Path) -> None:
    """B-12: a late answer for one never touches the other, and a rename waits for what is pending."""
    other = chat.with_name("B.jsonl")
    other.write_bytes(CHAT.replace(b'"x"', b'"y"').replace(b'"one"', b'"eins"'))
    first = desk.chats.open(chat)  # still loading
    second = desk.chats.open(other)
    told: list[Any] = []
    desk.acts.rename(other, "B 1", told.append)
    desk.runner.run_until_idle()
    second.do(AppendMessage({"name": "Mira", "mes": "to B"}))
    desk.acts.rename(told.pop().result().path, "B 2", told.append)
    desk.chats.release(second)
    first.do(AppendMessage({"name": "Mira", "mes": "to A"}))
    first.save_now()
    desk.runner.run_until_idle()
    renamed = told[0].result().path
    assert [line.get("mes") for line in lines(chat)] == [None, "one", "two", "to A"]
    assert [line.get("mes") for line in lines(renamed)] == [None, "eins", "two", "to B"]
    assert not other.exists()


NAMES = [
    "con", "NUL", "Aux.old", "com9", "LPT¹", "CON .txt", "x" * 246 + " nul", "What?|Now", "Mira...", " Mira ", "Mira.",
    "Mira", "mira", "a/b\\c", "-rf", ".hidden", "a\ttab", "a\u202eb",
]  # fmt: skip


def test_every_name_of_a_character_gives_a_chat_that_can_be_used(desk: Desk, root: DataRoot, tmp_path: Path) -> None:
    """B-38, B-39: created, opened, renamed, exported and deleted; no two are the same file."""
    card = root.characters / "Aria Vale.png"
    made: set[Path] = set()
    for number, name in enumerate(NAMES):
        card_text.change_card(card, card_text.renamed(name))
        assert card_data(read_card(card))["name"] == name
        path = create_chat(root, "Aria Vale")
        assert path not in made
        made.add(path)
        session = append(desk, path, "hello")
        session.save_now()
        desk.runner.run_until_idle()
        desk.result(lambda done, path=path, number=number: desk.acts.export(path, tmp_path / f"{number}", "txt", done))
        assert "hello" in (tmp_path / f"{number}").read_text("utf-8")
    for path in made:
        renamed = desk.rename(path, f"{path.stem[-60:]} again").path
        assert desk.remove(renamed).path == renamed
        assert not renamed.exists()


def test_names_that_look_alike_are_chats_of_their_own(desk: Desk, chat: Path) -> None:
    """B-39."""
    wishes = ["Mira...", " Mira ", "Mira.", "Mira", "mira", "MIRA"]
    made = []
    for number, wish in enumerate(wishes):
        copy = chat.with_name(f"copy {number}.jsonl")
        copy.write_bytes(CHAT.replace(b'"x"', json.dumps(wish).encode()))
        made.append(desk.rename(copy, wish).path)
    assert len(set(made)) == len(wishes)
    assert [lines(path)[0]["chat_metadata"]["integrity"] for path in made] == wishes


def test_conflict_copies_go_with_their_chat(desk: Desk, chat: Path) -> None:
    mark = ".sync-conflict-20260109-183000-ABCDEFG"
    copy, other = (chat.with_name(f"{stem}{mark}.jsonl") for stem in ("talk", "talk 2"))
    doubtful, taken = chat.with_name("talk (2).jsonl"), chat.with_name(f"Act 3{mark}.jsonl")
    for path in (copy, other, doubtful, taken):
        path.write_bytes(CHAT)
    assert desk.rename(chat, "Act 2").warnings == ()
    moved = chat.with_name(f"Act 2{mark}.jsonl")
    assert moved.exists()
    assert not copy.exists()
    assert other.exists()
    assert doubtful.exists()
    done = desk.rename(chat.with_name("Act 2.jsonl"), "Act 3")
    assert "a conflict copy of the chat keeps the old name" in done.warnings[0]
    assert (moved.exists(), taken.read_bytes()) == (True, CHAT)
