"""Another program keeps the file from being replaced: our version waits, and is saved when that is possible (D14)."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tavern_desktop.session.commands import AppendMessage, DeleteMessages
from tavern_desktop.session.pending import NOTE, PENDING
from tavern_desktop.storage import publish
from tavern_desktop.storage.errors import sentence
from tavern_desktop.storage.signature import Signature
from tavern_desktop.storage.stages import Stage
from tests.unit.session.chats import lines, reply, user
from tests.unit.session.journaled import Desk

RECORDS = [user("u0"), reply("a0"), user("u1"), reply("a1")]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, RECORDS)


@contextmanager
def blocked(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The chat's file cannot be replaced."""
    replace = Stage.replace_expected

    def refuse(stage: Stage, expected: Signature) -> None:
        if stage._target == desk.path:
            raise OSError(errno.EBUSY, "in use")
        replace(stage, expected)

    with monkeypatch.context() as patched:
        patched.setattr(publish, "_PATIENCE", 0.0)
        patched.setattr(Stage, "replace_expected", refuse)
        yield


def waiting(desk: Desk) -> list[Path]:
    return sorted((desk.own / PENDING).glob("*.jsonl"))


def test_a_version_waits_until_the_file_can_be_replaced(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = desk.path.read_bytes()
    with blocked(desk, monkeypatch):
        desk.edit(0, "mine")
        desk.save()
        assert desk.path.read_bytes() == before
        (file,) = waiting(desk)
        assert b'"mine"' in lines(file)[1]
        state = desk.session.save_state
        assert state.error is not None
        assert (state.kind, sentence(state.error)) == (
            "failed",
            "Could not save: another program keeps the file open. It is tried again.",
        )
    desk.runner.advance(2)
    assert (desk.session.save_state.kind, desk.on_disk()[0], waiting(desk)) == ("saved", "mine", [])


@pytest.mark.parametrize("has_journal", [True, False])
def test_it_is_saved_at_the_next_start(desk: Desk, monkeypatch: pytest.MonkeyPatch, has_journal: bool) -> None:
    with blocked(desk, monkeypatch):
        desk.edit(0, "mine")
        desk.do(DeleteMessages([desk.keys[1]]))
        desk.save()
    if not has_journal:
        for file in desk.journal().folder.iterdir():
            file.unlink()
    desk.start(opens=False)
    desk.chats.save_pending()
    desk.runner.run_until_idle()
    assert desk.on_disk() == ["mine", "u1", "a1"]
    assert (waiting(desk), desk.chats.unsaved(), desk.chats.session_for(desk.path)) == ([], [], None)


def test_without_a_journal_it_is_united_with_what_another_program_wrote(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    with blocked(desk, monkeypatch):
        desk.do(AppendMessage(user("mine")))
        desk.save()
    for file in desk.journal().folder.iterdir():
        file.unlink()
    desk.elsewhere([*RECORDS, reply("theirs")])
    desk.start()
    assert sorted(desk.texts[4:]) == ["mine", "theirs"]
    desk.runner.advance(1)
    assert (desk.on_disk(), waiting(desk)) == (desk.texts, [])


@pytest.mark.parametrize("note", [b"", b"{half a no", None])
def test_without_its_note_it_is_not_forgotten(desk: Desk, monkeypatch: pytest.MonkeyPatch, note: bytes | None) -> None:
    with blocked(desk, monkeypatch):
        desk.do(AppendMessage(user("mine")))
        desk.save()
    for file in desk.journal().folder.iterdir():
        file.unlink()
    (file,) = waiting(desk)
    if note is None:
        file.with_suffix(NOTE).unlink()
    else:
        file.with_suffix(NOTE).write_bytes(note)
    desk.start()
    assert desk.texts[4:] == ["mine"]
    desk.runner.advance(1)
    assert (desk.on_disk(), waiting(desk)) == (desk.texts, [])


def test_one_that_cannot_be_read_is_told_of_and_no_save_ends_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    with blocked(desk, monkeypatch):
        desk.edit(0, "mine")
        desk.save()
    for file in desk.journal().folder.iterdir():
        file.unlink()
    (file,) = waiting(desk)
    file.write_bytes(b"\0" + file.read_bytes())
    kept = file.read_bytes()
    told: list[str] = []
    desk.start(opens=False)
    session = desk.chats.open(desk.path)
    session.notice.connect(told.append)
    desk.runner.run_until_idle()
    (aside,) = waiting(desk)
    assert str(aside) in " ".join(told)
    session.do(AppendMessage(user("more")))
    session.save_now()
    desk.runner.run_until_idle()
    assert desk.on_disk() == ["u0", "a0", "u1", "a1", "more"]
    assert [path.read_bytes() for path in waiting(desk)] == [kept]
