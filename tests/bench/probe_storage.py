"""P1, P4, P5, P7: reading and saving a whole chat."""

from __future__ import annotations

import gc
import os
import shutil
import threading
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import perf_counter

import orjson
import psutil

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import EditText
from tavern_desktop.storage import format as chat_format
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.storage.publish import publish
from tavern_desktop.storage.reader import LoadedChat, MessagesOf, load
from tests.bench.inputs import chat_in
from tests.bench.sample import Sample


def whole_load(root: Path) -> Sample:
    """P1: a load on a worker thread, against a bare loop that decodes each line with the collector off."""
    path = chat_in(root)
    pairs = [(_timed(lambda: _on_a_thread(path)), _timed(lambda: _bare_loop(path))) for _ in range(3)]
    loads, bare = zip(*pairs, strict=True)
    return Sample(min(loads), min(bare))


def memory_of_load(root: Path) -> Sample:
    """P4: what loading adds to the process, against the size of the file."""
    return _memory_of(chat_in(root), Message.read)


def memory_of_cold_load(root: Path) -> Sample:
    """P4: the same with unseen alternatives left on disk."""
    return _memory_of_cold_load(chat_in(root), root)


def memory_of_many_swipes(root: Path) -> Sample:
    """P4: the same for a chat of which nearly all is alternatives that nobody looks at."""
    path = root / "many swipes.jsonl"
    if not path.exists():
        _write_many_swipes(chat_in(root), path)
    return _memory_of_cold_load(path, root)


def edit_and_save(root: Path) -> Sample:
    """P5: one edit and a durable save of everything, against a copy of the file with fsync."""
    original = chat_in(root)
    path = original.with_name("copy to save.jsonl")
    copied = _timed(lambda: durable_copy(original, path))
    chat, loaded = _open(path)
    middle = chat.messages[len(chat) // 2]

    def save() -> None:
        EditText(middle.key, "another text").do(chat)
        header, messages = chat.snapshot()
        pieces = chat_format.commit_pieces(header, messages)
        publish(path, pieces, expected=loaded.signature, integrity=header.integrity())

    saved = _timed(save)
    path.unlink()
    return Sample(saved, copied)


def snapshot(root: Path) -> Sample:
    """P7: what the owner gives away for a save."""
    chat, _ = _open(chat_in(root))
    return Sample(min(_timed(chat.snapshot) for _ in range(5)))


def _open(path: Path) -> tuple[Chat, LoadedChat]:
    loaded = load(path)
    assert isinstance(loaded.header, Header)
    return Chat(loaded.header, loaded.messages), loaded


def _memory_of_cold_load(path: Path, root: Path) -> Sample:
    return _memory_of(path, ColdSource(root / "spool").read)


def _memory_of(path: Path, messages_of: MessagesOf) -> Sample:
    gc.collect()
    before = psutil.Process().memory_info().rss
    loaded = _on_a_thread(path, messages_of)
    gc.collect()
    grown = psutil.Process().memory_info().rss - before
    assert loaded.messages
    return Sample(float(max(grown, 0)), float(path.stat().st_size))


def _write_many_swipes(source: Path, target: Path) -> None:
    """Write a chat anew, of every twelve messages one, with all their texts as its alternatives."""
    unfinished = target.with_suffix(".part")
    with source.open("rb") as reading, unfinished.open("wb") as writing:
        writing.write(reading.readline())
        while block := [orjson.loads(line) for line in islice(reading, 12)]:
            texts = [record["mes"] for record in block]
            info = [{"extra": record.get("extra", {})} for record in block]
            swipes = {"mes": texts[0], "swipes": texts, "swipe_id": 0, "swipe_info": info}
            writing.write(orjson.dumps(block[0] | swipes) + b"\n")
    unfinished.rename(target)


def _on_a_thread(path: Path, messages_of: MessagesOf = Message.read) -> LoadedChat:
    results: list[LoadedChat] = []
    worker = threading.Thread(target=lambda: results.append(load(path, messages_of=messages_of)))
    worker.start()
    worker.join()
    return results[0]


def _bare_loop(path: Path) -> None:
    gc.disable()
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)
    gc.enable()


def durable_copy(source: Path, target: Path) -> None:
    """Copy a file so that it is on the disk: the plainest thing that a save must cost."""
    with source.open("rb") as reading, target.open("wb") as writing:
        shutil.copyfileobj(reading, writing, 4 * 1024 * 1024)
        writing.flush()
        os.fsync(writing.fileno())


def _timed(call: Callable[[], object]) -> float:
    began = perf_counter()
    call()
    return perf_counter() - began
