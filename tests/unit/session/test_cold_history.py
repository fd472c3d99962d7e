"""The history of a chat whose unseen alternatives are on disk: nothing of them is missing from what comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.session import cold_swipes
from tavern_desktop.session.cold_swipes import ColdSwipes
from tavern_desktop.session.commands import DeleteMessages, EditText
from tavern_desktop.session.history import Snapshot, compare_with_present, list_versions
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.restoring import RestoreMessages, RestoreVersion, Wanted
from tavern_desktop.storage.journal import Journal
from tests.unit.session.chats import ByHand, lines, reply, user, write

T = TypeVar("T")

RECORDS = [user("u0"), reply("a0", "b0", "c0"), user("u1"), reply("a1", "b1"), reply("a2", "b2")]


@pytest.mark.parametrize("whole", [True, False])
def test_what_comes_back_has_all_its_alternatives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool) -> None:
    monkeypatch.setattr(cold_swipes, "LONG", 0)
    runner = ByHand()
    path = write(tmp_path / "data" / "chat.jsonl", RECORDS)
    before = lines(path)
    cold = ColdSwipes(tmp_path / "cache", lambda: True).messages_of
    chats = OpenChats(runner, tmp_path / "recovery", preview_limit=0, own_folder=tmp_path / "own", messages_of=cold)
    session = chats.open(path)
    runner.run_until_idle()
    chat = session.chat
    assert chat is not None
    assert any(isinstance(message, ColdMessage) for message in chat.messages)

    def answer(work: Callable[[Journal | None], T]) -> T:
        found: list[T] = []
        session.read_journal(work, lambda outcome: found.append(outcome.result()))
        runner.run_until_idle()
        return found[0]

    session.do(EditText(chat.messages[1].key, "other"))
    session.do(DeleteMessages([chat.messages[3].key]))
    session.save_now()
    runner.run_until_idle()
    oldest = answer(list_versions)[-1]
    present = Snapshot(*chat.snapshot())
    version = answer(lambda journal: compare_with_present(journal, present, oldest)).before
    if whole:
        session.do(RestoreVersion(version.header, version.messages))
    else:
        session.do(RestoreMessages(Wanted(version.messages, frozenset([1, 3]))))
    session.save_now()
    runner.run_until_idle()
    assert lines(path)[1:] == before[1:]
