"""The private copy of records whose alternatives are not in memory."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from pathlib import Path

import pytest

from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.storage.errors import StorageError, sentence
from tavern_desktop.storage.reader import load


def record(number: int) -> bytes:
    texts = [f"text {number}.{n}" for n in range(3)]
    return json.dumps({"mes": texts[1], "swipes": texts, "swipe_id": 1}).encode()


PLAIN = b'{"mes":"hi","is_user":true}'
MENTIONED = b'{"mes":"say \\"swipes\\" twice"}'


def test_messages_without_alternatives_are_in_memory(tmp_path: Path) -> None:
    messages = ColdSource(tmp_path).read([record(0), PLAIN, MENTIONED, record(1)])
    assert [type(message) for message in messages] == [ColdMessage, Message, Message, ColdMessage]
    assert [message.raw for message in messages] == [record(0), PLAIN, MENTIONED, record(1)]


def test_the_chats_own_file_may_go_or_become_another(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"\n".join([b"{}", record(0), record(1), PLAIN]))
    messages = load(path, messages_of=ColdSource(tmp_path / "own").read).messages
    path.write_bytes(b"something else")
    path.unlink()
    assert [message.raw for message in messages] == [record(0), record(1), PLAIN]
    assert list((tmp_path / "own").iterdir()) == []


def test_threads_do_not_disturb_each_other(tmp_path: Path) -> None:
    wanted = [record(number) for number in range(200)]
    messages = ColdSource(tmp_path).read(wanted)
    found: list[list[bytes]] = []
    threads = [threading.Thread(target=lambda: found.append([message.raw for message in messages])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


def test_a_source_goes_with_its_last_message(tmp_path: Path) -> None:
    source = ColdSource(tmp_path)
    messages = source.read([record(0), record(1)])
    gone = weakref.ref(source)
    del source, messages[0]
    gc.collect()
    assert gone() is not None
    messages.clear()
    gc.collect()
    assert gone() is None


def test_a_file_that_cannot_be_written_leaves_everything_in_memory(tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(b"")
    messages = ColdSource(tmp_path / "taken").read([record(0), record(1)])
    assert [type(message) for message in messages] == [Message, Message]


def test_what_cannot_be_read_back_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    source = ColdSource(tmp_path)
    (message,) = source.read([record(0)])
    for number in (-1, 1):
        with pytest.raises(StorageError, match="cold_swipe/record_range"):
            source.record(number)
    shrunk = message.saying_seen(message.seen_data() | {"swipes": ["only"]})
    with pytest.raises(StorageError, match="cold_swipe/shrunk"):
        _ = shrunk.raw
    source.close()
    with pytest.raises(StorageError, match="cold_swipe/source_gone") as caught:
        message.data()
    assert sentence(caught.value) == "Older swipes of a message could not be read back; nothing was saved."
    assert message.seen_data()["mes"] == "text 0.1"
