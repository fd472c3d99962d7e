"""M1, M2, P3: what it costs that another program wrote the same chat."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter, time_ns

from tavern_desktop.chat.chat import Chat
from tavern_desktop.session.commands import EditText
from tavern_desktop.session.loading import Loaded, in_memory, load_chat
from tavern_desktop.session.merging import Lineage, merge_versions
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.session.versions import Version
from tests.bench.inputs import chat_in
from tests.bench.probe_window import Heartbeat
from tests.bench.program import is_ready, started
from tests.bench.sample import Sample
from tests.bench.waiting import until

CHANGED = 100
"""Messages that each side changed."""


def merge(root: Path) -> Sample:
    """M1: reading what another program wrote and merging it, against reading it."""
    path = chat_in(root)
    loaded = _read(path)
    theirs = path.with_name("written elsewhere.jsonl")
    theirs.write_bytes(written_elsewhere(path))
    chat = Chat(loaded.header, loaded.messages)
    lineage, saved = Lineage(loaded.messages), Version(loaded.header, list(loaded.messages))
    for index in _spread(len(chat), 0):
        EditText(chat.messages[index].key, f"ours {index}").do(chat)
    ours = Version(chat.header, list(chat.messages))
    pairs = []
    for _ in range(3):
        began = perf_counter()
        found = _read(theirs)
        read = perf_counter()
        merged = merge_versions(found, lineage, saved, ours)
        pairs.append((perf_counter() - began, read - began))
        assert merged is not None
        assert len(merged.result.changed_by_disk) == len(_spread(len(chat), 1))
    theirs.unlink()
    merges, reads = zip(*pairs, strict=True)
    return Sample(min(merges), min(reads))


def reopening(root: Path) -> Sample:
    """M2: opening a chat whose journal is ahead of its file, against opening it without one."""
    path = chat_in(root)
    own = root / f"own {time_ns()}"
    loads = [_opened(path, None) for _ in range(3)]
    runner = PlainRunner()
    session = OpenChats(runner, own / "recovery", own_folder=own, root=root, preview_limit=0).open(path)
    runner.run_until_idle()
    assert session.chat is not None
    for index in _spread(len(session.chat), 0):
        session.do(EditText(session.chat.messages[index].key, f"ours {index}"))
    runner.run_until_idle()
    return Sample(min(_opened(path, own) for _ in range(3)), min(loads))


def stall_while_merging(root: Path) -> Sample:
    """P3: the longest the event loop does not answer while a save merges."""
    window = started(root)
    path = chat_in(root)
    copy = path.with_name(f"to be merged {time_ns()}.jsonl")
    copy.write_bytes(path.read_bytes())
    window.open_path(copy)
    until(lambda: is_ready(window))
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    copy.write_bytes(written_elsewhere(path))
    heart = Heartbeat(window)
    session.do(EditText(session.chat.messages[0].key, "another text"))
    session.save_now()
    until(lambda: session.save_state.kind == "saved")
    stalls = heart.stalls()
    assert session.undo_label == "Merge"
    window.desk.leave()
    copy.unlink()
    return stalls


def written_elsewhere(path: Path) -> bytes:
    """Return the chat with some messages that say something else."""
    lines = path.read_bytes().split(b"\n")
    count = sum(map(bool, lines)) - 1
    for index in _spread(count, 1):
        record = json.loads(lines[index + 1])
        text = f"theirs {index}"
        alternatives = {"swipes": [text], "swipe_id": 0} if "swipes" in record else {}
        lines[index + 1] = json.dumps(record | {"mes": text} | alternatives).encode()
    return b"\n".join(lines)


def _spread(count: int, first: int) -> range:
    """Return the indices of so many messages all over the chat; with another `first` they are others."""
    return range(first, count, max(count // CHANGED, 2))


def _read(path: Path) -> Loaded:
    def told(_done: int, _total: int) -> None:
        pass

    return load_chat(path, "character", lambda _path: ({}, False), lambda: False, told, in_memory)


def _opened(path: Path, own: Path | None) -> float:
    runner = PlainRunner()
    recovery = path.with_name("recovery")
    began = perf_counter()
    chats = OpenChats(runner, recovery, own_folder=own, root=path.parents[3], preview_limit=0)
    session = chats.open(path)
    runner.run_until(lambda: session.state == "ready", 600.0)
    took = perf_counter() - began
    assert (session.recovery is not None) == (own is not None)
    return took
