"""The collector is as it was after every load, however the load ended."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.storage import gcpause
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.reader import load


@pytest.fixture(autouse=True)
def _collector_on() -> Iterator[None]:
    gc.enable()
    yield
    assert gc.isenabled()
    gc.unfreeze()


def test_counted() -> None:
    with gcpause.paused():
        with gcpause.paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with gcpause.paused():
        pass
    assert not gc.isenabled()
    gc.enable()


def test_on_again_after_success_error_and_cancel(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"h":1}\n{"mes":"x"}')
    load(path)
    assert gc.isenabled()
    with pytest.raises(StorageError):
        load(path, cancelled=lambda: True)
    assert gc.isenabled()
    path.write_bytes(b"damaged")
    with pytest.raises(StorageError):
        load(path)
    assert gc.isenabled()


def test_only_a_large_chat_is_frozen_and_not_before_every_load_is_done(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"h":1}' + b'\n{"mes":"x"}' * 10)
    before = gc.get_freeze_count()
    load(path)
    assert gc.get_freeze_count() == before
    path.write_bytes(b'{"h":1}' + b'\n{"mes":"x"}' * 10_000)
    with gcpause.paused():
        chat = load(path)
        assert gc.get_freeze_count() == before
    assert gc.get_freeze_count() - before >= len(chat.messages)
    frozen = gc.get_freeze_count()
    with gcpause.paused():
        pass
    assert gc.get_freeze_count() == frozen
