"""Random runs: chats are switched, messages deleted, windows closed and replies stopped in mid-stream, in any order.

Every piece a model said stands in the end in the chat it was said for, and in no other; no prompt has a word of another
chat. `--full` runs two hundred of them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from tavern_desktop.backends.connection import Connection
from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.commands import DeleteMessages
from tavern_desktop.session.connections import Connections
from tavern_desktop.session.generating.task import GenerationTask
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.ui.main_window import MainWindow
from tests.flows.person import Person
from tests.flows.test_talking import send
from tests.model_server import ModelServer

RUNS, FULL_RUNS, STEPS = 6, 200, 25
CHATS = "ABC"
MARK = re.compile(r"\[\[(\w)")
"""Begins whatever is said in a chat, followed by the chat's letter."""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    Connections(own_folders()).put(Connection(id="c", name="Test", protocol="openai", url=made.url, model="tiny"))
    yield made
    made.close()


class Run:
    """One person, one seed, three chats."""

    def __init__(self, person: Person, server: ModelServer, library: DataRoot, seed: int) -> None:
        self.person, self.server = person, server
        self.random = random.Random(seed)
        self.paths = {letter: self._chat(library, letter, seed) for letter in CHATS}
        self.said: list[tuple[str, str]] = []
        """The letter of a chat, and a piece that a model said for it."""
        self.under_way: dict[str, int] = {}
        """The number of the request that is being answered in each chat."""
        self.known = len(server.asked)
        self.here = "A"
        self.steps: tuple[Callable[[], object], ...] = (
            self.send, self.send, self.say, self.say, self.say, self.end, self.stop, self.switch, self.switch,
            self.delete, self.another_window, self.close_window, self.restart,
        )  # fmt: skip

    def go(self) -> None:
        self.person.start()
        self._open()
        for _ in range(STEPS):
            self.random.choice(self.steps)()
            self.settle()
        while self.under_way:
            self.end(next(iter(self.under_way)))
            self.settle()
        self.person.quit()
        self._check()

    # -- steps --------------------------------------------------------------------------------------------

    def send(self) -> None:
        send(self.person, f"[[{self.here} what now?]]")
        window = self.person.window
        is_queued = self.here in self.under_way
        self.person.wait(
            lambda: (
                window.services.generations.has_next(window.desk.session)
                if is_queued
                else window.desk.replying.task is not None
            )
        )

    def say(self) -> None:
        if self.under_way:
            letter, number = self.random.choice(list(self.under_way.items()))
            piece = f"[[{letter} {len(self.said)}]] "
            self.said.append((letter, piece.strip()))
            self.server.say(piece, reply=number)
            self.person.wait(lambda: any(piece.strip() in task.log.so_far().text for task in self._running()))

    def end(self, letter: str = "") -> None:
        if self.under_way:
            ended = letter or self.random.choice(list(self.under_way))
            number = self.under_way.pop(ended)
            self.server.say(f"[[{ended} the end]]", reply=number)
            self.server.end(number)

    def stop(self) -> None:
        if self.under_way.pop(self.here, None) is not None:
            self.person.window.desk.replying.stop()

    def switch(self) -> None:
        self.here = self.random.choice(CHATS)
        self._open()

    def delete(self) -> None:
        """Delete a message of the person's: the reply that is being written may stand behind it."""
        session = self.person.window.desk.session
        own = [message.key for message in session.chat.messages if facts.role(message.seen_data()) == "user"]
        if own:
            session.do(DeleteMessages([self.random.choice(own)]))

    def another_window(self) -> None:
        before = set(self._windows())
        self.person.window.acts.new_window()
        (window,) = set(self._windows()) - before
        self.person.turn_to(window)
        self.switch()

    def close_window(self) -> None:
        if len(self._windows()) > 1:
            self.person.window.close()
            self.person.turn_to(self.random.choice(self._windows()))
            self._open()

    def restart(self) -> None:
        self.person.quit()
        self.under_way.clear()
        self.person.start()
        self._open()

    # -- around them --------------------------------------------------------------------------------------

    def settle(self) -> None:
        """Wait until every reply under way has been asked for."""
        self.person.wait(lambda: self._take_requests() and len(self._running()) == len(self.under_way))

    def _take_requests(self) -> bool:
        for number in range(self.known, len(self.server.asked)):
            letters = set(MARK.findall(json.dumps(self.server.asked[number]["messages"])))
            assert len(letters) <= 1, "a prompt has words of another chat"
            # What was said in the chat may be deleted by now; then it is the one chat whose request was not seen yet.
            letter = letters.pop() if letters else next(iter(self._writing() - set(self.under_way)), "")
            if letter in self._writing():  # else it was sent as the program ended
                self.under_way[letter] = number
        self.known = len(self.server.asked)
        return True

    def _check(self) -> None:
        texts = {letter: path.read_text("utf-8") for letter, path in self.paths.items()}
        for letter, text in texts.items():
            assert set(MARK.findall(text)) <= {letter}, "text in the wrong chat"
        assert [piece for letter, piece in self.said if piece not in texts[letter]] == []

    def _running(self) -> list[GenerationTask]:
        return self.person.window.services.generations.running()

    def _writing(self) -> set[str]:
        """The letters of the chats in which a reply is being written."""
        return {task.session.path.stem[0] for task in self._running()}

    def _windows(self) -> list[MainWindow]:
        return [one for one in QApplication.topLevelWidgets() if isinstance(one, MainWindow) and one.isVisible()]

    def _open(self) -> None:
        self.person.open_file(self.paths[self.here])

    @staticmethod
    def _chat(library: DataRoot, letter: str, seed: int) -> Path:
        character = next(library.characters.glob("*.png")).stem
        path = library.chats / character / f"{letter} {seed}.jsonl"
        header = {"user_name": "unused", "character_name": "unused", "chat_metadata": {}}
        greeting = {"name": character, "is_user": False, "is_system": False, "mes": "Come in.", "extra": {}}
        path.write_text("\n".join(map(json.dumps, (header, greeting))), "utf-8")
        return path


@pytest.mark.timeout(1800)
def test_nothing_is_lost_and_nothing_strays(
    person: Person, server: ModelServer, library: DataRoot, is_full: bool
) -> None:
    for seed in range(FULL_RUNS if is_full else RUNS):
        Run(person, server, library, seed).go()
