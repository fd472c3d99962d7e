"""Talking to models: one is connected by a press, replies come, are stopped, and are never lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from tavern_desktop.library.data_root import DataRoot
from tests.flows.person import CTRL, SHIFT, Person
from tests.model_server import ModelServer
from tests.real_model_server import RealServer
from tests.tiny_model import make_tiny_model

PORTS = "tavern_desktop.backends.discovery.usual_ports"


@pytest.fixture
def real_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RealServer]:
    """A llama.cpp server that somebody started on this computer."""
    server = RealServer(make_tiny_model(tmp_path / "tiny.gguf"))
    monkeypatch.setattr(PORTS, lambda: [server.port])
    yield server
    server.close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """One that says what the story wants, when it wants it."""
    made = ModelServer()
    monkeypatch.setattr(PORTS, lambda: [made.port])
    yield made
    made.close()


def banner(person: Person) -> str:
    return str(person.window.pane.banner.text)


def press(person: Person, text: str) -> None:
    next(button for button in person.window.pane.banner.buttons if button.text() == text).click()


def newest(person: Person) -> dict[str, Any]:
    """The newest message of the chat in view, as its record."""
    return dict(person.window.desk.session.chat.messages[-1].data())


def count(person: Person) -> int:
    return len(person.window.desk.session.chat)


def seen(person: Person) -> str:
    """The text of the last row of the surface."""
    return person.text_of(person.shown_numbers()[-1])


def send(person: Person, text: str) -> None:
    person.window.pane.composer.text.setFocus()
    person.type(text)
    person.press(Qt.Key.Key_Return)


def is_writing(person: Person) -> bool:
    return person.window.desk.replying.task is not None


def saved(person: Person) -> list[dict[str, Any]]:
    """Save the chat in view and read its file."""
    person.press(Qt.Key.Key_S, CTRL)
    session = person.window.desk.session
    person.wait(lambda: session.save_state.kind == "saved")
    return [json.loads(line) for line in session.path.read_bytes().split(b"\n")[1:]]


def connect(person: Person) -> None:
    """Say hello with nobody there, and take the server that is offered."""
    send(person, "Hello")
    person.wait(lambda: "A model server runs on this computer" in banner(person))
    press(person, "Use It")


def two_chats(library: DataRoot) -> tuple[Path, Path]:
    """Two chats of different characters."""
    first, second, *_ = (next(folder.glob("*.jsonl")) for folder in sorted(library.chats.iterdir()) if folder.is_dir())
    return first, second


def test_a_real_model_is_connected_by_the_banner_s_offer(person: Person, real_server: RealServer) -> None:
    person.start()
    person.open_newest()
    before = count(person)
    connect(person)
    person.wait(lambda: count(person) == before + 2 and not is_writing(person))
    reply = newest(person)
    assert reply["is_user"] is False
    assert reply["mes"]
    assert (reply["extra"]["api"], reply["extra"]["model"]) == ("custom", "tiny")
    assert person.window.status.connection.text() == f"llama.cpp on port {real_server.port} · tiny · connected"
    assert person.window.status.tokens.text().endswith(" / 4096 tokens")

    # Another alternative, then more of it.
    person.click_message(before + 1)
    person.press(Qt.Key.Key_R, CTRL)
    person.wait(lambda: len(newest(person).get("swipes", [])) == 2 and not is_writing(person))
    first = newest(person)["mes"]
    person.press(Qt.Key.Key_Return, CTRL | SHIFT)
    person.wait(lambda: len(newest(person)["mes"]) > len(first) and not is_writing(person))
    assert newest(person)["mes"].startswith(first)
    assert saved(person)[-1] == newest(person)


def test_a_server_that_is_started_later_is_offered_with_the_next_message(
    person: Person, monkeypatch: pytest.MonkeyPatch, server: ModelServer
) -> None:
    monkeypatch.setattr(PORTS, list)
    person.start()
    person.open_newest()
    send(person, "Is anybody there?")
    person.wait(lambda: "connect a model" in banner(person))
    monkeypatch.setattr(PORTS, lambda: [server.port])
    send(person, "And now?")
    person.wait(lambda: "A model server runs on this computer" in banner(person))


def test_a_reply_is_stopped_and_what_came_stays(person: Person, server: ModelServer) -> None:
    person.start()
    person.open_newest()
    connect(person)
    person.wait(lambda: bool(server.asked))
    server.say("The lamp ", "turns")
    person.wait(lambda: seen(person) == "The lamp turns")
    person.press(Qt.Key.Key_Escape)
    person.wait(lambda: not is_writing(person))
    assert newest(person)["mes"] == "The lamp turns"
    assert saved(person)[-1]["mes"] == "The lamp turns"


def test_walking_to_another_chat_in_mid_reply_and_back(person: Person, server: ModelServer, library: DataRoot) -> None:
    here, there = two_chats(library)
    person.start()
    person.open_file(here)
    connect(person)
    person.wait(lambda: bool(server.asked))
    server.say("Once upon")
    person.wait(lambda: seen(person) == "Once upon")
    person.open_file(there)
    assert seen(person) != "Once upon"
    server.say(" a time")
    person.open_file(here)
    person.wait(lambda: seen(person) == "Once upon a time")
    server.say(", far away.")
    server.end()
    person.wait(lambda: not is_writing(person))
    assert newest(person)["mes"] == "Once upon a time, far away."


def test_two_replies_in_two_chats_at_once(person: Person, server: ModelServer, library: DataRoot) -> None:
    here, there = two_chats(library)
    person.start()
    person.open_file(here)
    connect(person)
    person.wait(lambda: len(server.asked) == 1)
    person.open_file(there)
    send(person, "And you?")
    person.wait(lambda: len(server.asked) == 2)
    server.say("I am the second.", reply=1)
    server.say("I am the first.", reply=0)
    server.end(reply=0)
    server.end(reply=1)
    person.wait(lambda: not person.window.services.generations.running())
    assert newest(person)["mes"] == "I am the second."
    person.open_file(here)
    assert newest(person)["mes"] == "I am the first."


def test_closing_in_mid_reply_keeps_the_part(person: Person, server: ModelServer) -> None:
    person.start()
    path = person.open_newest()
    connect(person)
    person.wait(lambda: bool(server.asked))
    server.say("The ferry is late")
    person.wait(lambda: seen(person) == "The ferry is late")
    person.quit()
    person.start()
    person.open_file(path)
    assert newest(person)["mes"] == "The ferry is late"


def test_an_unplugged_server_is_told_and_retried(person: Person, server: ModelServer) -> None:
    person.start()
    person.open_newest()
    connect(person)
    person.wait(lambda: bool(server.asked))
    server.say("Come in")
    person.wait(lambda: seen(person) == "Come in")
    server.unplug()
    person.wait(lambda: not is_writing(person))
    person.wait(lambda: bool(banner(person)))
    assert banner(person).endswith(" was lost in the middle of the reply.")
    assert newest(person)["mes"] == "Come in"
    server.plug_in()
    press(person, "Retry")
    person.wait(lambda: len(server.asked) == 2)
    server.say("Come in, the night is cold.")
    server.end()
    person.wait(lambda: not is_writing(person))
    assert newest(person)["swipes"] == ["Come in", "Come in, the night is cold."]
