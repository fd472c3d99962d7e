"""Searching all chats of a data folder, conflict copies among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.search import search_chats
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import Hit, Query
from tests.unit.session.chats import user, write

COPY = "road.sync-conflict-20260109-183000-ABCDEFG.jsonl"
HERE = [user("the old harbour"), user("a light in the harbour")]


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    root = DataRoot(tmp_path / "data")
    root.characters.mkdir(parents=True)
    (root.characters / "Mira.png").touch()
    return root


def found(root: DataRoot, word: str, most: int | None = None) -> list[tuple[str, str]]:
    hits = list(search_chats(root, Query(word), most=most))
    assert all(isinstance(hit, Hit) for hit in hits)
    return [(Path(hit.file).name, hit.snippet) for hit in hits if isinstance(hit, Hit)]


def test_a_conflict_copy_is_searched_for_what_only_it_has(root: DataRoot) -> None:
    write(root.chats / "Mira" / "road.jsonl", HERE)
    write(root.chats / "Mira" / COPY, [*HERE, user("another harbour, written on the train")])
    assert found(root, "harbour") == [
        ("road.jsonl", "the old harbour"),
        ("road.jsonl", "a light in the harbour"),
        (COPY, "another harbour, written on the train"),
    ]


def test_what_is_not_listed_of_a_chat_is_no_news_in_its_copy(root: DataRoot) -> None:
    write(root.chats / "Mira" / "road.jsonl", HERE)
    write(root.chats / "Mira" / COPY, HERE)
    assert found(root, "harbour", most=1) == [("road.jsonl", "the old harbour")]


def test_the_same_words_twice_in_a_chat_are_two_places(root: DataRoot) -> None:
    write(root.chats / "Mira" / "road.jsonl", [user("yes, a harbour"), user("no"), user("yes, a harbour")])
    write(root.chats / "Mira" / COPY, HERE)
    assert [file for file, _ in found(root, "yes")] == ["road.jsonl", "road.jsonl"]


def test_progress_counts_copies_and_a_damaged_copy_is_told(root: DataRoot) -> None:
    chat = write(root.chats / "Mira" / "road.jsonl", HERE)
    copy = write(root.chats / "Mira" / COPY, HERE)
    copy.write_bytes(b"{broken\n" + copy.read_bytes())
    seen: list[tuple[int, int]] = []
    items = list(search_chats(root, Query("harbour"), progress=lambda *at: seen.append(at)))
    (failure,) = (item for item in items if isinstance(item, FileFailure))
    assert failure.file == str(copy)
    total = chat.stat().st_size + copy.stat().st_size
    assert seen == sorted(seen)
    assert seen[-1] == (total, total)
