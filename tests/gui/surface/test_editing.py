"""Editing a message in its place (known failures B-28, B-29, B-58)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import change, chat_of, long_chat, new_message
from tests.gui.surface.conftest import Show

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def chat() -> Chat:
    return chat_of(["Hello *{{user}}*", "Second", "Third"])


@pytest.fixture
def view(show: Show, chat: Chat) -> ChatView:
    return show(chat)


def field(view: ChatView) -> QPlainTextEdit:
    found = view.findChild(QPlainTextEdit, "messageEditor")
    assert isinstance(found, QPlainTextEdit)
    return found


def test_the_raw_text_is_edited(view: ChatView, chat: Chat) -> None:
    assert view.begin_edit(chat.messages[0].key)
    assert field(view).toPlainText() == "Hello *{{user}}*"
    assert field(view).isVisible()
    assert view.is_editing


def test_ctrl_enter_saves(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClicks(field(view), "!")
    with qtbot.waitSignal(view.edit_committed) as saved:
        qtbot.keyClick(field(view), Qt.Key.Key_Return, CONTROL)
    assert saved.args == [chat.messages[1].key, "Second!", "Second"]
    assert not view.is_editing


def test_enter_alone_is_a_line_break(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClick(field(view), Qt.Key.Key_Return)
    assert field(view).toPlainText() == "Second\n"


def test_an_unchanged_text_is_no_change(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    with qtbot.assertNotEmitted(view.edit_committed):
        view.end_edit(save=True)


def test_esc_leaves_at_once_when_nothing_is_lost(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    with qtbot.waitSignal(view.editing_changed) as changed:
        qtbot.keyClick(field(view), Qt.Key.Key_Escape)
    assert changed.args == [False]


def test_esc_asks_when_something_would_be_lost(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClicks(field(view), "!")
    qtbot.keyClick(field(view), Qt.Key.Key_Escape)
    assert view.is_editing
    qtbot.keyClicks(field(view), "?")
    qtbot.keyClick(field(view), Qt.Key.Key_Escape)
    assert view.is_editing, "typing on withdrew the question"
    with qtbot.assertNotEmitted(view.edit_committed):
        qtbot.keyClick(field(view), Qt.Key.Key_Escape)
    assert not view.is_editing


def test_an_edit_follows_its_message(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    key = chat.messages[2].key
    view.begin_edit(key)
    qtbot.keyClicks(field(view), "!")
    chat.remove(0, 1)
    chat.insert(0, [new_message("before")])
    assert view.row_rect(1).contains(view.editing.frame.geometry())  # type: ignore[union-attr]
    with qtbot.waitSignal(view.edit_committed) as saved:
        view.end_edit()
    assert saved.args == [key, "Third!", "Third"]


def test_a_message_deleted_underneath_loses_no_text(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClicks(field(view), " and more")
    with qtbot.waitSignal(view.edit_orphaned) as orphaned, qtbot.assertNotEmitted(view.edit_committed):
        chat.remove(1, 1)
    assert orphaned.args == ["Second and more"]
    assert not view.is_editing
    assert view.begin_edit(chat.messages[1].key)


def test_another_chat_loses_no_text(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClicks(field(view), "!")
    with qtbot.waitSignal(view.edit_orphaned):
        view.set_chat(chat_of(["other"]), view.context)


def test_a_change_from_elsewhere_leaves_the_editor_alone(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    qtbot.keyClicks(field(view), "!")
    change(chat, 1, mes="From elsewhere")
    assert field(view).toPlainText() == "Second!"
    with qtbot.waitSignal(view.edit_committed):
        view.end_edit()


def test_editing_another_keeps_the_first(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[0].key)
    qtbot.keyClicks(field(view), "!")
    with qtbot.waitSignal(view.edit_committed) as saved:
        view.begin_edit(chat.messages[1].key)
    assert saved.args[0] == chat.messages[0].key
    assert view.editing.key == chat.messages[1].key


def test_a_message_that_is_not_mounted_can_be_edited(show: Show) -> None:
    chat = long_chat(200)
    view = show(chat)
    assert view.begin_edit(chat.messages[5].key)
    assert view.rect().intersects(view.editing.frame.geometry())  # type: ignore[union-attr]
    assert not view.begin_edit(-7)


def test_the_editor_grows_with_its_text_up_to_a_part_of_the_screen(view: ChatView, chat: Chat) -> None:
    view.begin_edit(chat.messages[1].key)
    top = view.row_rect(1).top()
    heights = []
    for lines in (1, 10, 100):
        field(view).setPlainText("line\n" * lines)
        heights.append(view.editing.frame.height())  # type: ignore[union-attr]
    assert heights[0] < heights[1] < heights[2] < view.viewport().height()
    assert view.row_rect(1).top() == top


def test_it_stays_alive_out_of_sight(show: Show, qtbot: QtBot) -> None:
    chat = long_chat(60)
    view = show(chat)
    key = chat.messages[-1].key
    view.begin_edit(key)
    view.verticalScrollBar().setValue(0)
    qtbot.keyClicks(field(view), "!")
    assert view.verticalScrollBar().value() == 0
    with qtbot.waitSignal(view.edit_committed):
        qtbot.keyClick(field(view), Qt.Key.Key_Return, CONTROL)


def test_keys_of_an_input_method_are_its_own(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    view.begin_edit(chat.messages[1].key)
    QApplication.sendEvent(field(view), QInputMethodEvent("にほん", []))
    with qtbot.assertNotEmitted(view.edit_committed):
        qtbot.keyClick(field(view), Qt.Key.Key_Return, CONTROL)
        qtbot.keyClick(field(view), Qt.Key.Key_Escape)
    assert view.is_editing
    committed = QInputMethodEvent("", [])
    committed.setCommitString("日本")
    QApplication.sendEvent(field(view), committed)
    assert "日本" in field(view).toPlainText()
    with qtbot.waitSignal(view.edit_committed):
        qtbot.keyClick(field(view), Qt.Key.Key_Return, CONTROL)


def test_a_preview_cannot_be_edited(show: Show, chat: Chat) -> None:
    from tavern_desktop.ui.chat.preview_model import PreviewModel

    view = show(None)
    view.set_preview(PreviewModel([message.raw for message in chat.messages]), view.context)
    assert not view.begin_edit(-1)
    assert view.row_view(0).layout.strip.isEmpty()
