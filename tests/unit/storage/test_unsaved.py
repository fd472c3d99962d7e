"""The notes which chats are ahead of their files."""

from __future__ import annotations

from pathlib import Path

from tavern_desktop.storage.unsaved import Unsaved, forget_unsaved, list_unsaved, note_unsaved


def test_noted_found_and_forgotten(tmp_path: Path) -> None:
    folder = tmp_path / "unsaved"
    assert list_unsaved(folder) == []
    forget_unsaved(folder, "one")
    later, earlier = Unsaved("/a.jsonl", "character", "A", 2), Unsaved("/b.jsonl", "group", "Zoë", 1)
    note_unsaved(folder, "one", later)
    note_unsaved(folder, "two", earlier)
    (folder / "three.json").write_bytes(b'{"chat":')
    (folder / "four.txt").write_bytes(b"{}")
    assert list_unsaved(folder) == [earlier, later]
    forget_unsaved(folder, "two")
    assert list_unsaved(folder) == [later]
