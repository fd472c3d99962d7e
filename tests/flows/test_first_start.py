"""First start: nothing is configured, and everything works at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.stages import Stage
from tests.flows.conftest import MakeChat
from tests.flows.person import Person


def test_a_newcomer_reads_the_sample_and_writes_into_it(person: Person, own_files_apart: Path) -> None:
    # The welcome page shows, and beside it the sample library can already be seen.
    person.start(own=True)
    person.wait(lambda: person.sees("welcomePage"))
    recents = person.find(QWidget, "recentList")
    person.wait(lambda: recents.model().rowCount() == 3)

    # One click, and a chat can be read.
    path = person.open_newest()
    assert path.is_relative_to(own_files_apart)
    before = path.read_bytes()
    assert person.shown_numbers()

    # What is typed and sent becomes the last message, and is in the file when the window closes.
    person.window.pane.composer.text.setFocus()
    person.type("Good evening!")
    person.press(Qt.Key.Key_Return)
    assert person.text_of(person.shown_numbers()[-1]) == "Good evening!"
    person.quit()
    after = path.read_bytes()
    assert after.split(b"\n")[1 : len(before.split(b"\n"))] == before.split(b"\n")[1:]
    assert b'"mes":"Good evening!"' in after.split(b"\n")[-1]


def test_the_choice_of_a_folder_is_remembered(person: Person, library: DataRoot) -> None:
    person.start(own=True)
    person.wait(lambda: person.sees("welcomePage"))
    person.window.acts.choose_root(library.path)
    person.wait(lambda: person.window.services.library.is_loaded)
    person.quit()
    person.start(own=True)
    person.wait(lambda: person.window.services.library.is_loaded)
    assert person.window.services.root.path == library.path
    assert not person.sees("welcomePage")


def test_a_folder_with_unsaved_chats_is_not_left(
    person: Person, library: DataRoot, make_chat: MakeChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind another data folder nobody would see them any more."""
    other = tmp_path / "other" / "default-user"
    (other / "chats").mkdir(parents=True)
    (other / "characters").mkdir()
    path = make_chat(30)
    person.start()
    person.open_file(path)

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr(Stage, "sync", full)
        person.edit(person.shown_numbers()[-1], "not to be lost")
        person.window.acts.choose_root(other.parent)
        assert person.window.services.root.path == library.path
        assert person.sees("banner")
    person.window.acts.choose_root(other.parent)
    assert person.window.services.root.path == other.parent
    assert b"not to be lost" in path.read_bytes()
