"""Saving metadata alone: the body comes out byte for byte, in bounded memory, and never over somebody else's file."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.storage import metadata
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.metadata import read_metadata, save_metadata, set_extension
from tavern_desktop.storage.signature import Signature


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_bytes(b'{"chat_metadata":{"integrity":"a"},"z":1}\r\n{"mes":"one"}\r\n\n not json \xff\n\0\0')
    return path


def _body(path: Path) -> bytes:
    return path.read_bytes().partition(b"\n")[2]


def _metadata(path: Path) -> Any:
    return json.loads(path.read_bytes().partition(b"\n")[0])["chat_metadata"]


def test_the_signature_is_that_of_the_published_file(chat: Path) -> None:
    body = _body(chat)
    signature = save_metadata(chat, {"integrity": "a", "note": 1}, expected=Signature.of_path(chat))
    assert signature == Signature.of_path(chat)
    assert _body(chat) == body
    assert os.listdir(chat.parent) == [chat.name]


def test_a_file_that_changed_since_is_not_touched(chat: Path) -> None:
    known = Signature.of_path(chat)
    chat.write_bytes(chat.read_bytes() + b'\n{"mes":"theirs"}')
    before = chat.read_bytes()
    with pytest.raises(ChangedOnDisk):
        save_metadata(chat, {"integrity": "a"}, expected=known)
    assert chat.read_bytes() == before


def test_a_file_that_changes_while_it_is_copied_is_not_overwritten(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"theirs"}'
    publish = metadata.publish

    def publish_late(*args: Any, **options: Any) -> Signature:
        chat.with_suffix(".new").write_bytes(theirs)
        chat.with_suffix(".new").replace(chat)
        monkeypatch.setattr(metadata, "publish", publish)
        return publish(*args, **options)

    monkeypatch.setattr(metadata, "publish", publish_late)
    with pytest.raises(ChangedOnDisk):
        save_metadata(chat, {"integrity": "a", "note": 1})
    assert chat.read_bytes() == theirs
    monkeypatch.setattr(metadata, "publish", publish_late)
    set_extension(chat, "e", 1)  # begins anew with what is there by then
    assert _metadata(chat) == {"integrity": "a", "extensions": {"e": 1}}
    assert _body(chat) == b'{"mes":"theirs"}'


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.write(b'{"chat_metadata":{}}\n')
        for _ in range(64):
            file.write(b'{"mes":"' + b"x" * (1 << 20) + b'"}\n')
    tracemalloc.start()
    save_metadata(path, {"note": 1})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 << 20
    assert path.stat().st_size > 64 << 20


def test_a_group_chat_of_old_gets_its_header_before_the_untouched_bytes(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'\xef\xbb\xbf \n {"mes":"one"}\r\n{"mes":"two"}')
    assert read_metadata(path, kind="group") == {}
    save_metadata(path, {"note": 1}, kind="group")
    assert _metadata(path) | {"integrity": ""} == {"integrity": "", "note": 1}
    assert _body(path) == b'{"mes":"one"}\r\n{"mes":"two"}'


def test_an_extension_does_not_make_up_an_old_group_chats_header(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'{"mes":"one"}')
    with pytest.raises(StorageError) as caught:
        set_extension(path, "e", 1, kind="group")
    assert (caught.value.kind, caught.value.detail) == ("bad_header", "no_records")
    assert path.read_bytes() == b'{"mes":"one"}'


def test_a_damaged_header_on_disk_is_said_to_be_the_files(chat: Path) -> None:
    chat.write_bytes(b"garbage\n{}")
    with pytest.raises(StorageError) as caught:
        save_metadata(chat, {"integrity": "a"})
    assert (caught.value.kind, caught.value.side) == ("bad_header", "existing")
    with pytest.raises(StorageError) as caught:
        set_extension(chat, " \t", 1)
    assert (caught.value.kind, caught.value.detail) == ("validation", "argument")


def test_the_metadata_is_read_without_the_body(chat: Path) -> None:
    assert read_metadata(chat) == {"integrity": "a"}
