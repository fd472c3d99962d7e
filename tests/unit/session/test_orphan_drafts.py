"""Typed text of a chat that is gone can still be found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.orphan_drafts import put_orphans_aside
from tavern_desktop.session.recovered import recovered_copies
from tavern_desktop.storage.drafts import Draft, DraftFolder, Edit, MessageRef
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.chats import user, write


@pytest.fixture
def data_root(tmp_path: Path) -> DataRoot:
    return DataRoot(tmp_path / "data")


@pytest.fixture
def drafts(tmp_path: Path) -> DraftFolder:
    folder = DraftFolder(tmp_path / "own" / "drafts")
    folder.put(Draft("chats/Mira/here.jsonl", "to be sent"))
    folder.put(Draft("chats/Mira/gone.jsonl", "half a thought", (Edit(MessageRef(1), "half an edit"),)))
    return folder


def test_it_becomes_a_text_among_what_was_put_aside(data_root: DataRoot, drafts: DraftFolder, tmp_path: Path) -> None:
    write(data_root.chats / "Mira" / "here.jsonl", [user("one")])
    recovery = tmp_path / "own" / "recovery"
    assert [draft.composer for draft in put_orphans_aside(drafts, data_root, recovery).drafts] == ["to be sent"]
    (copy,) = recovered_copies(recovery)
    assert copy.key == "gone"
    assert copy.path.read_text("utf-8") == "half a thought\n\nhalf an edit"
    assert [draft.composer for draft in drafts.read().drafts] == ["to be sent"]


def test_a_disk_that_is_not_there_proves_nothing(data_root: DataRoot, drafts: DraftFolder, tmp_path: Path) -> None:
    drafts.put(Draft("/nowhere/at/all.jsonl", "outside"))
    assert len(put_orphans_aside(drafts, data_root, tmp_path / "recovery").drafts) == 3
    assert recovered_copies(tmp_path / "recovery") == []


def test_what_cannot_be_put_aside_stays_a_draft(
    data_root: DataRoot, drafts: DraftFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data_root.chats.mkdir(parents=True)

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr("tavern_desktop.storage.publish.write_small_file", full)
        assert len(put_orphans_aside(drafts, data_root, tmp_path / "recovery").drafts) == 2
    assert len(drafts.read().drafts) == 2
