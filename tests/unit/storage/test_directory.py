"""Which files count as chats, and what is said of those that do not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.storage.directory import Listing, key_of, kind_of, list_around, list_character, list_global
from tavern_desktop.storage.errors import StorageError

LINE = b'{"chat_metadata":{}}'


def put(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(LINE)
    return folder


@pytest.fixture
def mira(tmp_path: Path) -> Path:
    """The folder of one character's chats."""
    return put(tmp_path / "user" / "chats" / "Mira")


def listed(folder: Path) -> Listing:
    return list_character(folder.parent.parent, folder.name)


def names(listing: Listing) -> list[str]:
    return sorted(chat.name for chat in listing.files)


def test_only_lower_case_jsonl_files_are_chats(mira: Path) -> None:
    put(mira, "a.jsonl", "b.JSONL", "c.jsonl.tmp", ".td-0123abcd.tmp", ".~lock.a.jsonl#", "._a.jsonl", ".jsonl", "n")
    listing = listed(mira)
    assert names(listing) == ["a.jsonl"]
    assert listing.failures == []


def test_a_copy_numbered_by_a_browser_is_a_chat_of_its_own(mira: Path) -> None:
    put(mira, "a.jsonl", "a (1).jsonl")
    assert names(listed(mira)) == ["a (1).jsonl", "a.jsonl"]


def test_conflict_copies_stand_under_their_chat(mira: Path) -> None:
    copies = ["a.sync-conflict-20260106-090000-ABCDEFG.jsonl", "a.sync-conflict-20260107-090000-ABCDEFG.jsonl"]
    put(mira, "a.jsonl", "b.jsonl", *copies)
    conflicts = {chat.name: [os.path.basename(file) for file in chat.conflicts] for chat in listed(mira).files}
    assert conflicts == {"a.jsonl": copies, "b.jsonl": []}


def test_a_conflict_copy_whose_chat_is_gone_is_not_lost(mira: Path) -> None:
    put(mira, "a.sync-conflict-20260106-090000-ABCDEFG.jsonl")
    assert names(listed(mira)) == ["a.sync-conflict-20260106-090000-ABCDEFG.jsonl"]


def test_a_folder_named_like_a_chat_is_reported_and_hides_nothing(mira: Path) -> None:
    put(mira, "a.jsonl")
    (mira / "x.jsonl").mkdir()
    listing = listed(mira)
    assert names(listing) == ["a.jsonl"]
    [failure] = listing.failures
    assert (failure.file, failure.kind, failure.detail) == (str(mira / "x.jsonl"), "io", "open")


def test_links_are_followed_inside_the_folder_only(tmp_path: Path, mira: Path) -> None:
    put(mira, "a.jsonl")
    put(tmp_path, "secret.jsonl")
    (mira / "inner.jsonl").symlink_to(mira / "a.jsonl")
    (mira / "outer.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (mira / "dangling.jsonl").symlink_to(mira / "nothing")
    listing = listed(mira)
    assert names(listing) == ["a.jsonl", "inner.jsonl"]
    failures = {os.path.basename(failure.file): (failure.kind, failure.detail) for failure in listing.failures}
    assert failures == {"outer.jsonl": ("validation", "name"), "dangling.jsonl": ("io", "open")}


def test_all_chats_may_lie_on_another_disk(tmp_path: Path) -> None:
    put(tmp_path / "disk" / "Mira", "a.jsonl")
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "chats").symlink_to(tmp_path / "disk")
    assert names(list_global(tmp_path / "user", ["Mira"])) == ["a.jsonl"]


def test_a_character_folder_that_is_a_link_outside_is_not_entered(tmp_path: Path) -> None:
    user, outside = tmp_path / "user", tmp_path / "outside"
    put(outside, "secret.jsonl")
    put(user / "chats" / "Mira", "a.jsonl")
    (user / "chats" / "Ada").symlink_to(outside)
    listing = list_global(user, ["Ada", "Mira"])
    assert names(listing) == ["a.jsonl"]
    assert [(failure.kind, failure.detail) for failure in listing.failures] == [("validation", "name")]


def test_a_folder_that_is_missing_has_no_chats(tmp_path: Path) -> None:
    assert list_character(tmp_path, "nothing").files == []
    assert list_global(tmp_path, ["Mira"]).files == []


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    # A file in the folder's place fails for every user, where permissions would not stop the superuser.
    (tmp_path / "chats").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        list_global(tmp_path, [])
    assert (caught.value.kind, caught.value.detail) == ("io", "list")


def test_the_global_list_has_characters_loose_chats_and_groups(tmp_path: Path) -> None:
    put(tmp_path / "chats", "loose.jsonl")
    put(tmp_path / "chats" / "Mira", "a.jsonl")
    put(tmp_path / "chats" / "Nobody", "b.jsonl")
    put(tmp_path / "group chats", "c.jsonl")
    found = {(chat.kind, chat.key, chat.name) for chat in list_global(tmp_path, ["Mira", "Ada"]).files}
    assert found == {("character", "", "loose.jsonl"), ("character", "Mira", "a.jsonl"), ("group", "", "c.jsonl")}


def test_one_character_folder_that_fails_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path / "chats" / "Mira", "a.jsonl")
    (tmp_path / "chats" / "Ada").write_bytes(b"a file, no folder")
    listing = list_global(tmp_path, ["Ada", "Mira"])
    assert names(listing) == ["a.jsonl"]
    assert [(failure.kind, failure.detail) for failure in listing.failures] == [("io", "list")]


def test_a_path_tells_whose_chat_it_is() -> None:
    solo, group = Path("/d/u/chats/Mira/a.jsonl"), Path("/d/u/group chats/a.jsonl")
    loose, foreign = Path("/d/u/chats/a.jsonl"), Path("/tmp/a.jsonl")
    assert [kind_of(path) for path in (solo, group, loose, foreign)] == ["character", "group", "character", "character"]
    assert [key_of(path) for path in (solo, group, loose, foreign)] == ["Mira", "", "", ""]


@pytest.fixture
def aliased(tmp_path: Path) -> Path:
    """A user folder where TauriTavern remembers a wrongly named folder, beside useless entries."""
    put(tmp_path / "chats" / "Alice", "a.jsonl")
    put(tmp_path / "chats" / "Bo", "b.jsonl")
    put(tmp_path / "secret", "c.jsonl")
    file = tmp_path / "user" / "cache" / "chat_aliases_v1.json"
    file.parent.mkdir(parents=True)
    file.write_text(
        '{"version": 1, "aliases": {"Alice#1": {"dir": "Alice"}, "Ada": {"dir": "../secret"}, "Bo": {"dir": "Gone"},'
        ' "Eve": 7, "Cy": {"dir": null}}}',
        "utf-8",
    )
    return tmp_path


def test_a_folder_that_tauritavern_misnamed_belongs_to_its_character(aliased: Path) -> None:
    cards = ["Alice#1", "Ada", "Bo", "Eve", "Cy"]
    assert [(chat.key, chat.name) for chat in list_global(aliased, cards).files] == [
        ("Bo", "b.jsonl"),
        ("Alice#1", "a.jsonl"),
    ]
    assert names(list_character(aliased, "Alice#1")) == ["a.jsonl"]
    assert names(list_character(aliased, "Ada")) == []
    [again] = list_around(aliased, aliased / "chats" / "Alice" / "a.jsonl").files
    assert again.key == "Alice#1"


def test_a_folder_is_listed_once_and_belongs_to_the_card_of_its_name(aliased: Path) -> None:
    assert [chat.key for chat in list_global(aliased, ["Alice#1", "Alice"]).files] == ["Alice"]


@pytest.mark.parametrize("content", ["", "[]", '{"aliases": []}', "{"])
def test_an_alias_file_that_cannot_be_read_hides_nothing(aliased: Path, content: str) -> None:
    (aliased / "user" / "cache" / "chat_aliases_v1.json").write_text(content, "utf-8")
    assert names(list_global(aliased, ["Alice", "Bo"])) == ["a.jsonl", "b.jsonl"]
