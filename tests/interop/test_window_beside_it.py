"""The window, with its watch over the folder, beside a SillyTavern that writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.outside_watch import OutsideWatch
from tavern_desktop.ui.theme import themes
from tests.flows.person import CTRL, Person
from tests.gui.shell.window_parts import Opener
from tests.interop.chats import records
from tests.interop.page import Page, said
from tests.interop.sillytavern import Server


@pytest.fixture
def path(server: Server) -> Path:
    avatar = server.create_character("Beside")
    path = server.user_folder / "chats" / avatar.removesuffix(".png") / "the window.jsonl"
    header = {"chat_metadata": {"integrity": "b9f8"}}
    server.ask("/api/chats/save", {"avatar_url": avatar, "file_name": path.stem, "chat": [header]})
    page = Page(server, path)
    for number in range(4):
        page.answer(f"answer {number}")
        page.say(f"question {number}")
    return path


@pytest.fixture
def person(qtbot: QtBot, qapp: QApplication, server: Server, path: Path) -> Iterator[Person]:
    """Somebody who has the chat open, in a window that watches the folder."""
    themes().choose("light")
    opener = Opener(qtbot, DataRoot(server.user_folder.parent))
    person = Person(qtbot, opener)
    person.start(str(path))
    person.wait(lambda: is_watching(person) and person.window.desk.session is not None)
    person.wait(lambda: person.window.desk.session.state == "ready")
    yield person
    opener.close()


def is_watching(person: Person) -> bool:
    watch = person.window.services.findChild(OutsideWatch)
    return watch is not None and watch.watcher.is_observing


def banner(person: Person) -> str:
    return str(person.window.pane.banner.text)


def test_the_chat_and_the_lists_follow(
    person: Person, server: Server, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tavern_desktop.session.outside.GONE_SECONDS", 0.0)
    page = Page(server, path)
    count = person.view.model().total()
    page.answer("from there")
    person.wait(lambda: banner(person) == "Changed on disk: 1 message.")
    assert person.text_of(count) == "from there"
    library = person.window.services.library
    person.wait(lambda: library.row(path).preview == "from there")

    # A chat that SillyTavern makes, renames and deletes comes, changes its name and goes.
    whose = {"avatar_url": f"{path.parent.name}.png"}
    new, renamed = path.with_name("new.jsonl"), path.with_name("renamed.jsonl")
    server.ask("/api/chats/save", {**whose, "file_name": "new", "chat": [{"chat_metadata": {"integrity": "c"}}]})
    person.wait(lambda: library.row(new) is not None)
    server.ask("/api/chats/rename", {**whose, "original_file": new.name, "renamed_file": renamed.name})
    person.wait(lambda: library.row(renamed) is not None and library.row(new) is None)
    server.ask("/api/chats/delete", {**whose, "chatfile": renamed.name})
    person.wait(lambda: library.row(renamed) is None)

    # So does a character.
    avatar = server.create_character("Newcomer")
    person.wait(lambda: library.character(avatar.removesuffix(".png")) is not None)

    # The chat in view goes on under the name that it is given there.
    server.ask("/api/chats/rename", {**whose, "original_file": path.name, "renamed_file": "elsewhere.jsonl"})
    person.wait(lambda: banner(person) == "Another program renamed this chat to “elsewhere”.")
    assert (person.window.desk.path, person.text_of(count)) == (path.with_name("elsewhere.jsonl"), "from there")


def test_what_it_saves_over_us_comes_back_and_is_told(person: Person, server: Server, path: Path) -> None:
    page = Page(server, path)  # it has the chat open too
    count = person.view.model().total()
    person.edit(count - 1, "edited here")
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: "edited here" in said(records(path)))
    page.say("said from its old copy")
    person.wait(lambda: said(records(path)) >= {"edited here", "said from its old copy"})
    person.wait(lambda: "restored" in banner(person))
    page.reload()
    assert page.texts()[-2:] == ["edited here", "said from its old copy"]
    assert [person.text_of(number) for number in (count - 1, count)] == page.texts()[-2:]
