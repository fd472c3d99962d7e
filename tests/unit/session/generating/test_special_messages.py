"""Replies in chats with special messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tavern_desktop.library.personas import Persona
from tavern_desktop.session.card_commands import InsertCard
from tavern_desktop.session.generating.reply import Speaker
from tavern_desktop.session.refusals import CommandRefused
from tests.unit.cards.payloads import TABLE
from tests.unit.session.generating.scripted import Program


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Program]:
    made = Program(tmp_path)
    yield made
    made.close()


def test_a_special_message_at_the_end_does_not_go_on(program: Program) -> None:
    session = program.open(program.write())
    session.do(InsertCard(TABLE))
    assert session.chat is not None
    with pytest.raises(CommandRefused, match="cannot go on"):
        program.generations.start(session, "continue", Speaker("Mira"), Persona("Ana"), session.chat.messages[-1].key)
