"""Pages from the end: the same records as a whole load, and cursors that never slip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.storage import pages
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.pages import Cursor, before, before_pages, span, tail, tail_preview
from tavern_desktop.storage.reader import load
from tests.unit.strategies import chat_files

CHAT = b'{"chat_metadata":{}}\n' + b"\n".join(b'{"m":%d}' % number for number in range(10))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(CHAT)
    return path


@given(chat_files(), st.integers(1, 4), st.integers(1, 40), st.sampled_from(["character", "group"]))
def test_pages_are_slices_of_the_whole_load(
    tmp_path_factory: pytest.TempPathFactory,
    chat: tuple[bytes, bytes, list[bytes]],
    limit: int,
    block: int,
    kind: pages.ChatKind,
) -> None:
    path = tmp_path_factory.mktemp("chat") / "a.jsonl"
    path.write_bytes(chat[0])
    records = [message.raw for message in load(path, kind=kind).messages]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "_FIRST_BLOCK", block)
        page = tail(path, limit, kind=kind)
        preview = tail_preview(path, limit, kind=kind)
        found = list(page.records)
        end = len(records)
        while True:
            assert page.total_count == len(records)
            assert page.start_index == max(0, end - limit)
            assert list(page.records) == records[page.start_index : end]
            assert page.has_more_before == (page.start_index > 0)
            if not page.has_more_before:
                break
            end = page.start_index
            page = before(path, page.cursor, limit, kind=kind)
            found = [*page.records, *found]
    assert found == records
    assert (preview.records, preview.has_more_before) == (tuple(records[-limit:]), len(records) > limit)
    assert preview.start_index == (None if preview.has_more_before else 0)


@given(
    chat_files(), st.integers(0, 6), st.none() | st.integers(1, 4), st.sampled_from(["character", "group"])
)  # fmt: skip
def test_a_span_is_a_slice_of_the_whole_load(
    tmp_path_factory: pytest.TempPathFactory,
    chat: tuple[bytes, bytes, list[bytes]],
    first: int,
    limit: int | None,
    kind: pages.ChatKind,
) -> None:
    path = tmp_path_factory.mktemp("chat") / "a.jsonl"
    path.write_bytes(chat[0])
    records = [message.raw for message in load(path, kind=kind).messages]
    page = span(path, first, limit, kind=kind)
    end = len(records) if limit is None else first + limit
    assert list(page.records) == records[first:end]
    assert (page.start_index, page.total_count) == (min(first, len(records)), len(records))
    assert page.has_more_before == (page.start_index > 0)
    if page.has_more_before:
        assert before(path, page.cursor, 1, kind=kind).records == (records[page.start_index - 1],)


def test_several_pages_at_once_are_the_same_as_one_by_one(path: Path) -> None:
    first = tail(path, 3)
    together = before_pages(path, first.cursor, 3, 9)
    one = before(path, first.cursor, 3)
    assert together[0] == one
    assert [page.start_index for page in together] == [4, 1, 0]
    assert [page.total_count for page in together] == [10, 10, 10]


def test_after_a_foreign_change_a_cursor_fails_even_with_size_and_time_unchanged(path: Path) -> None:
    cursor = tail(path, 2).cursor
    status = path.stat()
    other = path.with_name("other")
    other.write_bytes(CHAT[::-1])
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)
    with pytest.raises(StorageError) as caught:
        before(path, cursor, 2)
    assert (caught.value.kind, caught.value.detail, caught.value.chat_ref) == ("stale_cursor", "signature", str(path))


def test_a_preview_of_a_large_chat_reads_only_its_ends(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(CHAT.replace(b"\n", b"\n" + b'{"mes":"' + b"x" * 100_000 + b'"}\n'))
    read: list[int] = []
    original = pages._Body._read
    monkeypatch.setattr(
        pages._Body, "_read", lambda self, start, length: read.append(length) or original(self, start, length)
    )
    page = tail_preview(path, 2)
    assert [len(record) for record in page.records] == [100_010, 7]
    assert page.start_index is page.total_count is None
    assert sum(read) < 400_000


def test_only_what_is_returned_is_interpreted(path: Path) -> None:
    path.write_bytes(CHAT.replace(b'{"m":8}', b'{"m":8'))
    assert tail(path, 1).total_count == 10
    assert span(path, 2, 6).total_count == 10
    with pytest.raises(StorageError) as caught:
        span(path, 2, 7)
    assert (caught.value.kind, caught.value.offset) == ("bad_record", CHAT.index(b'{"m":8}') + 6)
    with pytest.raises(StorageError, match="validation/limit"):
        span(path, 0, 0)
    with pytest.raises(StorageError) as caught:
        tail(path, 2)
    assert (caught.value.kind, caught.value.offset) == ("bad_record", CHAT.index(b'{"m":8}') + 6)


def test_a_cursor_of_scripts_has_size_and_time_only(path: Path) -> None:
    cursor = tail(path, 2).cursor
    outside = Cursor(cursor.offset, cursor.size, cursor.modified_millis)
    assert before(path, outside, 2).records == (b'{"m":6}', b'{"m":7}')


def test_a_damaged_header_and_a_missing_file_are_told(path: Path) -> None:
    path.write_bytes(b"garbage\n" + CHAT)
    with pytest.raises(StorageError) as caught:
        tail_preview(path, 2)
    assert caught.value.kind == "bad_header"
    path.unlink()
    with pytest.raises(StorageError) as caught:
        tail_preview(path, 2)
    assert caught.value.kind == "not_found"
