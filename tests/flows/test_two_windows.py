"""Two windows on one chat show each change at once and save it once (known failures B-16)."""

from __future__ import annotations

import json

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tavern_desktop.ui.main_window import MainWindow
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, SHIFT, Person


def test_each_change_shows_in_both(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(40)
    first = person.start()
    person.open_newest()
    person.press(Qt.Key.Key_N, CTRL | SHIFT)
    others = [window for window in _windows() if window is not first]
    assert len(others) == 1
    second = others[0]
    person.wait(lambda: second.desk.session is first.desk.session and second.pane.view.is_editable)

    # What is sent in the one stands in the other at once.
    count = first.pane.view.model().total()
    person.turn_to(first)
    first.pane.composer.text.setFocus()
    first.pane.composer.text.show_text("From the first window.")
    first.desk.writing.send()
    model = second.pane.view.model()
    assert model.total() == count + 1
    assert model.index(model.rowCount() - 1, 0).data(Qt.ItemDataRole.DisplayRole) == "From the first window."

    # The other edits an earlier message, and the first shows it.
    person.turn_to(second)
    person.edit(3, "From the second window.")
    person.turn_to(first)
    assert person.text_of(3) == "From the second window."

    # One goes, the other goes on; both changes are in the file.
    second.close()
    person.turn_to(first)
    person.quit()
    records = [json.loads(line) for line in path.read_bytes().split(b"\n")[1:]]
    assert records[3]["mes"] == "From the second window."
    assert records[-1]["mes"] == "From the first window."


def _windows() -> list[MainWindow]:
    return [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow) and widget.isVisible()
    ]
