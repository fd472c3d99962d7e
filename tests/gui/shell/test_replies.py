"""Asking for replies and what is seen of them, with a model that says what the test sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.events import Failed, Finished, Text, Usage
from tavern_desktop.chat import edits
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import AppendMessage
from tavern_desktop.ui import replying
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.scripted_models import ScriptedServers
from tests.gui.shell.window_parts import Opener
from tests.unit.session.generating.scripted import Scripted


class Talk:
    """A window on a chat whose newest message is a reply, and the model that it talks to."""

    def __init__(self, window: MainWindow, models: ScriptedServers, qtbot: QtBot) -> None:
        self.window, self._models, self._qtbot = window, models, qtbot

    @property
    def newest(self) -> dict[str, Any]:
        return self.records[-1]

    @property
    def records(self) -> list[dict[str, Any]]:
        session = self.window.desk.session
        assert session is not None
        assert session.chat is not None
        return [message.data() for message in session.chat.messages]

    def send(self, text: str) -> None:
        self.window.pane.composer.text.setPlainText(text)
        self.window.desk.writing.send()

    def asked(self, ask: Callable[[], object]) -> Scripted:
        """Do something that asks for a reply; return the model once it listens."""
        before = len(self._models.models)
        ask()
        return self.model(before)

    def model(self, number: int) -> Scripted:
        self._qtbot.waitUntil(lambda: len(self._models.models) > number and self._models.models[number].is_there)
        return self._models.models[number]

    @property
    def count(self) -> int:
        """How many replies were asked for."""
        return len(self._models.models)

    def ends(self) -> None:
        self._qtbot.waitUntil(lambda: self.window.desk.replying.task is None)

    def press(self, key: Qt.Key) -> None:
        """Press a key in the empty composer."""
        self.window.pane.composer.text.clear()
        self._qtbot.keyClick(self.window.pane.composer.text, key)


@pytest.fixture
def talk(opened: Opener, library: DataRoot, qtbot: QtBot) -> Talk:
    window = opened()
    models = ScriptedServers.into(window.services)
    window.open_path(library.chats / "Ilka Marsh" / "A lantern in the rain.jsonl")
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state == "ready")
    session = window.desk.session
    assert session is not None
    session.do(AppendMessage(edits.new_message("assistant", "one", "Ilka Marsh")))
    return Talk(window, models, qtbot)


def test_past_the_last_swipe_another_is_written(talk: Talk) -> None:
    model = talk.asked(lambda: talk.press(Qt.Key.Key_Right))
    model.send(Text("two"), Finished("stop"), None)
    talk.ends()
    assert (talk.newest["swipes"], talk.newest["swipe_id"]) == (["one", "two"], 1)
    talk.press(Qt.Key.Key_Left)
    assert talk.newest["mes"] == "one"
    assert talk.count == 1


def test_by_setting_the_first_comes_after_the_last(talk: Talk) -> None:
    model = talk.asked(lambda: talk.press(Qt.Key.Key_Right))
    model.send(Text("two"), Finished("stop"), None)
    talk.ends()
    talk.window.services.change_setting("writes_past_last", False)
    talk.press(Qt.Key.Key_Right)
    assert talk.newest["mes"] == "one"
    assert talk.count == 1


def test_a_swipe_that_is_called_off_leaves_the_counter_right(talk: Talk) -> None:
    """B-24: before the first token it is as it was; after some it is kept as a part."""
    talk.asked(lambda: talk.press(Qt.Key.Key_Right))
    talk.window.acts.escape()
    talk.ends()
    assert (talk.newest["swipes"], talk.newest["swipe_id"]) == (["one"], 0)
    model = talk.asked(lambda: talk.press(Qt.Key.Key_Right))
    model.send(Text("tw"))
    view = talk.window.pane.view
    talk._qtbot.waitUntil(lambda: view.record(view.places.row_count - 1).text == "tw")
    talk.window.acts.escape()
    talk.ends()
    assert (talk.newest["swipes"], talk.newest["swipe_id"]) == (["one", "tw"], 1)
    assert talk.newest["extra"]["tavern_desktop"] == {"stopped": "user"}


def test_r_in_selection_mode_has_another_written_and_nothing_else_is_touched(talk: Talk, qtbot: QtBot) -> None:
    """B-32 too: the note behind the reply stays."""
    session = talk.window.desk.session
    assert session is not None
    session.do(AppendMessage(edits.new_message("system", "n1", "Note")))
    before = talk.records
    view = talk.window.pane.view
    view.setFocus()
    view.enter_selection_mode()
    qtbot.keyClick(view, Qt.Key.Key_Up)
    model = talk.asked(lambda: qtbot.keyClick(view, Qt.Key.Key_R))
    model.send(Text("two"), Finished("stop"), None)
    talk.ends()
    after = talk.records
    assert len(after) == len(before)
    assert after[-1] == before[-1]
    assert after[-2]["swipes"] == ["one", "two"]
    talk.window.acts.run(Act.REGENERATE)
    model = talk.model(1)
    model.send(Text("three"), Finished("stop"), None)
    talk.ends()
    assert talk.records[-2]["swipes"] == ["one", "two", "three"]


def test_three_more_at_once_are_one_change(talk: Talk) -> None:
    view = talk.window.pane.view
    view.set_current_key(view.key(view.places.row_count - 1))
    first = talk.count
    talk.window.acts.run(Act.MORE_SWIPES)
    for number, text in enumerate(("two", "three", "four")):
        talk.model(first + number).send(Text(text), Finished("stop"), None)
    talk.ends()
    assert talk.newest["swipes"] == ["one", "two", "three", "four"]
    talk.window.desk.commands.undo()
    assert talk.newest["swipes"] == ["one"]


def test_what_is_sent_meanwhile_is_next(talk: Talk) -> None:
    composer = talk.window.pane.composer
    model = talk.asked(lambda: talk.send("First."))
    assert not composer.queued.isVisible()
    model.send(Text("To the first."))
    talk.send("Second.")
    talk._qtbot.waitUntil(composer.queued.isVisible)
    model.send(Finished("stop"), None)
    second = talk.model(1)
    assert not composer.queued.isVisible()
    second.send(Text("To the second."), Finished("stop"), None)
    talk.ends()
    assert [data["mes"] for data in talk.records[-4:]] == ["First.", "To the first.", "Second.", "To the second."]


def test_a_stop_stops_all_and_what_was_sent_meanwhile_waits_for_a_word(talk: Talk) -> None:
    pane = talk.window.pane
    model = talk.asked(lambda: talk.send("First."))
    model.send(Text("To the first."))
    talk.send("Second.")
    talk._qtbot.waitUntil(pane.composer.queued.isVisible)
    talk.window.acts.run(Act.STOP)
    talk.ends()
    assert talk.window.desk.replying.task is None
    assert [data["mes"] for data in talk.records[-3:]] == ["First.", "To the first.", "Second."]
    assert "has no reply yet" in pane.banner.text
    (button,) = pane.banner.buttons
    button.click()
    talk.model(1).send(Text("To the second."), Finished("stop"), None)
    talk.ends()
    assert talk.newest["mes"] == "To the second."
    assert pane.banner.text == ""


def test_a_part_goes_on_by_a_command(talk: Talk) -> None:
    model = talk.asked(lambda: talk.send("Go on."))
    model.send(Text("She nods"), Failed("disconnected", "The connection broke off."), None)
    talk.ends()
    assert talk.newest["extra"]["tavern_desktop"] == {"stopped": "error"}
    model = talk.asked(lambda: talk.send("/continue"))
    model.send(Text(" and smiles."), Finished("stop"), None)
    talk.ends()
    assert talk.newest["mes"] == "She nods and smiles."
    assert "tavern_desktop" not in talk.newest["extra"]


def test_its_begin_and_its_end_are_announced_and_no_more(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(replying, "announce", lambda widget, sentence: said.append(sentence))
    model = talk.asked(lambda: talk.send("Well?"))
    model.send(*(Text(f"word{number} ") for number in range(100)), Finished("stop"), None)
    talk.ends()
    assert said == ["Ilka Marsh is writing", "Ilka Marsh has replied"]


def test_speed_is_told_where_that_is_wanted(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replying, "FIRST_SPEED", 0.0)
    talk.window.services.change_setting("shows_speed", True)
    model = talk.asked(lambda: talk.send("Well?"))
    hint = talk.window.pane.composer.hint
    model.send(Text("A word, "))
    talk._qtbot.waitUntil(lambda: "tokens/s" in hint.text())
    model.send(Usage(reply=10), Finished("stop"), None)
    talk.ends()
    assert hint.text() == ""


def test_what_the_model_says_for_others_is_cut_off_and_stays_at_hand(talk: Talk) -> None:
    model = talk.asked(lambda: talk.send("Hello."))
    model.send(Text("Hello.\nWren: I say nothing."), Finished("stop"), None)
    talk.ends()
    assert talk.newest["mes"] == "Hello."
    notice = next(one for one in talk.window.pane.banner._notices if one.key == replying.NOTICE)
    notice.buttons[0][1]()
    assert "I say nothing." in QApplication.clipboard().text()
