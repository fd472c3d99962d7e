"""The models keep every promise of Qt's model interface while chats change under them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.list_model import ChatListModel
from tavern_desktop.ui.chat.preview_model import PreviewModel
from tavern_desktop.ui.chat.record import Names
from tavern_desktop.ui.chat.roles import Role
from tests.gui.surface.chats import change, long_chat, new_message

INDEX, TEXT, WORDS = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def chat() -> Chat:
    return long_chat(60)


@pytest.fixture
def model(qtbot: QtBot, chat: Chat) -> Iterator[ChatListModel]:
    made = ChatListModel(chat, Names("Mira", "Aria"), mounted=20)
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield made
    tester.deleteLater()


def texts(model: QAbstractItemModel) -> list[str]:
    return [model.index(row, 0).data(TEXT) for row in range(model.rowCount())]


def agrees(model: ChatListModel) -> bool:
    expected = model.chat.messages[model.first :]
    rows = range(model.rowCount())
    return (
        [model.key(row) for row in rows] == [message.key for message in expected]
        and texts(model) == [message.data()["mes"] for message in expected]
        and [model.index(row).data(INDEX) for row in rows] == list(range(model.first, len(model.chat)))
        and all(model.row_of(message.key) == row for row, message in enumerate(expected))
    )


def test_it_shows_the_newest(model: ChatListModel) -> None:
    assert (model.first, model.rowCount()) == (40, 20)
    assert agrees(model)


def test_show_more(model: ChatListModel) -> None:
    model.show_more()
    assert (model.first, model.rowCount()) == (20, 40)
    model.show_more()
    model.show_more()
    assert model.first == 0
    assert agrees(model)


def test_mounting_what_is_asked_for(model: ChatListModel) -> None:
    model.mount_from(33)
    assert model.first == 33
    model.mount_from(50)
    assert model.first == 33


def test_changes_before_the_mounted_range_only_shift_it(model: ChatListModel, chat: Chat) -> None:
    keys = [model.key(row) for row in range(20)]
    chat.insert(3, [new_message("new"), new_message("new")])
    assert (model.first, [model.key(row) for row in range(20)]) == (42, keys)
    chat.remove(0, 9)
    assert (model.first, [model.key(row) for row in range(20)]) == (32, keys)
    assert agrees(model)


def test_removing_across_the_edge(model: ChatListModel, chat: Chat) -> None:
    chat.remove(35, 44)
    assert (model.first, model.rowCount()) == (35, 15)
    assert agrees(model)


def test_when_all_mounted_are_gone_earlier_ones_come(model: ChatListModel, chat: Chat) -> None:
    chat.remove(30, 59)
    assert model.rowCount() == 20
    assert agrees(model)


@pytest.mark.parametrize(
    ("first", "last", "to"), [(45, 46, 50), (50, 50, 41), (5, 6, 20), (5, 6, 50), (45, 46, 5), (45, 50, 40)]
)
def test_moves(model: ChatListModel, chat: Chat, first: int, last: int, to: int) -> None:
    chat.move(first, last, to)
    assert agrees(model)


def test_a_reload_keeps_as_many_mounted(model: ChatListModel, chat: Chat) -> None:
    model.show_more()
    chat.reset(chat.header, long_chat(70, seed=2).messages)
    assert model.rowCount() == 40
    assert agrees(model)


def test_a_change_is_announced_for_its_row_alone(model: ChatListModel, chat: Chat, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.dataChanged) as signal:
        change(chat, 50, mes="other")
    assert [signal.args[0].row(), signal.args[1].row()] == [10, 10]
    assert agrees(model)
    with qtbot.assertNotEmitted(model.dataChanged):
        change(chat, 3, mes="unseen")


def test_random_changes(model: ChatListModel, chat: Chat) -> None:
    chooser = random.Random(5)
    for number in range(300):
        count = len(chat)
        what = chooser.choice(["insert", "remove", "move", "change", "append", "more"])
        if what == "insert":
            chat.insert(chooser.randint(0, count), [new_message(f"n{number}")] * 1)
        elif what == "append":
            chat.insert(count, [new_message(f"a{number}")])
        elif what == "remove" and count > 3:
            first = chooser.randrange(count - 2)
            chat.remove(first, first + chooser.randint(0, 2))
        elif what == "move" and count > 6:
            first = chooser.randrange(count - 2)
            to = chooser.choice([at for at in range(count + 1) if not first <= at <= first + 2])
            chat.move(first, first + 1, to)
        elif what == "change" and count:
            change(chat, chooser.randrange(count), mes=f"c{number}")
        elif what == "more":
            model.show_more(3)
        assert agrees(model)


def test_a_detached_model_hears_nothing(model: ChatListModel, chat: Chat, qtbot: QtBot) -> None:
    model.detach()
    with qtbot.assertNotEmitted(model.dataChanged):
        change(chat, 59, mes="later")


def test_it_reads_out_speaker_position_and_text(qtbot: QtBot) -> None:
    chat = long_chat(3)
    change(chat, 2, mes="Hm.", is_system=True, swipes=["Hm.", "Ha."], swipe_id=0)
    model = ChatListModel(chat)
    assert model.index(2).data(WORDS) == "Aria, message 3 of 3, hidden from prompts, alternative 1 of 2: Hm."


def test_a_preview(qtbot: QtBot) -> None:
    raws = [message.raw for message in long_chat(5).messages]
    model = PreviewModel(raws, None)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Warning)
    assert [model.key(row) for row in range(5)] == [-5, -4, -3, -2, -1]
    assert model.index(0).data(INDEX) is None
    numbered = PreviewModel(raws, 95)
    assert numbered.index(4).data(INDEX) == 99
    assert model.index(2).data(Role.RECORD).raw is raws[2]
    assert model.row_of(-5) == 0
    assert model.row_of(-6) is None
    assert model.row_of(4) is None
    assert not model.index(0).flags() & Qt.ItemFlag.ItemIsEditable
    assert model.rowCount(model.index(0)) == 0
    assert model.index(9) == QModelIndex()
    tester.deleteLater()


def test_other_names_change_the_greeting(qtbot: QtBot) -> None:
    model = PreviewModel([b'{"mes":"{{char}} waits"}'], 0, Names("Mira", "Aria"))
    assert texts(model) == ["Aria waits"]
    with qtbot.waitSignal(model.dataChanged):
        model.set_names(Names("Mira", "Ilse"))
    assert texts(model) == ["Ilse waits"]
