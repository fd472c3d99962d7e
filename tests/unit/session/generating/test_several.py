"""Several alternatives at once: from one request where the server can, else one after another, as one command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.events import Event, Failed, Finished, Reasoning, Text, Usage
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.generating.task import GenerationTask
from tests.unit.session.generating.scripted import Program


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.close()


def _begin(program: Program) -> tuple[ChatSession, GenerationTask]:
    """Have three more alternatives of a1 written."""
    session = program.open(program.write())
    assert session.chat is not None
    task = program.generations.start(
        session, "swipe", Speaker("Mira"), Persona("Ana"), session.chat.messages[1].key, count=3
    )
    return session, task


def _request(program: Program, number: int, *events: Event) -> None:
    """Let request `number`, from 0, bring this and end."""
    program.until(lambda: len(program.models) > number and program.models[number].is_there)
    program.models[number].send(*events, None)


def _swipes(session: ChatSession) -> list[str]:
    assert session.chat is not None
    found: list[str] = session.chat.messages[1].data()["swipes"]
    return found


def _own(session: ChatSession) -> list[Any]:
    assert session.chat is not None
    infos = session.chat.messages[1].data()["swipe_info"]
    return [info["extra"].get("tavern_desktop") for info in infos[2:]]


def test_a_server_that_can_makes_all_with_one_request(program: Program) -> None:
    session, task = _begin(program)
    _request(program, 0, Text("x0"), Text("y0", 1), Text("z0", 2), *(Finished("stop", choice=n) for n in range(3)))
    program.until(lambda: not task.is_running)
    assert _swipes(session) == ["a1", "b1", "x0", "y0", "z0"]
    assert len(program.models) == 1


def test_one_after_another_they_are_still_one_change(program: Program) -> None:
    session, task = _begin(program)
    _request(program, 0, Text("first"), Finished("stop"))
    _request(program, 1, Reasoning("hm"), Text("second"), Finished("stop"))
    _request(program, 2, Text("third"), Finished("stop"))
    program.until(lambda: not task.is_running)
    assert _swipes(session) == ["a1", "b1", "first", "second", "third"]
    assert session.chat is not None
    data = session.chat.messages[1].data()
    assert data["mes"] == "first"
    assert data["swipe_info"][3]["extra"]["reasoning"] == "hm"
    session.undo()
    assert _swipes(session) == ["a1", "b1"]


@pytest.mark.parametrize("ending", ["stopped", "failed"])
def test_what_is_whole_stays_without_a_mark_and_what_is_not_has_one(program: Program, ending: str) -> None:
    session, task = _begin(program)
    _request(program, 0, Text("first"), Finished("stop"))
    program.until(lambda: len(program.models) == 2 and program.models[1].is_there)
    if ending == "failed":
        program.models[1].send(Text("sec"), Failed("disconnected", "The connection broke."), None)
    else:
        program.models[1].send(Text("sec"))
        program.until(lambda: bool(task._incoming.others))
        task.stop()
    program.until(lambda: not task.is_running)
    assert task.state == ending
    assert _swipes(session) == ["a1", "b1", "first", "sec"]
    assert _own(session) == [None, {"stopped": "user" if ending == "stopped" else "error"}]
    assert len(program.models) == 2


def test_a_request_that_brings_nothing_is_not_asked_again(program: Program) -> None:
    session, task = _begin(program)
    _request(program, 0, Text("first"), Finished("stop"))
    _request(program, 1, Finished("stop"))
    program.until(lambda: not task.is_running)
    assert _swipes(session) == ["a1", "b1", "first"]
    assert len(program.models) == 2


def test_a_message_that_goes_on_to_its_end_loses_its_mark(program: Program) -> None:
    session = program.open(program.write())
    assert session.chat is not None
    task, model = program.start(session)
    model.send(Text("Good"), Usage(reply=1))
    program.until(lambda: task.log.so_far().text == "Good")
    task.stop()
    program.until(lambda: not task.is_running)
    newest = session.chat.messages[-1]
    assert newest.data()["extra"]["tavern_desktop"] == {"stopped": "user"}
    task, model = program.start(session, "continue", newest.key)
    model.send(Text(" morning."), Usage(reply=2), Finished("stop"))
    program.finish(task, model)
    extra = session.chat.messages[-1].data()["extra"]
    assert extra["token_count"] == 3
    assert "time_to_first_token" not in extra
    assert session.chat.messages[-1].data()["mes"] == "Good morning."
    assert "tavern_desktop" not in session.chat.messages[-1].data()["extra"]
