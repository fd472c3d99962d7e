"""Which folder of ours belongs to which chat."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from tavern_desktop.storage.journal_folders import (
    REMOVED,
    chat_key,
    chat_name,
    folder_size,
    journal_folder,
    journal_sizes,
    journals_folder,
    move_journal,
)
from tavern_desktop.storage.own_folders import own_folders


def test_a_chat_is_known_by_its_path_below_the_root(tmp_path: Path) -> None:
    roots = [tmp_path / "one", tmp_path / "two"]
    chats = [root / "chats" / "Mira" / "a.jsonl" for root in roots]
    assert [chat_name(root, chat) for root, chat in zip(roots, chats, strict=True)] == ["chats/Mira/a.jsonl"] * 2
    folders = own_folders()
    places = [
        journal_folder(journals_folder(folders, root), root, chat) for root, chat in zip(roots, chats, strict=True)
    ]
    assert places[0].name == places[1].name
    assert places[0].parent != places[1].parent
    outside = journal_folder(journals_folder(folders, None), None, chats[0])
    assert outside.parent.parent.name == "outside"
    assert outside.name != places[0].name


def test_spellings_of_one_path_are_one_chat(tmp_path: Path) -> None:
    root = tmp_path / "data"
    (root / "chats" / "Mira").mkdir(parents=True)
    (tmp_path / "link").symlink_to(root)
    name = "Zoë.jsonl"
    spellings = [
        root / "chats" / "Mira" / name,
        root / "chats" / ".." / "chats" / "Mira" / name,
        tmp_path / "link" / "chats" / "Mira" / unicodedata.normalize("NFD", name),
    ]
    assert len({chat_key(root, path) for path in spellings}) == 1
    assert chat_key(tmp_path / "link", spellings[0]) == chat_key(root, spellings[0])
    assert chat_key(root, root / "chats" / "Mira" / "\udcff.jsonl") != chat_key(root, spellings[0])


def test_a_journal_goes_with_its_chat(tmp_path: Path) -> None:
    source, target = tmp_path / "a", tmp_path / "new" / "b"
    move_journal(source, target)
    assert not target.exists()
    source.mkdir()
    (source / "0000000001.journal").write_bytes(b"mine")
    target.mkdir(parents=True)
    (target / "0000000001.journal").write_bytes(b"of a chat that was here before")
    move_journal(source, target)
    assert (target / "0000000001.journal").read_bytes() == b"mine"
    assert not source.exists()
    assert len(list(target.parent.iterdir())) == 2
    assert folder_size(target) == 4
    assert folder_size(source) == 0
    assert sum(journal_sizes(target.parent).values()) == 4 + len(b"of a chat that was here before")
    assert journal_sizes(tmp_path / "nothing") == {}
    (tmp_path / REMOVED / "c").mkdir(parents=True)
    (tmp_path / REMOVED / "c" / "0000000001.journal").write_bytes(b"removed")
    assert {name: size for name, size in journal_sizes(tmp_path).items() if name != "new"} == {f"{REMOVED}/c": 7}
