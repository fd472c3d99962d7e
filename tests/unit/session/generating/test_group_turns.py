"""Several members of a group answer one after another, each after what was said before it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.backends.events import Finished, Text
from tavern_desktop.library.personas import Persona
from tavern_desktop.session.chat_session import ChatSession
from tavern_desktop.session.generating.reply import Speaker
from tests.unit.session.generating.scripted import Program, Scripted

ADA, BO, CY = (Speaker(name, f"{name}.png", in_group=True) for name in ("Ada", "Bo", "Cy"))


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.close()


def speaker(program: Program, number: int) -> Scripted:
    """The model of one that speaks, once it listens."""
    program.until(lambda: len(program.models) > number and program.models[number].is_there)
    return program.models[number]


def said(session: ChatSession) -> list[str]:
    assert session.chat is not None
    return [f"{message.data()['name']}: {message.data()['mes']}" for message in session.chat.messages[3:]]


def test_each_sees_what_was_said_before(program: Program) -> None:
    session = program.open(program.write())
    program.generations.answer(session, [ADA, BO], Persona("Ana"))
    speaker(program, 0).send(Text("From Ada."), Finished("stop"), None)
    second = speaker(program, 1)
    assert second.asked is not None
    assert (second.asked.speaker, len(second.asked.messages)) == (BO, 4)
    second.send(Text("From Bo."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert said(session) == ["Ada: From Ada.", "Bo: From Bo."]
    assert len(program.models) == 2


def test_a_stop_ends_the_whole_turn(program: Program) -> None:
    session = program.open(program.write())
    task = program.generations.answer(session, [ADA, BO, CY], Persona("Ana"))
    speaker(program, 0).send(Text("From Ada."))
    program.until(lambda: task.log.so_far().text != "")
    program.generations.stop(session)
    program.until(lambda: not program.generations.running())
    program.runner.run_until_idle()
    assert said(session) == ["Ada: From Ada."]
    assert len(program.models) == 1


def test_what_the_person_says_meanwhile_comes_before_who_is_still_to_speak(program: Program) -> None:
    session = program.open(program.write())
    program.generations.answer(session, [ADA, BO], Persona("Ana"))
    first = speaker(program, 0)
    program.generations.answer(session, [CY], Persona("Ana"))
    first.send(Text("From Ada."), Finished("stop"), None)
    speaker(program, 1).send(Text("From Cy."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert said(session) == ["Ada: From Ada.", "Cy: From Cy."]


def test_a_reply_ends_where_another_member_begins_and_the_rest_can_be_had(program: Program) -> None:
    session = program.open(program.write())
    ada = Speaker("Ada", "Ada.png", in_group=True, others=("Bo", "Cy"))
    task = program.generations.answer(session, [ada], Persona("Ana"))
    speaker(program, 0).send(Text("I know, Bo: it is late.\nBo: Very late."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert said(session) == ["Ada: I know, Bo: it is late."]
    assert task.cut_off == "Bo: Very late."


def test_who_spoke_lately_counts_as_a_member_where_nobody_says_who_they_are(program: Program) -> None:
    session = program.open(program.write())  # Mira has spoken in it
    program.generations.answer(session, [ADA], Persona("Ana"))
    speaker(program, 0).send(Text("Yes.\nMira: No."), Finished("stop"), None)
    program.until(lambda: not program.generations.running())
    assert said(session) == ["Ada: Yes."]
