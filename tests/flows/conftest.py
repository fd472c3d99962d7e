"""What the stories share: a data folder with long chats, and a person at the window."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot, recognise
from tavern_desktop.resources import resource_path
from tavern_desktop.ui.theme import themes
from tests.flows.person import Person
from tests.gui.shell.window_parts import Opener
from tests.make_library import Teller, chat_records, write_chat

MakeChat = Callable[[int], Path]


@pytest.fixture
def library(tmp_path: Path) -> DataRoot:
    """A data root of its own with the sample library in it."""
    folder = tmp_path / "data"
    shutil.copytree(resource_path("sample"), folder)
    root = recognise(folder)
    assert root is not None
    return root


@pytest.fixture
def make_chat(library: DataRoot) -> MakeChat:
    """Write a chat of about so many messages, the newest of the library, and return its file."""

    def make(messages: int) -> Path:
        character = next(library.characters.glob("*.png")).stem
        path = library.chats / character / "The long road.jsonl"
        start = datetime(2024, 1, 1, tzinfo=UTC)
        write_chat(path, chat_records(Teller(7), character, "Wanderer", messages, start, 0))
        return path

    return make


@pytest.fixture
def opener(qtbot: QtBot, library: DataRoot, qapp: QApplication) -> Iterator[Opener]:
    """Starts the program; in the end every window is closed."""
    themes().choose("light")
    opener = Opener(qtbot, library)
    yield opener
    opener.close()


@pytest.fixture
def person(qtbot: QtBot, opener: Opener) -> Person:
    """Somebody who uses the program as people do."""
    return Person(qtbot, opener)
