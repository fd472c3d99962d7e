"""The tree of a folder's chats, whole and with holes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.branch_tree import Node, tree_around
from tavern_desktop.storage.errors import StorageError


def put(folder: Path, stem: str, parent: str = "", *marks: dict[str, Any]) -> Path:
    path = folder / f"{stem}.jsonl"
    records: list[dict[str, Any]] = [{"chat_metadata": {"main_chat": parent} if parent else {}}]
    records += [{"mes": "x", "extra": extra} for extra in marks or ({},)]
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return path


def told(node: Node) -> Any:
    """Return a tree as nested tuples of what matters."""
    missing = "" if node.path is not None else " (missing)"
    where = "" if node.index is None else f" from {node.index}"
    return (f"{node.stem}: {node.kind}{where}{missing}", *map(told, node.children))


def test_branches_checkpoints_and_what_is_missing(tmp_path: Path) -> None:
    marks = ({}, {"bookmark_link": "cp", "branches": ["lost"]}, {"branches": ["second"]})
    origin = put(tmp_path, "origin", "", *marks)
    put(tmp_path, "cp", "origin")
    put(tmp_path, "second", "origin")
    leaf = put(tmp_path, "origin - Checkpoint #1", "second")
    put(tmp_path, "elsewhere")
    (tmp_path / "bad.jsonl").write_bytes(b"garbage")
    expected = (
        "origin: chat",
        ("cp: checkpoint from 1",),
        ("lost: branch from 1 (missing)",),
        ("second: branch from 2", ("origin - Checkpoint #1: checkpoint",)),
    )
    for chat in (origin, leaf):
        tree = tree_around(chat)
        assert told(tree.root) == expected
        assert [Path(failure.file).name for failure in tree.failures] == ["bad.jsonl"]


def test_what_a_branch_copied_from_its_parent_was_made_from_the_parent(tmp_path: Path) -> None:
    chat = put(tmp_path, "zz origin", "", {"bookmark_link": "gone"})
    put(tmp_path, "a branch", "zz origin", {"bookmark_link": "gone"})
    assert told(tree_around(chat).root) == (
        "zz origin: chat",
        ("gone: checkpoint from 0 (missing)",),
        ("a branch: branch",),
    )


def test_a_parent_that_is_gone_is_the_root(tmp_path: Path) -> None:
    child = put(tmp_path, "child", "gone")
    put(tmp_path, "other child", "gone")
    assert told(tree_around(child).root) == ("gone: chat (missing)", ("child: branch",), ("other child: branch",))


def test_a_conflict_copy_is_no_branch(tmp_path: Path) -> None:
    chat = put(tmp_path, "chat")
    branch = put(tmp_path, "branch", "chat")
    copy = tmp_path / "branch.sync-conflict-20260109-183000-ABCDEFG.jsonl"
    copy.write_bytes(branch.read_bytes())
    assert told(tree_around(chat).root) == ("chat: chat", ("branch: branch",))


def test_chats_that_point_in_a_circle_end(tmp_path: Path) -> None:
    one = put(tmp_path, "one", "two")
    put(tmp_path, "two", "three")
    put(tmp_path, "three", "one")
    put(tmp_path, "self", "self", {"bookmark_link": "self"})
    names = json.dumps(told(tree_around(one).root))
    assert [names.count(f'"{stem}:') for stem in ("one", "two", "three")] == [1, 1, 1]
    assert told(tree_around(tmp_path / "self.jsonl").root) == ("self: chat",)


def test_it_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    chat = put(tmp_path, "one")
    put(tmp_path, "two")
    steps: list[tuple[int, int]] = []
    tree_around(chat, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 2), (2, 2)]
    with pytest.raises(StorageError, match="cancelled"):
        tree_around(chat, cancelled=lambda: True)
