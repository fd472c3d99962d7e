"""Who hears the window finds every message in a list, with its speaker, place and words (known failure B-60)."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton

from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import chat_of, long_chat
from tests.gui.surface.conftest import Show


@pytest.fixture
def view(show: Show) -> ChatView:
    return show(long_chat(500), mounted=500)


def test_all_messages_are_children_of_the_list(view: ChatView) -> None:
    interface = QAccessible.queryAccessibleInterface(view)
    assert interface.role() == QAccessible.Role.List
    assert interface.text(QAccessible.Text.Name) == "Messages"
    assert interface.childCount() == 500
    child = interface.child(3)
    assert child.role() == QAccessible.Role.ListItem
    assert child.text(QAccessible.Text.Name).startswith("Wanderer, message 4 of 500: ")


def test_what_is_on_screen_says_where(view: ChatView) -> None:
    interface = QAccessible.queryAccessibleInterface(view)
    place = interface.child(499).rect()
    row = view.row_rect(499)
    assert place.size() == row.size()
    assert place.topLeft() == view.viewport().mapToGlobal(row.topLeft())


def test_a_list_of_nothing(show: Show) -> None:
    assert QAccessible.queryAccessibleInterface(show(chat_of([]))).childCount() == 0


def test_every_button_has_a_name(view: ChatView) -> None:
    view.verticalScrollBar().setValue(0)
    view.begin_edit(view.key(0))
    buttons = view.findChildren(QAbstractButton)
    assert len(buttons) >= 3
    for button in buttons:
        if button.isVisible():
            assert QAccessible.queryAccessibleInterface(button).text(QAccessible.Text.Name)
