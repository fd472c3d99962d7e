"""Another program gives the chat in view another name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.flows.test_typed_text import write, written
from tests.flows.test_written_meanwhile import banner, records, started


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file counts as gone at once, not after some seconds."""
    monkeypatch.setattr("tavern_desktop.session.outside.GONE_SECONDS", 0.0)


@pytest.mark.parametrize("copies", [False, True])
def test_the_chat_goes_on_under_its_new_name(person: Person, make_chat: MakeChat, copies: bool) -> None:
    path = make_chat(40)
    started(person)
    person.open_newest()
    session = person.window.desk.session
    count = person.view.model().total()
    new = path.with_name("Another road.jsonl")
    rename(path, new, copies=copies)
    person.wait(lambda: banner(person) == "Another program renamed this chat to “Another road”.")
    person.wait(lambda: session.trouble is None)
    assert (session.path, person.window.desk.session) == (new, session)
    person.edit(count - 1, "Written here.")
    person.wait(lambda: records(new)[-1]["mes"] == "Written here.")
    assert not path.exists()
    person.wait(lambda: person.window.services.library.row(new) is not None)
    person.wait(lambda: person.window.services.library.row(path) is None)
    person.quit()


def test_another_chat_of_that_size_is_not_taken_for_it(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(40)
    content = path.read_bytes()
    started(person)
    person.open_newest()
    other = path.with_name("Another road.jsonl")
    other.write_bytes(content.replace(b'"integrity":"', b'"integrity":"x', 1)[: len(content)])
    path.unlink()
    person.wait(lambda: banner(person) == "This chat no longer exists on disk.")
    person.quit()


def test_renamed_while_the_program_is_not_running(person: Person, make_chat: MakeChat) -> None:
    """What can be undone belongs to the chat and not to its name."""
    path = make_chat(40)
    person.start()
    person.open_newest()
    count = person.view.model().total()
    person.edit(count - 1, "Written here.")
    person.quit()
    path.rename(path.with_name("Another road.jsonl"))
    person.start()
    person.open_newest()
    assert person.text_of(count - 1) == "Written here."
    person.wait(lambda: person.window.desk.session.undo_label == "Edit message")
    person.view.setFocus()
    person.press(Qt.Key.Key_Z, CTRL)
    person.wait(lambda: person.text_of(count - 1) != "Written here.")
    person.quit()


def test_renamed_while_another_chat_is_in_view(person: Person, make_chat: MakeChat) -> None:
    """What was typed and not sent is there under the new name too."""
    path = make_chat(40)
    other = path.with_name("Other.jsonl")
    other.write_bytes(path.read_bytes().replace(b'"integrity":"', b'"integrity":"x', 1))
    person.start()
    person.open_file(path)
    person.edit(person.view.model().total() - 1, "Written here.")
    write(person, "a thought")
    person.open_file(other)
    person.wait(lambda: not written(person))
    new = path.rename(path.with_name("Another road.jsonl"))
    person.open_file(new)
    person.wait(lambda: written(person) == "a thought")
    person.quit()


def rename(path: Path, new: Path, *, copies: bool) -> None:
    """As file managers do it, or as SillyTavern does."""
    if copies:
        shutil.copyfile(path, new)
        path.unlink()
    else:
        path.rename(new)
