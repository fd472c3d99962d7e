"""Whole loads: bounded, cancellable, all or nothing, whatever the blocks."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.storage import reader
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import LoadedChat, load
from tavern_desktop.storage.signature import Signature
from tests.unit.strategies import chat_files

CHAT = b'{"chat_metadata":{}}\n{"mes":"a"}\n{"mes":"b"}\n'


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.jsonl"
    path.write_bytes(CHAT)
    return path


def _content(chat: LoadedChat) -> tuple[bytes | None, list[bytes]]:
    return None if chat.header is None else chat.header.raw, [message.raw for message in chat.messages]


def _refused(path: Path, **options: object) -> StorageError:
    with pytest.raises(StorageError) as caught:
        load(path, **options)  # type: ignore[arg-type]
    return caught.value


@given(chat_files(), st.integers(1, 50))
def test_blocks_make_no_difference(
    tmp_path_factory: pytest.TempPathFactory, chat: tuple[bytes, bytes, list[bytes]], block_size: int
) -> None:
    data, header, records = chat
    path = tmp_path_factory.mktemp("chat") / "a.jsonl"
    path.write_bytes(data)
    assert _content(load(path, block_size=block_size)) == (header, records)


@given(st.binary(max_size=60), st.integers(1, 20))
def test_any_bytes_are_a_chat_or_a_storage_error_the_same_for_all_blocks(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes, block_size: int
) -> None:
    path = tmp_path_factory.mktemp("chat") / "a.jsonl"
    path.write_bytes(CHAT + tail)

    def outcome(size: int) -> object:
        try:
            return _content(load(path, block_size=size))
        except StorageError as error:
            return error.kind, error.detail, error.facts()

    assert outcome(block_size) == outcome(1 << 19)


def test_keys_are_unique_and_the_signature_is_that_of_the_bytes_read(path: Path) -> None:
    first, second = load(path), load(path)
    keys = [message.key for chat in (first, second) for message in chat.messages]
    assert len(set(keys)) == 4
    assert first.signature == Signature.of_path(path)


def test_what_is_appended_later_is_not_seen(path: Path) -> None:
    def append(done: int, total: int) -> None:
        with path.open("ab") as file:
            file.write(b'{"mes":"later"}\n')

    assert len(load(path, block_size=10, progress=append).messages) == 2


def test_a_replaced_path_does_not_matter(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"something else")

    def replace(done: int, total: int) -> None:
        if other.exists():
            other.replace(path)

    assert len(load(path, block_size=10, progress=replace).messages) == 2


def test_a_file_that_shrinks_meanwhile_is_truncated(path: Path) -> None:
    error = _refused(path, block_size=10, progress=lambda done, total: os.truncate(path, 15))
    assert (error.kind, error.detail) == ("truncated", "early_eof")


def test_progress_goes_to_the_size_of_the_file(path: Path) -> None:
    told: list[tuple[int, int]] = []
    load(path, block_size=10, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (len(CHAT), len(CHAT))
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_cancelled_load_publishes_nothing_and_closes_the_file(path: Path) -> None:
    asked = iter([False, False, True])
    error = _refused(path, block_size=10, cancelled=lambda: next(asked))
    assert (error.kind, error.detail) == ("cancelled", "user")
    open_files = [os.path.realpath(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd")]
    assert str(path) not in open_files


def test_missing_is_never_taken_for_empty(path: Path) -> None:
    path.unlink()
    error = _refused(path)
    assert (error.kind, error.detail, error.chat_ref) == ("not_found", "chat", str(path))
    assert load(path, allow_not_found=True) == LoadedChat(None, [], None)
    path.write_bytes(b"")
    assert load(path).signature is not None
    path.write_bytes(b"damaged")
    assert _refused(path, allow_not_found=True).kind == "bad_header"


def test_what_is_no_file_is_said_at_once(path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    assert (_refused(folder).kind, _refused(folder).detail) == ("io", "open")
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    assert (_refused(pipe).kind, _refused(pipe).detail) == ("io", "open")
    assert _refused(tmp_path / "nul\0.jsonl").detail == "name"
    assert _refused(tmp_path / ("x" * 300 + ".jsonl")).kind == "io"


def test_too_large_says_both_sizes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = _refused(path, size_limit=10)
    assert (error.kind, error.detail) == ("io", "too_large")
    assert str(len(CHAT)) in error.message
    assert "10" in error.message
    monkeypatch.setattr(reader, "RECORD_LIMIT", 30)
    path.write_bytes(CHAT + b'{"mes":"' + b"x" * 50 + b'"}')
    assert _refused(path, block_size=8).detail == "too_large"


def test_a_sparse_file_of_two_gigabytes_is_refused_before_reading(path: Path) -> None:
    os.truncate(path, 2 << 30)
    assert _refused(path).detail == "too_large"


def test_a_header_that_looks_like_a_message_is_told(path: Path) -> None:
    path.write_bytes(b'{"mes":"x"}\n{"mes":"y"}')
    assert load(path).warnings == ("headerless_suspect",)
    assert load(path, kind="group").warnings == ()
    path.write_bytes(CHAT)
    assert load(path).warnings == ()


def test_two_loads_at_once_give_each_its_own_keys(path: Path) -> None:
    path.write_bytes(CHAT + b'{"mes":"c"}\n' * 5000)
    chats: list[LoadedChat] = []
    threads = [threading.Thread(target=lambda: chats.append(load(path, block_size=200))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({message.key for chat in chats for message in chat.messages}) == 3 * 5002
