"""A chat nears what SillyTavern can open: one warning, and a new chat that goes on where the old one was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from tests.flows.conftest import MakeChat
from tests.flows.person import Person
from tests.flows.test_written_meanwhile import banner, press, records
from tests.gui.shell.window_parts import Opener

WARNING = "messages. SillyTavern loses chats of more than about 120,000 when it opens them."


@pytest.fixture
def path(make_chat: MakeChat, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chat that counts as long."""
    monkeypatch.setattr("tavern_desktop.library.sillytavern_use.NEAR_MESSAGES", 50)
    return make_chat(60)


def test_it_goes_on_in_a_new_chat_that_is_linked_to_the_old_one(person: Person, path: Path) -> None:
    before, texts = path.read_bytes(), [record["mes"] for record in records(path)]
    person.start()
    person.open_newest()
    person.wait(lambda: banner(person).endswith(WARNING))
    press(person, "Continue in a New Chat…")
    dialog = person.find(QWidget, "continueDialog")
    assert (dialog.field.text(), dialog.carried.maximum()) == ("The long road (part 2)", len(texts))
    dialog.carried.setValue(5)
    dialog.done_button.click()

    person.wait(lambda: person.window.desk.session.title == "The long road (part 2)")
    person.wait(lambda: person.window.desk.session.state == "ready")
    new = path.with_name("The long road (part 2).jsonl")
    assert [record["mes"] for record in records(new)] == texts[-5:]
    assert json.loads(new.read_bytes().split(b"\n")[0])["chat_metadata"]["main_chat"] == "The long road"
    assert path.read_bytes() == before
    assert banner(person) == "This chat goes on from “The long road”, which stays as it was."
    press(person, "Open the Old Chat")
    person.wait(lambda: person.window.desk.path == path)
    person.quit()


def test_it_is_said_once(person: Person, opener: Opener, path: Path) -> None:
    person.start()
    person.open_newest()
    person.wait(lambda: banner(person).endswith(WARNING))
    person.wait(lambda: bool(person.window.services.root_state.warned_long))
    person.quit()
    person.start()
    person.open_newest()
    assert banner(person) == ""
    person.quit()


def test_in_the_folder_of_our_own_nothing_is_said(person: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tavern_desktop.library.sillytavern_use.NEAR_MESSAGES", 1)
    person.start(own=True)
    person.open_newest()
    person.wait(lambda: person.window.part.long_chats.is_known)
    assert WARNING not in banner(person)
    person.quit()
