"""Answers to special messages on their way to the disk, and which messages are copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.cards.forms import fields_of
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.card_commands import SubmitForm
from tavern_desktop.session.card_ids import CardIds
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.commands import AppendMessage, CopyMessage, DeleteMessages
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.submission import Submission
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tests.unit.cards.payloads import FORM, TABLE
from tests.unit.session.chats import lines, user, write
from tests.unit.session.test_chat_session import Desk

ANA = Persona("Ana")
STEPS = ("write", "sync", "replace_expected")
"""Of writing a file: each may fail."""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    write(desk.path, [user("hello"), new_record(FORM)])
    return desk


def submission(session: ChatSession, done: list[Any]) -> Submission:
    assert session.chat is not None
    card = read_card(session.chat.messages[1].data())
    assert card is not None
    command = SubmitForm(session.chat.messages[1].key, fields_of(card.payload), {"source": "a", "count": 1}, ANA)
    return Submission(session, command, done.append)


def status(data: dict[str, Any]) -> str:
    card = read_card(data)
    assert card is not None
    return card.status


def test_card_and_message_are_saved_together_before_anything_else_happens(desk: Desk) -> None:
    session = desk.open()
    done: list[Any] = []
    submission(session, done).start()
    assert done == []
    desk.runner.run_until_idle()
    assert done == [None]
    saved = [json.loads(line) for line in lines(desk.path)]
    assert status(saved[2]) == "submitted"
    assert saved[3]["mes"].startswith('Submitted "Load scatter":')


def test_it_is_submitted_once(desk: Desk) -> None:
    session = desk.open()
    done: list[Any] = []
    submission(session, done).start()
    with pytest.raises(CommandRefused):
        submission(session, done).start()
    desk.runner.run_until_idle()
    assert done == [None]


@pytest.mark.parametrize("step", STEPS)
def test_where_it_cannot_be_saved_the_form_is_open_again(
    desk: Desk, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = desk.open()
    done: list[Any] = []
    before = desk.path.read_bytes()

    def fail(self: Stage, *args: Any, **kwargs: Any) -> None:
        raise StorageError("io", "write")

    monkeypatch.setattr(Stage, step, fail)
    submission(session, done).start()
    desk.runner.run_until_idle()
    (error,) = done
    assert error.kind == "io"
    assert session.chat is not None
    assert len(session.chat) == 2
    assert status(session.chat.messages[1].data()) == "draft"
    assert desk.path.read_bytes() == before
    monkeypatch.undo()
    submission(session, done).start()
    desk.runner.run_until_idle()
    assert done[1:] == [None]


def test_what_was_said_after_it_keeps_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    session = desk.open()
    done: list[Any] = []

    def fail(self: Stage, *args: Any, **kwargs: Any) -> None:
        raise StorageError("io", "write")

    monkeypatch.setattr(Stage, "write", fail)
    submission(session, done).start()
    session.do(AppendMessage(user("and more")))
    desk.runner.run_until_idle()
    assert [error.kind for error in done] == ["io"]
    assert session.chat is not None
    assert status(session.chat.messages[1].data()) == "submitted"


def test_the_first_of_several_with_one_id_is_the_original(desk: Desk) -> None:
    write(desk.path, [user("hello"), new_record(TABLE), new_record(FORM), new_record(TABLE)])
    session = desk.open()
    told: list[int] = []
    chat = session.chat
    assert chat is not None
    ids = CardIds(desk.runner, chat, lambda: told.append(1))
    keys = [message.key for message in chat.messages]
    assert not ids.is_copy(keys[3], "c_table")
    desk.runner.run_until_idle()
    assert told == [1]
    assert [ids.is_copy(key, "c_table") for key in (keys[1], keys[3])] == [False, True]
    assert not ids.is_copy(keys[2], "c_form")
    session.do(CopyMessage(keys[2]))
    assert ids.is_copy(chat.messages[3].key, "c_form")
    session.do(DeleteMessages([keys[1]]))
    assert not ids.is_copy(keys[3], "c_table")
    ids.close()
    session.do(AppendMessage(new_record(TABLE)))
    assert not ids.is_copy(chat.messages[-1].key, "c_other")
