"""Which names are conflict copies, when they were made, and what content has to prove."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tavern_desktop.storage.conflict_copies import chat_of, is_same_chat, made_at_ms, read_name
from tavern_desktop.storage.directory import list_character

HEADER = b'{"chat_metadata":{"integrity":"a"}}'
ONE, TWO, THREE = b'{"mes":"one"}', b'{"mes":"two"}', b'{"mes":"three"}'
CHAT = "Mira - 2026-01-05@10h00m00s"


@pytest.mark.parametrize(
    ("ending", "made_at"),
    [
        (".sync-conflict-20260106-090000-ABCDEFG", "2026-01-06 09:00"),
        (" (Ada's conflicted copy 2026-01-09)", "2026-01-09 00:00"),
        (" (conflicted copy 2026-01-09 093000)", "2026-01-09 09:30"),
        (" (conflicted copy 2026-01-09 093000) (2)", "2026-01-09 09:30"),
        (" (In Konflikt stehende Kopie von ADA 2026-01-09)", "2026-01-09 00:00"),
        (" (SFConflict ada@example.org 2026-01-09-10-00-00)", "2026-01-09 10:00"),
        ("_conflict-20260109-093000", "2026-01-09 09:30"),
        (".sync-conflict-elsewhere", None),
        (".sync-conflict-20261399-000000-A", None),
    ],
)
def test_synchronisers_say_what_a_copy_is_of_and_when_it_was_made(ending: str, made_at: str | None) -> None:
    name = f"{CHAT}{ending}.jsonl"
    assert read_name(name) == (f"{CHAT}.jsonl", True)
    told = made_at_ms(name)
    shown = None if told is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(told / 1000))
    assert shown == made_at


@pytest.mark.parametrize("ending", [" (1)", "(12)", " [Conflict]", " [conflicted]", " (conflict)"])
def test_other_endings_prove_nothing(ending: str) -> None:
    assert read_name(f"{CHAT}{ending}.jsonl") == (f"{CHAT}.jsonl", False)


@pytest.mark.parametrize("name", [CHAT, " (1)", "(1)", ".sync-conflict-1", "A (walk) home", f"{CHAT} - Branch #1"])
def test_all_other_names_are_chats(name: str) -> None:
    assert read_name(f"{name}.jsonl") is None
    assert made_at_ms(f"{name}.jsonl") is None


def test_a_copy_needs_its_chat() -> None:
    name = "a (conflicted copy 2026-01-09).sync-conflict-1.jsonl"
    assert chat_of(name, {"a.jsonl"}) == ("a.jsonl", True)
    assert chat_of(name, {"b.jsonl"}) is None
    assert chat_of("a (1) (conflicted copy 2026-01-09).jsonl", {"a.jsonl"}) == ("a.jsonl", False)


def put(folder: Path, name: str, *lines: bytes) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_bytes(b"\n".join(lines))
    return path


def test_one_chat_has_one_identity_and_one_beginning(tmp_path: Path) -> None:
    chat = put(tmp_path, "a", HEADER, ONE, TWO)
    other_identity = HEADER.replace(b'"a"', b'"b"')
    nameless = b'{"chat_metadata":{}}'
    for name, lines, is_same in (
        ("longer", (HEADER, ONE, THREE, TWO), True),
        ("another identity", (other_identity, ONE, TWO), False),
        ("another beginning", (HEADER, TWO), False),
        ("no identity", (nameless, ONE, TWO), False),
        ("no messages", (HEADER,), False),
        ("empty", (), False),
        ("damaged", (b"{", ONE), False),
        ("wrong", (b'{"chat_metadata":1}', ONE), False),
    ):
        assert is_same_chat(put(tmp_path, name, *lines), chat, "character") == is_same, name
    assert not is_same_chat(tmp_path / "gone.jsonl", chat, "character")
    old = put(tmp_path, "old", nameless, ONE, TWO)
    assert is_same_chat(put(tmp_path, "old copy", nameless, ONE, TWO, THREE), old, "character")
    assert not is_same_chat(put(tmp_path, "same greeting", nameless, ONE, THREE), old, "character")
    assert not is_same_chat(put(tmp_path, "greeting alone", nameless, ONE), old, "character")


def test_group_chats_of_old_have_no_header(tmp_path: Path) -> None:
    chat = put(tmp_path, "a", ONE, TWO)
    assert is_same_chat(put(tmp_path, "b", ONE, TWO, THREE), chat, "group")
    assert not is_same_chat(put(tmp_path, "c", ONE, THREE), chat, "group")


def test_copies_are_listed_under_their_chat(tmp_path: Path) -> None:
    folder = tmp_path / "chats" / "Mira"
    folder.mkdir(parents=True)
    put(folder, "a", HEADER, ONE, TWO)
    proven = put(folder, "a (1)", HEADER, ONE, THREE)
    of_the_copy = put(folder, "a (1).sync-conflict-20260106-090000-A", HEADER, ONE)
    named = put(folder, "a (conflicted copy 2026-01-09)", HEADER.replace(b'"a"', b'"b"'), TWO)
    put(folder, "a (2)", HEADER.replace(b'"a"', b'"b"'), ONE, TWO)
    put(folder, "gone (conflicted copy 2026-01-09)", HEADER, ONE)
    for unfinished in ("~syncthing~a", ".syncthing.a", "._a"):
        put(folder, unfinished, HEADER, ONE)
    found = {chat.stem: list(chat.conflicts) for chat in list_character(tmp_path, "Mira").files}
    assert found == {
        "a": sorted(map(str, (proven, of_the_copy, named))),
        "a (2)": [],
        "gone (conflicted copy 2026-01-09)": [],
    }
