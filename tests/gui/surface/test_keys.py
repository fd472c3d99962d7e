"""Keys on the surface: scrolling, selection mode, and typing that is meant for the composer (D24, B-22)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import change, character_point, click, long_chat
from tests.gui.surface.conftest import Show

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
Key = Qt.Key


@pytest.fixture
def chat() -> Chat:
    return long_chat(30, 12)


@pytest.fixture
def view(show: Show, chat: Chat) -> ChatView:
    return show(chat)


@pytest.fixture
def choosing(view: ChatView, qtbot: QtBot) -> ChatView:
    """A view in selection mode at the last message but one."""
    qtbot.keyClick(view, Key.Key_Up, CONTROL)
    qtbot.keyClick(view, Key.Key_Up, CONTROL)
    return view


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [
        (key, modifiers)
        for key in (Key.Key_Backspace, Key.Key_Delete, Key.Key_Space, Key.Key_Return, Key.Key_D, Key.Key_E, Key.Key_H)
        for modifiers in (Qt.KeyboardModifier.NoModifier, SHIFT)
    ]
    + [(Key.Key_D, CONTROL)],
)
def test_no_stray_key_asks_for_anything(view: ChatView, qtbot: QtBot, key: Key, modifiers: Qt.KeyboardModifier) -> None:
    view.set_current_key(view.key(5))
    with qtbot.assertNotEmitted(view.action_requested):
        qtbot.keyClick(view, key, modifiers)


@pytest.mark.parametrize("text", ["a", "E", "?"])
def test_letters_go_to_the_composer(view: ChatView, qtbot: QtBot, text: str) -> None:
    with qtbot.waitSignal(view.type_through) as typed:
        qtbot.keyClicks(view, text)
    assert typed.args == [text]


def test_ctrl_up_enters_at_the_last_message_in_sight(view: ChatView, chat: Chat, qtbot: QtBot) -> None:
    qtbot.keyClick(view, Key.Key_Up, CONTROL)
    assert view.selection_mode.is_on
    assert view.current_key == chat.messages[-1].key
    assert view.selected_keys() == [chat.messages[-1].key]
    assert view.overlays.hint.isVisible()


def test_it_walks_and_keeps_the_message_in_sight(choosing: ChatView, chat: Chat, qtbot: QtBot) -> None:
    assert choosing.current_key == chat.messages[-2].key
    for _ in range(25):
        qtbot.keyClick(choosing, Key.Key_Up)
    assert choosing.current_key == chat.messages[3].key
    row = choosing.row_of(chat.messages[3].key)
    assert row in choosing.places.visible_rows()
    qtbot.keyClick(choosing, Key.Key_Down, CONTROL)
    assert choosing.current_key == chat.messages[4].key


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (Key.Key_E, "edit"),
        (Key.Key_H, "hide"),
        (Key.Key_Delete, "delete"),
        (Key.Key_B, "branch"),
        (Key.Key_M, "bookmark"),
        (Key.Key_R, "regenerate"),
    ],
)
def test_letters_act_on_the_chosen(choosing: ChatView, chat: Chat, qtbot: QtBot, key: Key, name: str) -> None:
    with qtbot.waitSignal(choosing.action_requested) as asked, qtbot.assertNotEmitted(choosing.type_through):
        qtbot.keyClick(choosing, key)
    assert asked.args == [name, chat.messages[-2].key]


def test_h_unhides_what_is_hidden(choosing: ChatView, chat: Chat, qtbot: QtBot) -> None:
    change(chat, 28, is_system=True)
    with qtbot.waitSignal(choosing.action_requested) as asked:
        qtbot.keyClick(choosing, Key.Key_H)
    assert asked.args[0] == "unhide"


def test_other_letters_do_nothing(choosing: ChatView, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(choosing.type_through), qtbot.assertNotEmitted(choosing.action_requested):
        qtbot.keyClicks(choosing, "xyz")
    assert choosing.selection_mode.is_on


def test_space_folds(choosing: ChatView, chat: Chat, qtbot: QtBot) -> None:
    change(chat, 28, extra={"reasoning": "because " * 50})
    row = choosing.row_of(chat.messages[28].key)
    assert row is not None
    height = choosing.row_view(row).layout.height
    qtbot.keyClick(choosing, Key.Key_Space)
    assert choosing.row_view(row).layout.height > height


@pytest.mark.parametrize("how", ["esc", "click", "leave_mode"])
def test_leaving(choosing: ChatView, chat: Chat, qtbot: QtBot, how: str) -> None:
    if how == "esc":
        qtbot.keyClick(choosing, Key.Key_Escape)
    elif how == "click":
        click(choosing, character_point(choosing, chat.messages[-1].key, 1))
    else:
        assert choosing.leave_mode()
    assert not choosing.selection_mode.is_on
    assert choosing.selected_keys() == []
    assert not choosing.overlays.hint.isVisible()
    assert not choosing.leave_mode()


def test_ranges_by_shift_and_single_ones_by_ctrl(choosing: ChatView, chat: Chat, qtbot: QtBot) -> None:
    keys = [message.key for message in chat.messages]
    qtbot.keyClick(choosing, Key.Key_Up, SHIFT)
    assert choosing.selected_keys() == keys[-3:-1]
    click(choosing, character_point(choosing, keys[-5], 1), SHIFT)
    assert choosing.selected_keys() == keys[-5:-1]
    click(choosing, character_point(choosing, keys[-4], 1), CONTROL)
    assert choosing.selected_keys() == [keys[-5], *keys[-3:-1]]
    click(choosing, character_point(choosing, keys[-1], 1), CONTROL)
    assert choosing.selected_keys() == [keys[-5], *keys[-3:]]


def test_the_chosen_are_copied_as_their_source(choosing: ChatView, chat: Chat, qtbot: QtBot) -> None:
    qtbot.keyClick(choosing, Key.Key_Up, SHIFT)
    qtbot.keyClick(choosing, Key.Key_C, CONTROL)
    expected = "\n\n".join(message.data()["mes"] for message in chat.messages[-3:-1])
    assert QGuiApplication.clipboard().text() == expected


def test_the_chosen_message_may_go_away(choosing: ChatView, chat: Chat) -> None:
    following = chat.messages[-1].key
    chat.remove(28, 28)
    assert choosing.current_key == following
    assert choosing.selection_mode.is_on


def test_pages_and_lines(view: ChatView, qtbot: QtBot) -> None:
    bar = view.verticalScrollBar()
    for key in (Key.Key_PageUp, Key.Key_Up):
        before = bar.value()
        qtbot.keyClick(view, key)
        assert bar.value() < before
    for key in (Key.Key_Down, Key.Key_Space, Key.Key_PageDown):
        before = bar.value()
        qtbot.keyClick(view, key)
        assert bar.value() >= before


def test_it_can_be_reached_and_left_by_tab(view: ChatView) -> None:
    assert view.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert not view.tabKeyNavigation()
