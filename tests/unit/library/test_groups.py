"""Group records, whole and otherwise."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import header_for_headerless, list_groups, read_group
from tavern_desktop.storage.errors import StorageError


def put(root: DataRoot, group_id: str, record: Any) -> None:
    text = record if isinstance(record, str) else json.dumps(record)
    (root.groups / f"{group_id}.json").write_text(text, "utf-8")


def test_a_group_has_its_members_and_chats(root: DataRoot) -> None:
    [group] = list_groups(root)
    assert (group.name, group.missing, group.problem) == ("The Night Watch", (), "")
    assert group.members == ("Aria Vale.png", "Brother Osric.png", "Captain Ilse.png")
    assert group.chats == (group.chat,) == ("2023-8-1 @10h 00m 00s 0ms",)


def test_missing_members_and_double_chats_are_seen_and_the_record_is_left_alone(root: DataRoot) -> None:
    record = {"id": "1", "members": ["Aria Vale.png", "Aria Vale", "Gone.png", "../x", 7], "chats": ["a", "a", None]}
    put(root, "1", record)
    group = read_group(root, "1")
    assert group.missing == ("Gone.png", "../x")
    assert group.chats == ("a",)
    assert group.name == "1"
    assert json.loads((root.groups / "1.json").read_text("utf-8")) == record


@pytest.mark.parametrize("content", ["", "[]", '{"name": ', "null"])
def test_a_damaged_record_is_listed_with_what_is_wrong(root: DataRoot, content: str) -> None:
    put(root, "9", content)
    groups = {group.id: group for group in list_groups(root)}
    assert len(groups) == 2
    assert "damaged" in groups["9"].problem


def test_a_missing_folder_has_no_groups_and_an_unreadable_one_is_an_error(tmp_path: Path) -> None:
    root = DataRoot(tmp_path)
    assert list_groups(root) == []
    root.user_folder.mkdir()
    root.groups.write_bytes(b"")
    with pytest.raises(StorageError):
        list_groups(root)


def test_the_metadata_of_a_chat_without_header_is_in_the_record(root: DataRoot) -> None:
    put(root, "1", {"chat_id": "now", "chat_metadata": {"a": 1}, "past_metadata": {"then": {"b": 2}}})
    put(root, "0", "damaged")
    assert header_for_headerless(root, root.group_chats / "now.jsonl") == ({"a": 1}, False)
    assert header_for_headerless(root, root.group_chats / "then.jsonl") == ({"b": 2}, False)
    assert header_for_headerless(root, root.group_chats / "other.jsonl") == ({}, False)


@pytest.mark.parametrize(
    ("version", "asks"), [("1.15.0", True), ("1.12.6", True), ("1.16.0", False), ("2.0", False), ("?", False)]
)
def test_an_old_sillytavern_means_asking_before_a_header_is_written(root: DataRoot, version: str, asks: bool) -> None:
    root.settings.write_text(json.dumps({"currentVersion": version}), "utf-8")
    assert header_for_headerless(root, root.group_chats / "x.jsonl")[1] is asks
