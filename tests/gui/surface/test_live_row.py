"""A reply that is being written shows in the list though it is not in the chat, whatever happens around it."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.ui.chat.list_model import ChatListModel
from tests.gui.surface.chats import change, long_chat, new_message, record

TEXT = Qt.ItemDataRole.DisplayRole


def raw(text: str) -> bytes:
    return new_message(text).raw


@pytest.fixture
def chat() -> Chat:
    return long_chat(30)


@pytest.fixture
def model(qtbot: QtBot, chat: Chat) -> Iterator[ChatListModel]:
    made = ChatListModel(chat, mounted=10)
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield made
    tester.deleteLater()


def shown(model: ChatListModel) -> list[str]:
    return [model.index(row).data(TEXT) for row in range(model.rowCount())]


def stored(model: ChatListModel) -> list[str]:
    return [message.data()["mes"] for message in model.chat.messages[model.first :]]


def begin(model: ChatListModel, text: str = "Good") -> Message:
    coming = new_message(text)
    model.show_live(coming.key, coming.raw, model.chat.messages[-1].key)
    return coming


def test_it_stands_behind_what_it_answers_and_grows(model: ChatListModel, qtbot: QtBot) -> None:
    coming = begin(model)
    assert shown(model) == [*stored(model), "Good"]
    with qtbot.waitSignal(model.dataChanged) as signal:
        model.show_live(coming.key, raw("Good morning"))
    assert signal.args[0].row() == 10
    assert shown(model)[-1] == "Good morning"
    assert model.absolute(10) is None
    model.end_live()
    assert shown(model) == stored(model)
    assert model.live_key is None


def test_its_row_becomes_the_message(model: ChatListModel, chat: Chat, qtbot: QtBot) -> None:
    coming = begin(model)
    model.land_live()
    with qtbot.assertNotEmitted(model.rowsInserted), qtbot.assertNotEmitted(model.rowsRemoved):
        chat.insert(len(chat), [coming])
    assert (shown(model), model.live_key) == (stored(model), None)
    assert model.row_of(coming.key) == 10


def test_what_is_sent_meanwhile_stands_behind_it(model: ChatListModel, chat: Chat) -> None:
    coming = begin(model)
    chat.insert(len(chat), [new_message("later")])
    assert shown(model)[-2:] == ["Good", "later"]
    assert [model.absolute(9), model.absolute(10), model.absolute(11)] == [29, None, 30]
    assert model.raw_before(11) == coming.raw
    model.land_live()
    chat.insert(len(chat) - 1, [coming])
    assert shown(model) == stored(model)


def test_another_alternative_shows_in_the_message_s_own_place(model: ChatListModel, chat: Chat, qtbot: QtBot) -> None:
    key = chat.messages[25].key
    model.show_live(key, raw("new alternative"), chat.messages[24].key)
    assert (model.rowCount(), shown(model)[5]) == (10, "new alternative")
    change(chat, 25, mes="stored")
    assert shown(model)[5] == "new alternative"
    with qtbot.waitSignal(model.dataChanged):
        model.end_live()
    assert shown(model)[5] == "stored"


def test_a_message_that_is_deleted_while_it_grows_leaves_what_grew(model: ChatListModel, chat: Chat) -> None:
    model.show_live(chat.messages[25].key, raw("new alternative"), chat.messages[24].key)
    chat.remove(25, 25)
    assert shown(model)[4:6] == ["new alternative", stored(model)[4]] or "new alternative" in shown(model)
    model.end_live()
    assert shown(model) == stored(model)


def test_random_changes_around_it(model: ChatListModel, chat: Chat) -> None:
    chooser = random.Random(3)
    for number in range(300):
        if model.live_key is None:
            coming = new_message(f"live {number}")
            after = chooser.choice([None, chooser.choice(chat.messages[-8:]).key])
            model.show_live(coming.key, coming.raw, after)
        what = chooser.choice(["insert", "remove", "move", "change", "more", "land", "reset", "end", "grow"])
        count = len(chat)
        if what == "insert":
            chat.insert(chooser.randint(0, count), [new_message(f"n{number}")])
        elif what == "remove" and count > 12:
            first = chooser.randrange(count - 2)
            chat.remove(first, first + chooser.randint(0, 2))
        elif what == "move" and count > 6:
            first = chooser.randrange(count - 2)
            chat.move(first, first + 1, chooser.choice([at for at in range(count + 1) if not first <= at <= first + 2]))
        elif what == "change":
            change(chat, chooser.randrange(count), mes=f"c{number}")
        elif what == "more":
            model.show_more(3)
        elif what == "land":
            model.land_live()
            chat.insert(chooser.choice([count, chooser.randint(0, count)]), [coming])
            model.end_live()
        elif what == "reset":
            chat.reset(chat.header, chat.messages[: max(12, count - 3)])
        elif what == "end":
            model.end_live()
        elif what == "grow":
            model.show_live(coming.key, new_message(f"grown {number}").raw)
        rows = shown(model)
        if model.live_key is not None:
            live_row = model.row_of(model.live_key)
            assert live_row is not None
            assert model.absolute(live_row) is None
            del rows[live_row]
        assert rows == stored(model)
        assert all(model.key(model.row_of(message.key) or 0) == message.key for message in chat.messages[-5:])


def test_its_record_is_read_anew_as_it_grows(model: ChatListModel) -> None:
    coming = begin(model)
    assert model.record(10).text == "Good"
    model.show_live(coming.key, Message.new(record("Good morning")).raw)
    assert model.record(10).text == "Good morning"
