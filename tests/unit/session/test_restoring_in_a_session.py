"""Restoring in an open chat: journalled as what it is, never merged, copied first, undone after a restart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tavern_desktop.session.commands import DeleteMessages
from tavern_desktop.session.history import Comparison, Past, Snapshot, compare_with_present, list_versions
from tavern_desktop.session.restoring import RestoreMessages, RestoreVersion, Wanted
from tavern_desktop.storage.journal import Journal
from tests.unit.session.chats import reply, user
from tests.unit.session.journaled import Desk

T = TypeVar("T")

RECORDS = [user("u0"), reply("a1", "b1"), user("u2"), reply("a3"), user("u4")]
TEXTS = ["u0", "a1", "u2", "a3", "u4"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, RECORDS)


def answer(desk: Desk, work: Callable[[Journal | None], T]) -> T:
    found: list[T] = []
    desk.session.read_journal(work, lambda outcome: found.append(outcome.result()))
    desk.runner.run_until_idle()
    return found[0]


def versions(desk: Desk) -> list[Past]:
    return answer(desk, list_versions)


def compared(desk: Desk, past: Past) -> Comparison:
    """The chat as it is, compared with a version."""
    assert desk.session.chat is not None
    present = Snapshot(*desk.session.chat.snapshot())
    return answer(desk, lambda journal: compare_with_present(journal, present, past))


def restore(desk: Desk, past: Past) -> None:
    before = compared(desk, past).before
    desk.do(RestoreVersion(before.header, before.messages))


def test_messages_deleted_before_a_restart_come_back_and_go_again(desk: Desk) -> None:
    desk.do(DeleteMessages(desk.keys[1:4]))
    desk.restart()
    oldest = versions(desk)[-1]
    before = compared(desk, oldest).before
    desk.do(RestoreMessages(Wanted(before.messages, frozenset([1, 3]))))
    desk.save()
    assert desk.on_disk() == ["u0", "a1", "a3", "u4"]
    assert desk.story()[-1] == ("restore", "Restore 2 messages")
    desk.restart()
    assert desk.session.undo_label == "Restore 2 messages"
    desk.session.undo()
    desk.save()
    assert desk.on_disk() == ["u0", "u4"]
    assert [past.kind for past in versions(desk)] == ["undo", "restore", "command", "start"]
    # Whatever is done to them, they are known as the same messages.
    assert [past.messages for past in versions(desk)] == [2, 4, 2, 5]
    assert compared(desk, oldest).before.messages[1].raw == before.messages[1].raw


def test_a_whole_version_is_not_merged_with_what_came_to_the_file_meanwhile(desk: Desk) -> None:
    desk.edit(0, "spoiled")
    desk.save()
    oldest = versions(desk)[-1]
    desk.elsewhere([*desk.records(), user("theirs")])
    restore(desk, oldest)
    desk.save()
    assert (desk.on_disk(), desk.texts) == (TEXTS, TEXTS)
    # What was replaced is a backup and a version.
    assert any(b"theirs" in backup for backup in desk.backups())
    assert any(any(b"theirs" in record for record in version) for version in desk.versions())
    desk.session.undo()
    desk.save()
    assert desk.texts[0] == "spoiled"


def test_the_file_is_copied_before_a_whole_version_replaces_it(desk: Desk) -> None:
    desk.edit(0, "first")
    desk.save()
    desk.edit(0, "second")
    desk.save()
    restore(desk, versions(desk)[-1])
    desk.save()
    assert desk.on_disk() == TEXTS
    assert any(b"second" in backup for backup in desk.backups())
    assert desk.story()[-1] == ("restore", "Restore version")
