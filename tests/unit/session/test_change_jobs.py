"""Changes as plain data: asked for elsewhere, carried out where the chat is open, told about when they are on disk."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tavern_desktop.chat import facts
from tavern_desktop.chat.edits import new_user_message
from tavern_desktop.session.change_jobs import ChangeDesk, ChangeJob, change_request, error_of
from tavern_desktop.session.changes import (
    AddSwipe,
    Append,
    Change,
    ChooseSwipe,
    Delete,
    DeleteSwipe,
    Edit,
    Hide,
    from_plain,
    to_plain,
)
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.session.open_chats import OpenChats
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.errors import StorageError, sentence


class Owner:
    """A process that has chats open, as a window has."""

    def __init__(self, folder: Path) -> None:
        self.runner = PlainRunner()
        self.chats = OpenChats(self.runner, folder / "recovery", preview_limit=0)
        self.desk = ChangeDesk(self.chats)


@pytest.fixture
def owner(tmp_path: Path) -> Owner:
    return Owner(tmp_path)


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text(
        '{"chat_metadata":{"integrity":"x"}}\n{"name":"Ada","mes":"one"}\n{"name":"Mira","is_user":true,"mes":"two"}',
        "utf-8",
    )
    return path


def texts(path: Path) -> list[str]:
    return [json.loads(line)["mes"] for line in path.read_text("utf-8").splitlines()[1:]]


@pytest.mark.parametrize(
    "change",
    [
        Append("user", "x", "Mira"),
        Append("assistant", "x"),
        Edit(3, "y"),
        ChooseSwipe(1, 0),
        AddSwipe(1, "z"),
        DeleteSwipe(0, 2),
        Delete(1, 4),
        Hide(0, 0, hidden=False),
    ],
)
def test_changes_go_through_json_as_they_are(change: Change) -> None:
    assert from_plain(json.loads(json.dumps(to_plain(change)))) == change


def test_a_change_is_finished_when_it_is_on_disk(owner: Owner, chat: Path) -> None:
    job = ChangeJob(owner.chats, chat, Edit(0, "changed"))
    assert not job.is_finished
    owner.runner.run_until_idle()
    assert (job.is_finished, job.error, job.changed, job.messages) == (True, None, True, 2)
    assert texts(chat) == ["changed", "two"]
    assert owner.chats.session_for(chat) is None


def test_a_change_joins_what_the_window_has_not_saved_yet(owner: Owner, chat: Path) -> None:
    session = owner.chats.open(chat)
    owner.runner.run_until_idle()
    ChangeJob(owner.chats, chat, Edit(0, "first"))
    job = ChangeJob(owner.chats, chat, Append("user", "second", "Mira"))
    owner.runner.run_until_idle()
    assert (job.changed, job.messages) == (True, 3)
    assert texts(chat) == ["first", "two", "second"]
    assert session.undo_label == "Add message"
    assert owner.chats.session_for(chat) is session


def test_another_process_asks_until_it_is_done(owner: Owner, chat: Path) -> None:
    report = owner.desk.answer(change_request(chat, Delete(0, 0)))
    assert report is not None
    assert report["state"] == "working"
    assert owner.desk.answer({"job": report["job"]}) == report
    owner.runner.run_until_idle()
    assert owner.desk.answer({"job": report["job"]}) == {"state": "done", "changed": True, "messages": 1}
    assert texts(chat) == ["two"]
    again = owner.desk.answer({"job": report["job"]})
    assert again is not None
    assert again["state"] == "failed"


def test_errors_arrive_as_they_were(owner: Owner, chat: Path) -> None:
    chat.write_bytes(b'{"chat_metadata":{}}\n{"mes":"ok"}\n{"cut')
    report = owner.desk.answer(change_request(chat, Delete(0, 0)))
    assert report is not None
    owner.runner.run_until_idle()
    report = owner.desk.answer({"job": report["job"]})
    assert report is not None
    error = error_of(json.loads(json.dumps(report)))
    assert (error.kind, error.detail, error.line, error.chat_ref) == ("bad_record", "json", 3, str(chat))


def test_refusals_arrive_as_their_sentence(owner: Owner, chat: Path) -> None:
    owner.chats.open(chat)
    owner.runner.run_until_idle()
    report = owner.desk.answer(change_request(chat, Edit(9, "x")))
    assert report is not None
    assert sentence(error_of(report)) == "There is no message 9: the chat has messages 0 to 1."


def test_a_file_that_another_program_changed_is_not_overwritten(owner: Owner, chat: Path) -> None:
    owner.chats.open(chat)
    owner.runner.run_until_idle()
    theirs = '{"chat_metadata":{"integrity":"another"}}\n{"name":"Ada","mes":"theirs"}'
    chat.write_text(theirs, "utf-8")
    job = ChangeJob(owner.chats, chat, Edit(0, "ours"))
    owner.runner.run_until_idle()
    assert isinstance(job.error, StorageError)
    assert (job.error.kind, job.error.detail) == ("io", "replace")
    assert chat.read_text("utf-8") == theirs
    again = ChangeJob(owner.chats, chat, Append("user", "ours too", "Mira"))
    assert again.is_finished
    assert again.error is not None
    session = owner.chats.session_for(chat)
    assert session is not None
    assert session.chat is not None
    assert [facts.text(message.data()) for message in session.chat.messages] == ["one", "two"]  # nor in memory
    assert not session.is_dirty


def test_what_could_not_be_saved_is_not_found_done_later(
    owner: Owner, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file changes at the very moment of the save, or the disk is full: who asked was told of a failure."""

    def full(*_arguments: object, **_named: object) -> None:
        raise StorageError("io", "space")

    session = owner.chats.open(chat)
    owner.runner.run_until_idle()
    assert session.chat is not None
    with monkeypatch.context() as disk:
        disk.setattr("tavern_desktop.session.versions.publish", full)
        job = ChangeJob(owner.chats, chat, Edit(0, "changed"))
        owner.runner.run_until_idle()
        assert isinstance(job.error, StorageError)
        assert (job.error.detail, job.changed) == ("space", False)
    session.save_now()
    owner.runner.run_until_idle()
    assert texts(chat) == ["one", "two"]
    assert [facts.text(message.data()) for message in session.chat.messages] == ["one", "two"]


def test_of_a_failure_what_was_done_here_besides_stays(
    owner: Owner, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object, **_named: object) -> None:
        raise StorageError("io", "space")

    session = owner.chats.open(chat)
    owner.runner.run_until_idle()
    with monkeypatch.context() as disk:
        disk.setattr("tavern_desktop.session.versions.publish", full)
        job = ChangeJob(owner.chats, chat, Edit(0, "changed"))
        session.do(AppendMessage(new_user_message("typed here", "Mira")))
        owner.runner.run_until_idle()
        assert job.error is not None
    session.save_now()
    owner.runner.run_until_idle()
    assert texts(chat) == ["changed", "two", "typed here"]


def test_what_is_no_change_is_said_and_what_is_no_request_left_to_others(owner: Owner, chat: Path) -> None:
    for nonsense in ({"type": "sing"}, {"type": "edit", "message": "0", "text": "x"}, None, []):
        report = owner.desk.answer({"change": nonsense, "file": str(chat)})
        assert report is not None
        assert report["error"]["kind"] == "validation"
    assert owner.desk.answer({"open": str(chat)}) is None


def test_finished_jobs_that_nobody_asks_for_are_forgotten(owner: Owner, chat: Path) -> None:
    owner.chats.open(chat)
    owner.runner.run_until_idle()
    for number in range(120):
        owner.desk.answer(change_request(chat, Edit(0, str(number))))
        owner.runner.run_until_idle()
    assert len(owner.desk._jobs) <= 51
    assert texts(chat)[0] == "119"


def test_a_read_only_chat_is_not_changed(tmp_path: Path, chat: Path) -> None:
    runner = PlainRunner()
    job = ChangeJob(OpenChats(runner, tmp_path, read_only=True, preview_limit=0), chat, Delete(0, 1))
    runner.run_until_idle()
    assert isinstance(job.error, CommandRefused)
    assert texts(chat) == ["one", "two"]
