"""Summaries: what the vectors leave open."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.summary import summarise

HEAD = b'{"chat_metadata":{}}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.jsonl"


def test_the_listing_may_say_when_the_file_was_written(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"x"}')
    os.utime(path, ns=(0, 5_000_000))
    assert summarise(path).date == 5
    assert summarise(path, mtime_ms=7).date == 7


def test_an_error_says_the_file_and_the_line(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"x"}\n\n{"mes":"\xff"}')
    with pytest.raises(StorageError) as caught:
        summarise(path)
    assert (caught.value.chat_ref, caught.value.line, caught.value.offset) == (str(path), 4, len(HEAD) + 21)
    path.unlink()
    with pytest.raises(StorageError) as caught:
        summarise(path)
    assert caught.value.kind == "not_found"


def test_a_text_of_lone_surrogates_is_a_preview_too(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"cut \\ud83d"}')
    assert summarise(path).preview == "cut \ud83d"


def test_a_preview_of_a_record_with_a_byte_order_mark_is_unavailable(path: Path) -> None:
    path.write_bytes(HEAD + b'\xef\xbb\xbf{"mes":"x"}')
    assert summarise(path).preview_state == "unavailable"


def test_the_size_and_the_whole_text_are_there(path: Path) -> None:
    path.write_bytes(HEAD + b'{"mes":"' + b"y" * 1000 + b'"}')
    found = summarise(path, directory_key="alice")
    assert (found.file_name, found.file_size, found.character_name) == ("a.jsonl", path.stat().st_size, "alice")
    assert (len(found.preview), len(found.preview_full)) == (403, 1000)
