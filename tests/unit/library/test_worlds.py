"""Lorebooks in their files: read, changed entry by entry, and everything unknown kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library import worlds
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.worlds import (
    DEFAULTS,
    add_entry,
    change_entry,
    create_world,
    entries_of_card_book,
    load_world,
    remove_entry,
    world_names,
)
from tavern_desktop.prompt.lore import LoreEntry, entries_of_book, entries_of_world
from tavern_desktop.storage import publish
from tavern_desktop.storage.errors import StorageError

BOOK: dict[str, Any] = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["kettle"],
            "content": "It is haunted.",
            "displayIndex": 1,
            "x": 12345678901234567890123,
        },
        "7": {"uid": 7, "key": ["tea"], "content": "It is cold.", "displayIndex": 0},
        "odd": {"key": []},
        "9": "no entry",
    },
    "originalData": {"kept": [None]},
}


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    root = DataRoot(tmp_path)
    root.worlds.mkdir(parents=True)
    (root.worlds / "House.json").write_text(json.dumps(BOOK))
    (root.worlds / "notes.txt").touch()
    return root


def on_disk(root: DataRoot, name: str = "House") -> dict[str, Any]:
    book: dict[str, Any] = json.loads((root.worlds / f"{name}.json").read_bytes())
    return book


def test_a_book_is_read_in_the_order_in_which_it_is_shown(root: DataRoot) -> None:
    assert world_names(root) == ["House"]
    book = load_world(root, "House")
    assert list(book.entries) == [7, 0]
    assert book.entries[0]["content"] == "It is haunted."


def test_one_entry_is_changed_and_all_else_stays(root: DataRoot) -> None:
    change_entry(root, "House", 0, {"content": "It sings.", "sticky": 3})
    expected = json.loads(json.dumps(BOOK))
    expected["entries"]["0"] |= {"content": "It sings.", "sticky": 3}
    assert on_disk(root) == expected


def test_entries_come_and_go_under_the_smallest_free_number(root: DataRoot) -> None:
    assert add_entry(root, "House", {"key": ["cup"], "content": "It is chipped."}) == 1
    added = on_disk(root)["entries"]["1"]
    assert added == {"uid": 1, **DEFAULTS, "key": ["cup"], "content": "It is chipped.", "displayIndex": 4}
    gone = remove_entry(root, "House", 0)
    assert "0" not in on_disk(root)["entries"]
    assert add_entry(root, "House", gone, uid=0) == 0
    assert on_disk(root)["entries"]["0"]["x"] == BOOK["entries"]["0"]["x"]
    assert add_entry(root, "House", gone, uid=7) == 2, "that number is another's"


def test_what_another_program_wrote_meanwhile_stays(root: DataRoot, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, theirs = publish._replace, iter([True])

    def late(target: Path, *rest: Any) -> Any:
        if next(theirs, False):
            book = on_disk(root)
            book["entries"]["7"]["content"] = "theirs"
            target.write_text(json.dumps(book))
        return replace(target, *rest)

    monkeypatch.setattr(publish, "_replace", late)
    change_entry(root, "House", 0, {"content": "ours"})
    entries = on_disk(root)["entries"]
    assert (entries["0"]["content"], entries["7"]["content"]) == ("ours", "theirs")


def test_a_list_of_entries_is_taken_and_becomes_what_sillytavern_has(root: DataRoot) -> None:
    (root.worlds / "List.json").write_text(json.dumps({"entries": [{"key": ["a"]}, {"key": ["b"]}]}))
    assert list(load_world(root, "List").entries) == [0, 1]
    change_entry(root, "List", 1, {"content": "B"})
    assert on_disk(root, "List")["entries"]["1"] == {"key": ["b"], "uid": 1, "content": "B"}


@pytest.mark.parametrize("content", [b"", b"{half", b"[1]"])
def test_a_damaged_book_is_told_and_never_written(root: DataRoot, content: bytes) -> None:
    path = root.worlds / "Bad.json"
    path.write_bytes(content)
    for work in (lambda: load_world(root, "Bad"), lambda: add_entry(root, "Bad")):
        with pytest.raises(StorageError):
            work()
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["", "../House", "a/b", "gone"])
def test_what_is_no_book_is_refused(root: DataRoot, name: str) -> None:
    with pytest.raises(StorageError):
        load_world(root, name)
    with pytest.raises(StorageError):
        change_entry(root, name, 0, {})


def test_an_entry_that_is_gone_is_told(root: DataRoot) -> None:
    before = on_disk(root)
    for work in (lambda: change_entry(root, "House", 5, {}), lambda: remove_entry(root, "House", 9)):
        with pytest.raises(StorageError, match="no longer"):
            work()
    assert on_disk(root) == before


def test_a_new_book_has_a_name_of_its_own(root: DataRoot) -> None:
    assert create_world(root, "House").name == "House 2"
    assert create_world(root, "  Garden: a/b? ").entries == {}
    assert set(worlds.world_names(root)) >= {"House", "House 2"}


def test_a_card_s_book_becomes_a_file_that_says_the_same(root: DataRoot) -> None:
    entries = [
        {
            "id": 3, "keys": ["kettle"], "secondary_keys": ["old"], "comment": "Kettle", "content": "Haunted.",
            "constant": True, "selective": False, "insertion_order": 7, "enabled": False, "position": "after_char",
            "extensions": {"position": 4, "depth": 2, "role": 1, "probability": 30, "group": "g", "sticky": 5,
                           "exclude_recursion": True, "match_scenario": True, "selectiveLogic": 3},
        },
        {"keys": ["b"], "content": "B", "enabled": True, "insertion_order": 1},
        "no entry",
    ]  # fmt: skip
    book = {"entries": entries}
    made = create_world(root, "Card", entries_of_card_book(book))
    direct = entries_of_book("Card", "character", book)
    through = entries_of_world("Card", "character", on_disk(root, made.name))
    assert list(map(said, direct)) == list(map(said, through))


def said(entry: LoreEntry) -> dict[str, Any]:
    """Return all that an entry says but where it is from."""
    return {name: getattr(entry, name) for name in entry.__slots__ if name not in ("uid", "world")}
