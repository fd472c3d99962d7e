"""The banner keeps what was said before, and its buttons act once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.banner import Banner, Notice


@pytest.fixture
def banner(qtbot: QtBot) -> Banner:
    made = Banner()
    qtbot.addWidget(made)
    made.resize(600, 60)
    return made


def test_nothing_to_say_takes_no_room(banner: Banner) -> None:
    assert not banner.isVisible()
    assert banner.text == ""


def test_the_newest_notice_is_shown_and_the_one_before_comes_back(banner: Banner) -> None:
    banner.show_notice(Notice("first", key="a"))
    banner.show_notice(Notice("second", key="b"))
    assert banner.text == "second"
    banner.take_away("b")
    assert banner.text == "first"
    assert banner.isVisibleTo(None)
    banner.take_away("a")
    assert not banner.isVisible()


def test_the_same_key_replaces(banner: Banner) -> None:
    banner.show_notice(Notice("one", key="k"))
    banner.show_notice(Notice("two", key="k"))
    banner.take_away("k")
    assert banner.text == ""


def test_a_button_acts_and_the_notice_is_gone(banner: Banner, qtbot: QtBot) -> None:
    done: list[str] = []
    banner.show_notice(
        Notice("changed", (("Reload", lambda: done.append("reload")), ("Keep", lambda: done.append("keep"))))
    )
    banner.show()
    assert [button.text() for button in banner.buttons] == ["Reload", "Keep"]
    qtbot.mouseClick(banner.buttons[0], Qt.MouseButton.LeftButton)
    assert done == ["reload"]
    assert banner.text == ""


def test_a_button_may_show_another_notice(banner: Banner, qtbot: QtBot) -> None:
    banner.show_notice(Notice("one", (("Go", lambda: banner.show_notice(Notice("two"))),)))
    banner.show()
    qtbot.mouseClick(banner.buttons[0], Qt.MouseButton.LeftButton)
    assert banner.text == "two"
    assert banner.buttons == []


def test_a_button_that_only_shows_something_leaves_the_notice_there(banner: Banner, qtbot: QtBot) -> None:
    done: list[str] = []
    buttons = (("Show", lambda: done.append("show")), ("Undo", lambda: done.append("undo")))
    banner.show_notice(Notice("changed", buttons, looks=("Show",)))
    banner.show()
    for button in (0, 0, 1):
        qtbot.mouseClick(banner.buttons[button], Qt.MouseButton.LeftButton)
    assert done == ["show", "show", "undo"]
    assert banner.text == ""


def test_where_both_do_not_fit_the_buttons_stand_below_the_text(banner: Banner, qtbot: QtBot) -> None:
    done: list[str] = []
    buttons = (("Merge", lambda: done.append("merge")), ("Keep Both", lambda: done.append("keep")))
    banner.show_notice(Notice("There is a conflict copy of this chat from 9 January.", buttons))
    banner.show()

    def is_below() -> bool:
        text = banner.findChild(QLabel)
        return banner.buttons[0].geometry().top() >= text.geometry().bottom()

    for width, below in ((900, False), (420, True), (900, False), (420, True)):
        banner.resize(width, 90)
        qtbot.waitUntil(lambda below=below: is_below() == below)
    qtbot.mouseClick(banner.buttons[1], Qt.MouseButton.LeftButton)
    assert done == ["keep"]
    banner.show_notice(Notice("Short.", (("Undo", lambda: None),)))
    qtbot.waitUntil(lambda: not is_below())
