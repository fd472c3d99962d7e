"""What the copied sample looks like in the list of recent chats."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.library.data_root import ensure_own_root
from tavern_desktop.library.recents import recents
from tavern_desktop.resources import resource_path
from tavern_desktop.storage.index import Index
from tavern_desktop.storage.own_folders import own_folders


def test_the_chats_stand_in_the_order_they_were_written_in(tmp_path: Path) -> None:
    root = ensure_own_root(own_folders(), resource_path("sample"))
    rows = [row for batch in recents(root, Index(tmp_path, root.path)) for row in batch]
    assert [row.title for row in rows] == ["A lantern in the rain", "The tide table", "灯谜"]
    assert [row.messages for row in rows] == [10, 7, 7]
