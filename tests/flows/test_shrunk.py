"""Another program wrote a greeting over a long chat: nothing is lost before somebody has decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication

from tavern_desktop.ui.main_window import MainWindow
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.flows.test_written_meanwhile import banner, message, press, records, started, written_elsewhere
from tests.gui.shell.window_parts import Opener


@pytest.fixture
def chat(person: Person, make_chat: MakeChat) -> Path:
    """A long chat in view, over which another program has just saved a greeting."""
    path = make_chat(60)
    started(person)
    person.open_newest()
    written_elsewhere(path, b"\n".join([path.read_bytes().split(b"\n")[0], message("Hello.")]))
    person.wait(lambda: banner(person).startswith("This chat shrank from "))
    return path


def whole(person: Person) -> int:
    """How many messages the chat in view has."""
    return int(person.view.model().total())


def test_the_person_is_asked_and_still_sees_everything(person: Person, chat: Path) -> None:
    assert (
        banner(person)
        == f"This chat shrank from {whole(person)} to 1 messages outside this program. You still see yours."
    )
    assert [button.text() for button in person.window.pane.banner.buttons] == [
        "Keep Mine",
        "Open Both",
        "Take the File",
    ]
    person.quit()


def test_keep_mine_writes_it_again_and_keeps_a_copy_of_the_other(person: Person, chat: Path) -> None:
    count = whole(person)
    press(person, "Keep Mine")
    person.wait(lambda: len(records(chat)) == count)
    person.wait(lambda: banner(person) == "")
    backups = (person.window.services.root.user_folder / "backups").glob("chat_*.jsonl")
    assert any(len(records(backup)) == 1 for backup in backups)
    person.quit()


def test_take_the_file_takes_it(person: Person, chat: Path) -> None:
    count = whole(person)
    press(person, "Take the File")
    person.wait(lambda: whole(person) == 1)
    person.wait(lambda: banner(person) == "")
    assert len(records(chat)) == 1

    # What stood there before is not lost: the history has it, and brings it back.
    person.press(Qt.Key.Key_H, CTRL)
    history = person.find(QAbstractItemView, "historyList")
    person.wait(lambda: any(f"{count} messages" in row for row in rows_of(history)))
    person.quit()


def rows_of(view: QAbstractItemView) -> list[str]:
    model = view.model()
    return [str(model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(model.rowCount())]


def test_open_both_gives_each_a_window(person: Person, opener: Opener, chat: Path) -> None:
    count = whole(person)
    first = person.window
    press(person, "Open Both")
    person.wait(lambda: first.desk.session.title == "The long road (mine)")
    person.wait(lambda: len(windows(person)) == 2)
    second = next(window for window in windows(person) if window is not first)
    person.wait(lambda: second.desk.session is not None and second.desk.session.state == "ready")
    assert (second.desk.path, len(second.desk.session.chat), len(first.desk.session.chat)) == (chat, 1, count)
    assert len(records(chat)) == 1
    person.wait(lambda: len(records(chat.with_name("The long road (mine).jsonl"))) == count)
    person.wait(lambda: first.pane.banner.text == "")
    person.quit()


def windows(person: Person) -> list[MainWindow]:
    return [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
