"""The index is a cache: true while files are as they were, and dispensable."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tavern_desktop.storage import index as module
from tavern_desktop.storage.directory import ChatFile
from tavern_desktop.storage.index import CardEntry, ChatEntry, Index, stamp_of

CHAT = ChatFile("/root/user/chats/Mira/a.jsonl", "character", "Mira", 100, 5, 7)
ENTRY = ChatEntry((100, 5, 7), "Mira", 3, "last words", "text", 1_700_000_000_000)
CARD = CardEntry((10, 1, 2), "Mira", "a", True, "")


def filled(folder: Path) -> Index:
    index = Index(folder, Path("/root"))
    index.put_chat(CHAT.file, ENTRY)
    index.put_card("/root/user/characters/Mira.png", CARD)
    index.save()
    return index


def test_what_was_put_is_there_at_the_next_start(tmp_path: Path) -> None:
    filled(tmp_path / "cache")
    index = Index(tmp_path / "cache", Path("/root"))
    assert index.chat(CHAT) == ENTRY
    assert index.card("/root/user/characters/Mira.png", CARD.stamp) == CARD
    assert (index.counts(), index.warnings) == ((1, 1), [])


@pytest.mark.parametrize("changed", [{"size": 101}, {"mtime_ns": 6}, {"file_id": 8}])
def test_an_entry_counts_only_for_the_file_as_it_was(tmp_path: Path, changed: dict[str, int]) -> None:
    values = {"size": 100, "mtime_ns": 5, "file_id": 7} | changed
    index = filled(tmp_path)
    assert index.chat(ChatFile(CHAT.file, "character", "Mira", **values)) is None
    assert stamp_of(CHAT) == ENTRY.stamp


def test_entries_move_with_their_data_root(tmp_path: Path) -> None:
    filled(tmp_path)
    moved = ChatFile("/elsewhere/user/chats/Mira/a.jsonl", "character", "Mira", 100, 5, 7)
    assert Index(tmp_path, Path("/elsewhere")).chat(moved) == ENTRY


@pytest.mark.parametrize("content", [b"", b"{}", b"\x93\x01\x02\x03", b"\x00" * 500])
def test_a_damaged_index_is_made_anew(tmp_path: Path, content: bytes) -> None:
    filled(tmp_path)
    (tmp_path / module.FILE_NAME).write_bytes(content)
    index = Index(tmp_path, Path("/root"))
    assert index.chat(CHAT) is None
    assert not (tmp_path / module.FILE_NAME).exists()
    assert index.warnings == []
    filled(tmp_path)
    assert Index(tmp_path, Path("/root")).chat(CHAT) == ENTRY


def test_an_index_cut_short_is_made_anew(tmp_path: Path) -> None:
    filled(tmp_path)
    whole = (tmp_path / module.FILE_NAME).read_bytes()
    (tmp_path / module.FILE_NAME).write_bytes(whole[:-5])
    assert Index(tmp_path, Path("/root")).chat(CHAT) is None


@pytest.mark.parametrize(("name", "value"), [("VERSION", 999)])
def test_an_index_of_another_version_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: int
) -> None:
    filled(tmp_path)
    monkeypatch.setattr(module, name, value)
    assert Index(tmp_path, Path("/root")).chat(CHAT) is None
    assert not (tmp_path / module.FILE_NAME).exists()


def test_a_cache_that_cannot_be_written_is_only_a_warning(tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file where the folder should be")
    index = filled(tmp_path / "cache")
    assert index.chat(CHAT) == ENTRY
    assert any("could not be written" in warning for warning in index.warnings)


def test_chats_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    index = filled(tmp_path)
    index.put_chat("/root/user/chats/Mira/gone.jsonl", ENTRY)
    index.put_chat("/root/other/chats/Ada/b.jsonl", ENTRY)
    index.keep_chats(Path("/root/user"), [CHAT.file])
    assert index.chat(CHAT) == ENTRY
    assert index.counts()[0] == 2  # the other user's chats are not this listing's business


def test_saving_without_change_writes_nothing(tmp_path: Path) -> None:
    index = filled(tmp_path)
    (tmp_path / module.FILE_NAME).unlink()
    index.save()
    assert not (tmp_path / module.FILE_NAME).exists()


def test_a_text_cut_inside_an_emoji_or_a_name_that_is_no_text_costs_only_its_own_entry(tmp_path: Path) -> None:
    index = filled(tmp_path / "cache")
    cut = msgspec.structs.replace(ENTRY, preview="cut \ud83d")
    other = msgspec.structs.replace(CHAT, file="/root/user/chats/Mira/b.jsonl")
    index.put_chat(other.file, cut)
    index.put_card("/root/user/characters/\udcff.png", CARD)
    index.save()
    assert index.chat(other) == cut
    again = Index(tmp_path / "cache", Path("/root"))
    assert (again.chat(CHAT), again.chat(other), again.counts()) == (ENTRY, None, (1, 1))
