"""Replies grow, are written anew, go on and are stopped while windows come and go: at random (known failure B-57).

Every word that a model had said stands in the chat it was said in, and in no other, in memory and on disk.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.backends.events import Failed, Finished, Reasoning, Text
from tavern_desktop.chat import facts
from tavern_desktop.chat.message import Message
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import DeleteMessages
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.scripted_models import ScriptedServers
from tests.gui.shell.window_parts import Opener
from tests.make_library import Teller, chat_records, write_chat
from tests.unit.session.generating.scripted import Scripted

PARTS = 8
RUNS, FULL_RUNS = 1, 25
"""Runs of each part; all parts together make 200 where it matters."""
DEEDS = 60
CHATS = 3
MOST_WINDOWS = 3
START = datetime(2024, 1, 1, tzinfo=UTC)


class Said:
    """One reply: what its model sent, and how much of that had been seen when it was stopped."""

    def __init__(self, number: int, task: GenerationTask, model: Scripted) -> None:
        self.number, self.task, self.model = number, task, model
        self.path = task.session.path
        self.sent: list[str] = []
        self.seen_at_stop: int | None = None
        self.is_over = False

    @property
    def is_open(self) -> bool:
        """Whether more can be said."""
        return self.task.is_running and not self.is_over and self.model.is_there

    def send(self, chooser: random.Random) -> None:
        """Let some words come, at times a thought before them."""
        if not self.sent and chooser.random() < 0.3:
            self.model.send(Reasoning("hm "))
        for _ in range(chooser.randint(1, 6)):
            self.sent.append(f"r{self.number}w{len(self.sent)}")
            self.model.send(Text(" " + self.sent[-1]))

    def end(self, chooser: random.Random) -> None:
        """Let it end, well or not."""
        self.is_over = True
        failed = Failed("disconnected", "The connection broke off.")
        self.model.send(failed if chooser.random() < 0.2 else Finished("stop"), None)

    def note_stop(self) -> None:
        """It is stopped now: what is on screen has to stay."""
        self.seen_at_stop, self.is_over = len(self.task.log.so_far().text.split()), True


class Somebody:
    """Does one thing after the other, at random."""

    def __init__(self, window: MainWindow, chats: list[Path], qtbot: QtBot, seed: int) -> None:
        self.services = window.services
        self.models = ScriptedServers.into(window.services)
        self.chooser = random.Random(seed)
        self.chats = chats
        self.said: list[Said] = []
        self.deleted: dict[Path, list[str]] = {path: [] for path in chats}
        """Words that the person took away themselves."""
        self._qtbot = qtbot
        self.services.generations.started.connect(self._note)
        self._deeds: dict[Callable[[MainWindow], object], int] = {
            self._switch: 5,
            self._write: 7,
            self._let_come: 14,
            self._let_end: 8,
            self._stop: 3,
            self._delete: 2,
            self._again: 6,
            self._continue: 4,
            self._edit: 1,
            self._scroll: 2,
            self._open_window: 1,
            self._close_window: 1,
        }

    def go_on(self) -> None:
        """Do something, and let the program do as much or as little as it comes to."""
        (deed,) = self.chooser.choices(list(self._deeds), list(self._deeds.values()))
        deed(self.chooser.choice(self.windows()))
        for _ in range(self.chooser.randint(0, 4)):
            QApplication.processEvents()

    def finish(self) -> None:
        """Let every reply end, also those that are only asked for then."""
        while self.services.generations.running():
            self._qtbot.waitUntil(lambda: all(said.model.is_there for said in self._running()))
            for said in self._running():
                if said.is_open:
                    said.end(self.chooser)
            before = self._running()
            self._qtbot.waitUntil(lambda before=before: self._running() != before)

    def windows(self) -> list[MainWindow]:
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one.isVisible()]

    def _note(self, task: GenerationTask) -> None:
        self.said.append(Said(len(self.said), task, self.models.models[-1]))

    def _running(self) -> list[Said]:
        return [said for said in self.said if said.task.is_running]

    def _switch(self, window: MainWindow) -> None:
        window.open_path(self.chooser.choice(self.chats))

    def _write(self, window: MainWindow) -> None:
        window.pane.composer.text.setPlainText("Go on.")
        window.desk.writing.send()

    def _let_come(self, window: MainWindow) -> None:
        for said in self._running():
            if said.is_open:
                said.send(self.chooser)

    def _let_end(self, window: MainWindow) -> None:
        if running := [said for said in self._running() if said.is_open and said.sent]:
            self.chooser.choice(running).end(self.chooser)

    def _stop(self, window: MainWindow) -> None:
        task = window.desk.replying.task
        said = next((said for said in self.said if said.task is task and said.is_open), None)
        if said is not None:
            said.note_stop()
            window.desk.replying.stop()

    def _delete(self, window: MainWindow) -> None:
        session = window.desk.session
        if session is None or session.chat is None or not session.can_change or len(session.chat) < 3:
            return
        at = self.chooser.randint(max(0, len(session.chat) - 4), len(session.chat) - 1)
        message = session.chat.messages[at]
        self.deleted[session.path] += words_of(message)
        session.do(DeleteMessages([message.key]))

    def _again(self, window: MainWindow) -> None:
        self._at_newest(window, lambda key: window.desk.replying.regenerate(key))

    def _continue(self, window: MainWindow) -> None:
        self._at_newest(window, lambda key: window.acts.run(Act.CONTINUE))

    def _edit(self, window: MainWindow) -> None:
        self._at_newest(window, lambda key: window.pane.view.begin_edit(key))
        window.pane.view.end_edit(save=False)

    def _at_newest(self, window: MainWindow, do: Callable[[int], object]) -> None:
        session = window.desk.session
        if session is not None and session.chat is not None and session.can_change and len(session.chat):
            do(session.chat.messages[-1].key)

    def _scroll(self, window: MainWindow) -> None:
        bar = window.pane.view.verticalScrollBar()
        bar.setValue(self.chooser.randint(0, max(1, bar.maximum())))

    def _open_window(self, window: MainWindow) -> None:
        if len(self.windows()) < MOST_WINDOWS:
            self.services.window_requested.emit(self.chooser.choice([None, *self.chats]))

    def _close_window(self, window: MainWindow) -> None:
        if len(self.windows()) > 1:
            window.close()


def words_of(message: Message) -> list[str]:
    """Return the words of all alternatives of a message."""
    data = message.data()
    return " ".join([facts.text(data), *map(str, data.get("swipes") or ())]).split()


def on_disk(path: Path) -> list[str]:
    """Return the words that a chat's file holds."""
    lines = path.read_text("utf-8").splitlines()[1:]
    return [word for line in lines for word in words_of(Message.new(json.loads(line)))]


@pytest.mark.parametrize("part", range(PARTS))
def test_no_word_is_lost_or_in_the_wrong_chat(
    opener: Opener, library: DataRoot, qtbot: QtBot, part: int, is_full: bool
) -> None:
    for run in range(FULL_RUNS if is_full else RUNS):
        chats = [library.chats / "Tock" / f"Run {run}, {number}.jsonl" for number in range(CHATS)]
        for number, path in enumerate(chats):
            write_chat(path, chat_records(Teller(run), "Tock", "Wren", 12 + number, START, 0))
        window = opener()
        somebody = Somebody(window, chats, qtbot, 1000 * part + run)
        window.open_path(chats[0])
        qtbot.waitUntil(lambda window=window: window.pane.view.is_editable)
        for _ in range(DEEDS):
            somebody.go_on()
        somebody.finish()
        opener.close()
        found = {path: on_disk(path) for path in chats}
        for said in somebody.said:
            check(said, found, somebody.deleted[said.path])


def check(said: Said, found: dict[Path, list[str]], deleted: list[str]) -> None:
    """Say that a reply is where it belongs, as far as it had come."""
    there = {*found[said.path], *deleted}
    own = [word for word in said.sent if word in there]
    assert own == said.sent[: len(own)], "words are missing in the middle"
    least = len(said.sent) if said.seen_at_stop is None else said.seen_at_stop
    assert len(own) >= least, "words are lost"
    begin = f"r{said.number}w"
    strays = [word for path, words in found.items() if path != said.path for word in words if word.startswith(begin)]
    assert not strays, "words are in the wrong chat"
