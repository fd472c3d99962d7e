"""The links of a chat file, without loading it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.chat.links import Link
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.links import read_links

HEAD = b'{"chat_metadata":{"main_chat":"Origin"}}'
PLAIN = b'{"mes":"a"}'
MARKED = b'{"mes":"b","extra":{"bookmark_link":"cp","branches":["br"]}}'


def test_header_and_messages(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join([HEAD, PLAIN, b'{"bookmark_link" damaged', MARKED]))
    found = read_links(path)
    assert (found.parent, found.messages) == ("Origin", 3)
    assert found.links == (Link(2, "checkpoint", "cp"), Link(2, "branch", "br"))
    assert [found.leads_to(stem) for stem in ("Origin", "cp", "br", "other")] == [True, True, True, False]


def test_a_group_chat_of_old_has_no_header(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"\n".join([MARKED, PLAIN]))
    found = read_links(path, kind="group")
    assert (found.parent, found.messages, found.links[0].index) == ("", 2, 0)


def test_an_empty_file_and_a_damaged_header(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"")
    assert read_links(path).messages == 0
    path.write_bytes(b"garbage")
    with pytest.raises(StorageError, match="bad_header"):
        read_links(path)
    with pytest.raises(StorageError, match="not_found"):
        read_links(tmp_path / "gone.jsonl")
