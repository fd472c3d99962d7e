"""Copies that were put aside can be found again, by the title of their chat."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.session.loading import write_recovery_copy
from tavern_desktop.session.recovered import recovered_copies
from tavern_desktop.storage.errors import StorageError
from tests.unit.session.chats import chat_of, user


def test_copies_are_listed_newest_first_with_their_titles(tmp_path: Path) -> None:
    chat = chat_of(user("one"))
    for number, title in enumerate(("The tide - 2024", "灯谜")):
        path = write_recovery_copy(tmp_path, title, *chat.snapshot())
        os.utime(path, (1000 + number, 1000 + number))
    (tmp_path / "notes.md").write_text("something else")
    found = recovered_copies(tmp_path)
    assert [copy.key for copy in found] == ["灯谜", "The tide - 2024"]
    assert all(copy.size == copy.path.stat().st_size for copy in found)


def test_no_folder_holds_none(tmp_path: Path) -> None:
    assert recovered_copies(tmp_path / "none") == []


def test_a_folder_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError):
        recovered_copies(tmp_path / "file")
