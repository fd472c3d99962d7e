"""What the surface's tests share."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QLocale
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.theme import themes

Show = Callable[..., ChatView]


@pytest.fixture
def context(qtbot: QtBot) -> ChatContext:
    themes().choose("light")
    return ChatContext(themes().current, user_name="Wanderer", char_name="Aria", locale=QLocale("en_GB"))


@pytest.fixture
def show(qtbot: QtBot, context: ChatContext) -> Show:
    """Show a chat in a view of 760 × 600."""

    def show(chat: Chat | None, mounted: int = 100) -> ChatView:
        view = ChatView()
        qtbot.addWidget(view)
        view.resize(760, 600)
        view.set_mounted_count(mounted)
        view.show()
        view.set_chat(chat, context)
        return view

    return show
