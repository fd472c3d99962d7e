"""The list of chats: ranked first, summarised after, and nothing missing because something is broken."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.library import recents as module
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.recents import ChatRow, recents, row_of
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.index import Index

HEADER = b'{"user_name":"unused","character_name":"unused","chat_metadata":{"integrity":"x"}}'
HELLO = b'{"name":"Ada","is_user":false,"send_date":"2026-01-05T08:07:03.042Z","mes":"Hello."}'


@pytest.fixture
def index(root: DataRoot, tmp_path: Path) -> Index:
    return Index(tmp_path / "cache", root.path)


def rows(root: DataRoot, index: Index, **options: object) -> list[ChatRow]:
    return [row for batch in recents(root, index, **options) for row in batch]  # type: ignore[arg-type]


def put(root: DataRoot, place: str, content: bytes, age: int = 0) -> Path:
    """Write a chat that is `age` seconds older than a moment later than everything else."""
    path = root.user_folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    moment = 4_000_000_000 - age
    os.utime(path, (moment, moment))
    return path


def test_every_chat_is_listed_once_newest_first(root: DataRoot, index: Index) -> None:
    listed = rows(root, index)
    files = [*root.chats.glob("*/*.jsonl"), *root.group_chats.glob("*.jsonl")]
    assert sorted(row.path for row in listed) == sorted(files)
    times = [row.mtime_ns for row in listed]
    assert times == sorted(times, reverse=True)


def test_a_row_says_whose_chat_it_is_and_its_last_words(root: DataRoot, index: Index) -> None:
    path = put(root, "chats/Aria Vale/new.jsonl", HEADER + b"\n" + HELLO)
    row = rows(root, index)[0]
    assert (row.path, row.kind, row.character, row.group) == (path, "character", "Aria Vale", "")
    assert (row.name, row.title, row.messages, row.size) == ("Aria Vale", "new", 1, path.stat().st_size)
    assert (row.preview, row.preview_state, row.marks, row.failure) == ("Hello.", "text", (), None)
    assert row.date_ms == 1_767_600_423_042
    assert Path(row.avatar) == root.characters / "Aria Vale.png"


def test_group_chats_have_the_groups_name_and_orphans_their_own(root: DataRoot, index: Index) -> None:
    put(root, "group chats/orphan.jsonl", HEADER)
    groups = {row.title: (row.name, row.group) for row in rows(root, index) if row.kind == "group"}
    assert groups == {
        "2023-8-1 @10h 00m 00s 0ms": ("The Night Watch", "1690000000000"),
        "orphan": ("orphan", ""),
    }


def test_damaged_groups_do_not_hide_group_chats(root: DataRoot, index: Index) -> None:
    for file in root.groups.iterdir():
        file.unlink()
    root.groups.rmdir()
    root.groups.write_bytes(b"no folder")
    assert [row.name for row in rows(root, index) if row.kind == "group"] == ["2023-8-1 @10h 00m 00s 0ms"]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"{no json}\n" + HELLO, "bad_header"),
        (b"\0" * 300, "bad_header"),
        ('{"chat_metadata":{}}\n'.encode("utf-16"), "bad_encoding"),
        (b'{"chat_metadata":{"integrity":7}}', "bad_header"),
        (b'[{"chat_metadata":{}}]', "bad_header"),
    ],
)
def test_a_chat_whose_header_cannot_be_read_is_listed_as_damaged(
    root: DataRoot, index: Index, content: bytes, kind: str
) -> None:
    path = put(root, "chats/Aria Vale/broken.jsonl", content)
    listed = rows(root, index)
    row = listed[0]
    assert (row.path, row.name, row.marks, row.messages) == (path, "Aria Vale", ("damaged",), -1)
    assert row.failure is not None
    assert row.failure.kind == kind
    assert row.preview_state == "unavailable"
    assert row.preview == row.failure.message
    assert len(listed) > 50
    assert path.read_bytes() == content


def test_a_chat_whose_last_line_is_cut_is_listed_with_its_count(root: DataRoot, index: Index) -> None:
    put(root, "chats/Aria Vale/cut.jsonl", HEADER + b"\n" + HELLO + b'\n{"name":"Mira","is_user":false,"mes":"cut he')
    row = rows(root, index)[0]
    assert (row.marks, row.preview_state, row.messages, row.failure) == (("damaged",), "unavailable", 2, None)


def test_an_empty_file_is_an_empty_chat(root: DataRoot, index: Index) -> None:
    put(root, "chats/Aria Vale/empty.jsonl", b"")
    row = rows(root, index)[0]
    assert (row.messages, row.preview, row.preview_state, row.marks) == (0, "", "empty", ())


def test_a_folder_named_like_a_chat_is_listed_as_unusable(root: DataRoot, index: Index) -> None:
    (root.chats / "Aria Vale" / "x.jsonl").mkdir()
    row = next(row for row in rows(root, index) if row.title == "x")
    assert (row.name, row.marks) == ("Aria Vale", ("damaged",))
    assert row.failure is not None
    assert (row.failure.kind, row.failure.detail) == ("io", "open")


def test_a_file_that_goes_away_while_it_is_listed_hides_no_other(
    root: DataRoot, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(root, "chats/Aria Vale/gone.jsonl", HEADER)
    batches = recents(root, index)
    put(root, "chats/Aria Vale/newest.jsonl", HEADER, age=-1)
    monkeypatch.setattr(module, "FIRST_BATCH", 1)
    first = next(batches)
    path.unlink()
    listed = first + [row for batch in batches for row in batch]
    gone = next(row for row in listed if row.title == "gone")
    assert gone.failure is not None
    assert len(listed) > 50


def test_conflict_copies_mark_their_chat(root: DataRoot, index: Index) -> None:
    put(root, "chats/Aria Vale/a.jsonl", HEADER)
    copy = put(root, "chats/Aria Vale/a.sync-conflict-20260106-090000-ABCDEFG.jsonl", HEADER)
    row = rows(root, index)[0]
    assert (row.title, row.marks, row.conflicts) == ("a", ("conflict",), (str(copy),))
    again = row_of(root, index, row.path)
    assert again == row


def test_the_limit_counts_the_newest_and_pins_come_on_top(root: DataRoot, index: Index) -> None:
    everything = rows(root, index)
    pinned = [everything[20].file, everything[0].file]
    listed = rows(root, index, limit=3, pinned=pinned)
    assert [row.file for row in listed] == [everything[n].file for n in (0, 1, 2, 3, 20)]
    assert [row.marks for row in listed] == [("pinned",), (), (), (), ("pinned",)]


def test_one_characters_chats_are_listed_without_a_card_too(root: DataRoot, index: Index) -> None:
    put(root, "chats/Nobody/a.jsonl", HEADER)
    assert [row.title for row in rows(root, index, character="Nobody")] == ["a"]
    assert "Nobody" not in {row.character for row in rows(root, index)}
    assert rows(root, index, character="Nothing") == []


def test_the_index_spares_reading_what_did_not_change(
    root: DataRoot, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = rows(root, index)
    warm = Index(index.file.parent, root.path)
    read: list[str] = []
    original = module._summarise
    monkeypatch.setattr(module, "_summarise", lambda item: read.append(item.stem) or original(item))
    assert rows(root, warm) == listed
    assert read == []
    put(root, "chats/Aria Vale/new.jsonl", HEADER)
    assert rows(root, warm)[0].title == "new"
    assert read == ["new"]


def test_listing_can_be_stopped_between_batches(root: DataRoot, index: Index) -> None:
    stop: list[bool] = []
    batches = recents(root, index, cancelled=lambda: bool(stop))
    assert len(next(batches)) == module.FIRST_BATCH
    stop.append(True)
    assert list(batches) == []


def test_rows_do_not_wait_for_a_large_file_behind_them(
    root: DataRoot, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(root, "chats/Aria Vale/small.jsonl", HEADER)
    large = put(root, "chats/Aria Vale/large.jsonl", HEADER + b"\n" + HELLO, age=1)
    monkeypatch.setattr(module, "LARGE", large.stat().st_size - 1)
    assert [row.title for row in next(recents(root, index))] == ["small"]


def test_one_row_is_renewed_after_a_save(root: DataRoot, index: Index) -> None:
    row = rows(root, index)[0]
    with row.path.open("ab") as file:
        file.write(b"\n" + HELLO)
    renewed = row_of(root, index, row.path)
    assert renewed is not None
    assert (renewed.messages, renewed.preview) == (row.messages + 1, "Hello.")
    row.path.unlink()
    assert row_of(root, index, row.path) is None


def test_a_missing_folder_has_no_chats_and_an_unreadable_one_is_an_error(tmp_path: Path, index: Index) -> None:
    root = DataRoot(tmp_path / "empty")
    assert rows(root, index) == []
    root.user_folder.mkdir(parents=True)
    root.chats.write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        rows(root, index)
    assert (caught.value.kind, caught.value.detail) == ("io", "list")
