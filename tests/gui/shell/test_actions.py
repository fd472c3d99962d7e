"""Every action is there once, with a name, and no key means two things."""

from __future__ import annotations

from collections import Counter

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMainWindow
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.actions import Act, ActionSet, Need
from tavern_desktop.ui.key_map import KeyMap, sections
from tavern_desktop.ui.menus import MENU_BAR, build_menu_bar, pop_up_menu


def test_no_key_means_two_things() -> None:
    keys = Counter(QKeySequence(key).toString() for act in Act for key in act.value.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_key_is_one_that_qt_knows() -> None:
    for act in Act:
        for key in act.value.keys:
            assert QKeySequence(key).toString(), (act, key)


def test_no_unmodified_key_destroys_anything() -> None:
    for act in (Act.DELETE, Act.DELETE_FROM_HERE, Act.DELETE_SWIPE, Act.HIDE):
        assert all("+" in key for key in act.value.keys)


def test_every_action_stands_in_a_menu_exactly_once() -> None:
    listed = Counter(act for _, items in MENU_BAR for act in items if act is not None)
    assert listed == Counter(Act)


def test_actions_are_enabled_by_what_is_there(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    assert actions[Act.SETTINGS].isEnabled()
    assert not actions[Act.EDIT].isEnabled()
    actions.set_available(Need.FILE | Need.CHAT | Need.CURRENT)
    assert actions[Act.EDIT].isEnabled()
    assert not actions[Act.SWIPE_LEFT].isEnabled()
    assert not actions[Act.UNDO].isEnabled()


def test_a_triggered_action_says_which_it_is(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    with qtbot.waitSignal(actions.requested) as said:
        actions[Act.ZOOM_IN].trigger()
    assert said.args == [Act.ZOOM_IN]


def test_context_menus_leave_out_what_makes_no_sense(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    actions = ActionSet(window)
    menu = pop_up_menu(window, (Act.EDIT, None, Act.SETTINGS), actions)
    assert [action.text() for action in menu.actions() if not action.isSeparator()] == [Act.SETTINGS.text]


def test_the_menu_bar_is_built_and_the_key_map_lists_it(qtbot: QtBot) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    build_menu_bar(window.menuBar(), ActionSet(window))
    assert [action.text().replace("&", "") for action in window.menuBar().actions()] == [
        "File", "Edit", "Message", "Reply", "Chat", "View", "Help",
    ]  # fmt: skip
    told = {does for _, lines in sections() for does, _ in lines}
    assert {act.text for act in Act if act.value.keys} <= told
    page = KeyMap(window)
    qtbot.addWidget(page)
    page.show()
