"""P5, P6: saving as the program does it, its journal included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import perf_counter, time_ns

from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import Command, EditText
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.runner import PlainRunner
from tests.bench.inputs import chat_in
from tests.bench.probe_storage import durable_copy
from tests.bench.sample import Sample


def edit_and_save(root: Path) -> Sample:
    """P5: one edit, written down in the journal, and a durable save of everything, against a copy with fsync."""
    return _saved(root, _edit)


def metadata_and_save(root: Path) -> Sample:
    """P6: the same for a change of the metadata alone."""
    return _saved(root, _metadata)


def _edit(session: ChatSession) -> Command:
    assert session.chat is not None
    return EditText(session.chat.messages[len(session.chat) // 2].key, "another text")


def _metadata(session: ChatSession) -> Command:
    assert session.chat is not None
    return SetMetadata(session.chat.header.metadata() | {"note_prompt": "rain"})


def _saved(root: Path, make: Callable[[ChatSession], Command]) -> Sample:
    original = chat_in(root)
    path = original.with_name(f"saved by the program {time_ns()}.jsonl")
    began = perf_counter()
    durable_copy(original, path)
    copied = perf_counter() - began
    runner = PlainRunner()
    own = root / "own"
    session = OpenChats(runner, own / "recovery", own_folder=own, root=root, preview_limit=0).open(path)
    runner.run_until_idle()
    session.do(EditText(_first_key(session), "the first change begins the journal"))
    session.save_now()
    runner.run_until_idle()
    times: list[float] = []
    session.published.connect(lambda _signature: times.append(perf_counter()))
    began = perf_counter()
    session.do(make(session))
    session.save_now()
    runner.run_until_idle()
    path.unlink()
    return Sample(times[0] - began, copied)


def _first_key(session: ChatSession) -> int:
    assert session.chat is not None
    return session.chat.messages[0].key
