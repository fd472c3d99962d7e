"""A second Tavern Desktop on the same data folder: a real process, which hangs and then dies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.own_folders import own_folders
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.outside_watch import OutsideWatch
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.flows.test_written_meanwhile import banner, press, records

HANGING = """
import pathlib, sys, threading
from tavern_desktop.session import handover
owned = handover.take(pathlib.Path(sys.argv[1]))
print("owned" if owned else "not owned", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def hanging(library: DataRoot) -> Iterator[subprocess.Popen[bytes]]:
    """A process that owns the data folder and answers nobody."""
    folder = own_folders().for_root(library.path).data
    process = subprocess.Popen([sys.executable, "-c", HANGING, str(folder)], stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"owned\n"
        yield process
        process.kill()


def is_editable(person: Person) -> bool:
    session = person.window.desk.session
    return session is not None and session.state == "ready" and bool(session.can_change)


def test_while_it_hangs_chats_are_read_and_once_it_is_dead_they_are_written(
    person: Person, make_chat: MakeChat, hanging: subprocess.Popen[bytes]
) -> None:
    path: Path = make_chat(20)
    person.start(str(path))
    person.wait(lambda: banner(person).startswith("Another Tavern Desktop that does not answer"))
    session = person.window.desk.session
    person.wait(lambda: session.state == "ready")
    assert not is_editable(person)
    # It can be read and searched, and nothing is offered that would write.
    actions = person.window.part.actions
    assert actions[Act.FIND].isEnabled()
    refused = (Act.NEW_CHARACTER, Act.IMPORT_CHARACTER, Act.IMPORT_CHATS, Act.NEW_CHAT, Act.RENAME_CHAT, Act.EDIT)
    assert [act for act in refused if actions[act].isEnabled()] == []
    person.press(Qt.Key.Key_F, CTRL)
    person.type("a")
    person.wait(lambda: person.window.pane.find_bar.isVisible())
    person.press(Qt.Key.Key_Escape)

    # It still hangs: nothing changes by trying again.
    press(person, "Try Again")
    person.wait(lambda: banner(person).startswith("Another Tavern Desktop that does not answer"))
    assert not is_editable(person)

    # It is killed. What it leaves behind keeps nobody out.
    hanging.kill()
    hanging.wait()
    press(person, "Try Again")
    person.wait(lambda: is_editable(person))
    assert (person.window.desk.path, banner(person)) == (path, "")
    count = person.view.model().total()
    person.edit(count - 1, "Written at last.")
    person.wait(lambda: records(path)[-1]["mes"] == "Written at last.")
    person.quit()


def test_a_second_start_opens_its_file_in_the_window_that_is_there(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(20)
    person.start()
    person.wait(lambda: person.window.services.findChild(OutsideWatch) is not None)  # what comes last at a start
    root = str(person.window.services.root.path)
    second = subprocess.Popen([sys.executable, "-m", "tavern_desktop", "--data-root", root, str(path)])
    with second:
        person.wait(lambda: person.window.desk.path == path)
        person.wait(lambda: second.poll() is not None)
    assert second.returncode == 0
    person.quit()


def test_the_command_line_changes_the_chat_in_the_window(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(20)
    person.start(str(path))
    person.wait(lambda: is_editable(person))
    person.wait(lambda: person.window.services.findChild(OutsideWatch) is not None)
    count = person.view.model().total()
    words = ["chats", "append", str(path), "--role", "user", "--name", "Ana", "--text", "From the command line."]
    with subprocess.Popen([sys.executable, "-m", "tavern_desktop", *words], stdout=subprocess.DEVNULL) as command:
        person.wait(lambda: command.poll() is not None)
    assert command.returncode == 0
    assert person.text_of(count) == "From the command line."
    assert person.window.desk.session.undo_label == "Add message"
    person.quit()
