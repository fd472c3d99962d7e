"""The program is killed before it saved: at the next opening the changes are back, and a banner tells of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from PySide6.QtCore import Qt

from tavern_desktop.library.data_root import DataRoot
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person


def killed_program(root: Path, chat: Path) -> None:
    """A program that adds a message and edits the first one, and is killed before it saves."""
    command = [sys.executable, "-m", "tests.faults.dying", str(root), str(chat)]
    here = Path(__file__).parents[2]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=here) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        child.kill()


def texts(path: Path) -> list[str]:
    return [json.loads(line)["mes"] for line in path.read_bytes().split(b"\n")[1:]]


def banner(person: Person) -> str:
    return str(person.window.pane.banner.text)


def press(person: Person, text: str) -> None:
    next(button for button in person.window.pane.banner.buttons if button.text() == text).click()


def test_what_was_not_saved_is_back(person: Person, make_chat: MakeChat, library: DataRoot) -> None:
    path = make_chat(60)
    before = texts(path)
    killed_program(library.path, path)
    assert texts(path) == before
    person.start()
    person.open_file(path)
    person.wait(lambda: banner(person).startswith("Changes of "))
    assert banner(person).endswith("that were not saved are back.")
    assert person.text_of(len(before)) == "written before the end"
    person.wait(lambda: texts(path) == ["changed before the end", *before[1:], "written before the end"])

    # Show leads to the first of them, and what was brought back can be taken back as one.
    press(person, "Show")
    assert person.view.current_key == person.window.desk.session.chat.messages[0].key
    person.press(Qt.Key.Key_Z, CTRL)
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: texts(path) == before)
    person.quit()
