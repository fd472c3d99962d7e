"""Drafts on disk: one file for each chat, whole or not at all, and no damage that spreads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage.drafts import DAMAGED_SUFFIX, Draft, DraftFolder, Edit, MessageRef

EDIT = Edit(MessageRef(12, "msg_1", "abc"), "half an edit")


def without_time(folder: DraftFolder) -> list[Draft]:
    return [Draft(draft.chat, draft.composer, draft.edits) for draft in folder.read().drafts]


def test_what_was_put_is_read(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path / "drafts")
    drafts = [Draft("chats/Mira/talk.jsonl", "half a thought", (EDIT,)), Draft("chats/小月/灯谜.jsonl", "月\n")]
    for draft in drafts:
        folder.put(draft)
    assert sorted(without_time(folder), key=lambda draft: draft.chat) == drafts
    assert all(draft.at_ms for draft in folder.read().drafts)


def test_a_later_one_replaces_it_and_an_empty_one_removes_it(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path)
    folder.put(Draft("talk", "one"))
    folder.put(Draft("talk", "two"))
    assert without_time(folder) == [Draft("talk", "two")]
    folder.put(Draft("talk"))
    folder.put(Draft("talk"))
    assert list(tmp_path.iterdir()) == []


def test_half_a_pair_of_surrogates_is_kept(tmp_path: Path) -> None:
    folder = DraftFolder(tmp_path)
    folder.put(Draft("talk", "cut \ud83d here"))
    assert folder.read().drafts[0].composer == "cut \ud83d here"


def test_no_folder_holds_no_drafts(tmp_path: Path) -> None:
    assert DraftFolder(tmp_path / "none").read().drafts == []


@pytest.mark.parametrize("damage", [b"", b"\0" * 200, b'{"chat":"a","compo', b"[1]", b'{"composer":1}', b"\xff\xfe"])
def test_a_damaged_file_is_set_aside_and_costs_no_other(tmp_path: Path, damage: bytes) -> None:
    folder = DraftFolder(tmp_path)
    folder.put(Draft("talk", "kept"))
    (tmp_path / "damaged.json").write_bytes(damage)
    read = folder.read()
    assert [draft.composer for draft in read.drafts] == ["kept"]
    (aside,) = read.damaged
    assert aside.name == "damaged.json" + DAMAGED_SUFFIX
    assert aside.read_bytes() == damage
    assert folder.read().damaged == [], "told once"
