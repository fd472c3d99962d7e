"""Texts that are too many for memory go to a file of ours, and come back as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.chat import states
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.spool import SpoolFile


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    spool = SpoolFile(tmp_path / "own" / "spool")
    texts = [b"one", b"", b"three\x00" * 1000]
    numbers = [spool.put(text) for text in texts]
    assert [spool.get(number) for number in reversed(numbers)] == texts[::-1]
    spool.close()


def test_nothing_stays_of_it(tmp_path: Path) -> None:
    spool = SpoolFile(tmp_path / "spool")
    assert not (tmp_path / "spool").exists()  # nothing was put yet
    spool.put(b"text")
    spool.close()
    assert list((tmp_path / "spool").iterdir()) == []
    with pytest.raises(LookupError):
        spool.get(0)


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "own").write_bytes(b"in the way")
    with pytest.raises(StorageError, match="io/write"):
        SpoolFile(tmp_path / "own").put(b"text")


def test_earlier_versions_of_a_chat_are_found_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_BYTES", 100)
    spool = SpoolFile(tmp_path)
    chat = Message.read([b'{"mes":"%d"}' % number for number in range(5)])
    versions = [chat]
    known = States(chat, spool)
    for number in range(10):
        message = chat[number % 5]
        chat = [*chat]
        chat[number % 5] = Message(message.key, b'{"mes":"%s"}' % (b"x" * 60 + b"%d" % number))
        known.record(chat)
        versions.append(chat)
    changes = list(known.changes())
    assert sum(change.size() for change in changes) <= 100
    for steps in range(len(versions)):
        assert list(known.go_back(changes[:steps])) == versions[-1 - steps]
    spool.close()
