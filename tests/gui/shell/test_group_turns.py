"""Who speaks in a group, in the window: by its order, one after another, muted, or whom the person chooses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.connection import Connection
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.groups import read_group
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener
from tests.model_server import ModelServer

LONG = 60_000
Wait = Callable[[Callable[[], Any]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    return lambda condition: qtbot.waitUntil(lambda: bool(condition()), timeout=LONG)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture
def window(opened: Opener, server: ModelServer, library: DataRoot, wait: Wait) -> MainWindow:
    """A window with the chat of a group of two, who speak in the order of its list."""
    cards = sorted(path.name for path in library.characters.glob("*.png"))[:2]
    library.groups.mkdir(exist_ok=True)
    library.group_chats.mkdir(exist_ok=True)
    record = {"id": "7", "name": "Two", "members": cards, "chat_id": "tea", "chats": ["tea"], "activation_strategy": 1}
    (library.groups / "7.json").write_text(json.dumps(record), "utf-8")
    lines = [{"chat_metadata": {}}, {"name": "Wren", "is_user": True, "mes": "Good evening.", "extra": {}}]
    path = library.group_chats / "tea.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    made = opened()
    made.services.model_servers.connections.put(
        Connection(id="c", name="Here", protocol="openai", provider="llamacpp", url=server.url, model="tiny")
    )
    made.open_path(path)
    wait(lambda: made.desk.session is not None and made.desk.session.state == "ready")
    wait(lambda: made.pane.composer.speaker.text().startswith("Next: "))
    return made


def send(window: MainWindow, qtbot: QtBot, text: str) -> None:
    composer = window.pane.composer.text
    composer.setFocus()
    qtbot.keyClicks(composer, text)
    qtbot.keyClick(composer, Qt.Key.Key_Return)


def chosen(window: MainWindow, text: str) -> QAction:
    """An entry of the menu of speakers, or of one of its parts."""
    menu = window.pane.composer.speaker.menu()
    menu.aboutToShow.emit()
    parts = [each for each in menu.actions() if each.menu() is not None]
    entries = [*menu.actions(), *(entry for part in parts for entry in part.menu().actions())]
    return next(each for each in entries if each.text() == text)


def said(window: MainWindow) -> list[str]:
    assert window.desk.session is not None
    assert window.desk.session.chat is not None
    return [f"{message.data()['name']}: {message.data()['mes']}" for message in window.desk.session.chat.messages]


def test_all_of_the_list_answer_one_after_another(
    window: MainWindow, server: ModelServer, wait: Wait, qtbot: QtBot
) -> None:
    names = [speaker.name for speaker in window.desk._next_speaker._speakers]
    assert len(names) == 2
    send(window, qtbot, "Who is there?")
    wait(lambda: len(server.asked) == 1)
    server.say("I am.")
    server.end()
    wait(lambda: len(server.asked) == 2)
    assert "I am." in json.dumps(server.asked[1]["messages"])
    server.say("So am I.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert said(window)[-3:] == ["Wren: Who is there?", f"{names[0]}: I am.", f"{names[1]}: So am I."]
    assert len(server.asked) == 2


def test_a_muted_member_answers_no_more_and_may_still_be_told_to_speak(
    window: MainWindow, server: ModelServer, wait: Wait, qtbot: QtBot, library: DataRoot
) -> None:
    first, second = (speaker.name for speaker in window.desk._next_speaker._speakers)
    chosen(window, "Muted").menu().actions()[0].trigger()
    wait(lambda: read_group(library, "7").muted)
    wait(lambda: window.pane.composer.speaker.text() == f"Next: {second}")
    send(window, qtbot, "Who is there?")
    wait(lambda: len(server.asked) == 1)
    server.say("Only me.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert said(window)[-1] == f"{second}: Only me."
    chosen(window, first).trigger()
    send(window, qtbot, "And you?")
    wait(lambda: len(server.asked) == 2)
    server.say("Hush.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert said(window)[-1] == f"{first}: Hush."


def test_whom_i_choose_answers_nobody_by_itself(
    window: MainWindow, server: ModelServer, wait: Wait, qtbot: QtBot, library: DataRoot
) -> None:
    chosen(window, "Whom I choose").trigger()
    wait(lambda: read_group(library, "7").order == 2)
    wait(lambda: chosen(window, "Whom I choose").isChecked())
    send(window, qtbot, "Hm.")
    wait(lambda: window.desk.session is not None and not window.desk.session.is_dirty)
    assert said(window)[-1] == "Wren: Hm."
    second = window.desk._next_speaker._speakers[1].name
    chosen(window, second).trigger()
    window.actions_[Act.REPLY].trigger()
    wait(lambda: server.asked)
    server.say("I will.")
    server.end()
    wait(lambda: window.desk.replying.task is None)
    assert said(window)[-2:] == ["Wren: Hm.", f"{second}: I will."]
    assert len(server.asked) == 1
