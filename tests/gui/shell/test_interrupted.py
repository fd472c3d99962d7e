"""What a program that died was writing is offered with its chat."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.generating.model_servers import STREAMS
from tavern_desktop.storage.reply_stream import ReplyStream, StreamHead
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener

Leave = Callable[..., MainWindow]


@pytest.fixture
def left(opened: Opener, library: DataRoot, qtbot: QtBot) -> Leave:
    """Leave a part of something that was being written, and open its chat in a window."""

    def leave(action: str, *beside: str) -> MainWindow:
        window = opened()
        chat = library.chats / "Ilka Marsh" / "A lantern in the rain.jsonl"
        stream = ReplyStream(
            window.services.own_data / STREAMS, "t1", StreamHead(str(chat), action, "Ilka Marsh", 0, 1)
        )
        stream.append("A part of it", "")
        for number, text in enumerate(beside, 1):
            stream.append(text, "", number)
        stream.leave()
        window.open_path(chat)
        qtbot.waitUntil(lambda: "A part of it" in window.pane.banner.text)
        return window

    return leave


def press(window: MainWindow, text: str) -> None:
    next(button for button in window.pane.banner.buttons if button.text() == text).click()


def is_forgotten(window: MainWindow) -> bool:
    return not list((window.services.own_data / STREAMS).glob("*"))


def texts(window: MainWindow) -> list[str]:
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    return [message.data()["mes"] for message in session.chat.messages]


def test_a_reply_goes_into_the_chat_and_is_forgotten_once_it_is_on_disk(left: Leave, qtbot: QtBot) -> None:
    window = left("reply")
    press(window, "Insert")
    assert texts(window)[1] == "A part of it"
    qtbot.waitUntil(lambda: is_forgotten(window))


def test_alternatives_that_were_written_beside_it_come_along(left: Leave, qtbot: QtBot) -> None:
    window = left("reply", "Another one")
    assert "Another alternative of it comes along." in window.pane.banner.text
    press(window, "Insert")
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    assert session.chat.messages[1].data()["swipes"] == ["A part of it", "Another one"]
    qtbot.waitUntil(lambda: is_forgotten(window))


def test_what_was_written_for_the_person_goes_into_the_composer(left: Leave, qtbot: QtBot) -> None:
    window = left("impersonate")
    before = texts(window)
    press(window, "Insert")
    assert window.pane.composer.text.toPlainText() == "A part of it"
    assert texts(window) == before
    qtbot.waitUntil(lambda: is_forgotten(window))


def test_what_is_not_wanted_is_forgotten(left: Leave, qtbot: QtBot) -> None:
    window = left("reply")
    before = texts(window)
    press(window, "Discard")
    assert texts(window) == before
    qtbot.waitUntil(lambda: is_forgotten(window))


def test_of_two_windows_on_the_chat_only_one_takes_it(left: Leave, qtbot: QtBot) -> None:
    first = left("reply")
    first.acts.run(Act.NEW_WINDOW)
    (second,) = (
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow) and widget is not first
    )
    qtbot.waitUntil(lambda: "A part of it" in second.pane.banner.text)
    press(first, "Insert")
    assert (first.pane.banner.text, second.pane.banner.text) == ("", "")
    assert texts(second).count("A part of it") == 1
    qtbot.waitUntil(lambda: is_forgotten(first))
