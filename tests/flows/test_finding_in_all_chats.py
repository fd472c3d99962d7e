"""Remember a word, not where it was: search all chats, go there, go on to the next, find what was changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QWidget

from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, SHIFT, Person


def put(path: Path, number: int, **fields: Any) -> None:
    """Change a message of a chat file as another program would."""
    lines = path.read_bytes().split(b"\n")
    record = json.loads(lines[number + 1]) | fields
    lines[number + 1] = json.dumps(record, ensure_ascii=False).encode()
    path.write_bytes(b"\n".join(lines))


def numbers(person: Person) -> list[int]:
    """The message numbers among the results."""
    model = person.find(QAbstractItemView, "searchResults").model()
    told = (model.index(row, 0).data(Qt.ItemDataRole.DisplayRole) for row in range(model.rowCount()))
    return [int(text[1:].split(" ")[0]) for text in told if text.startswith("#")]


def search(person: Person, text: str) -> None:
    """Press Ctrl+Shift+F, type and press Enter; wait until all has been read."""
    person.press(Qt.Key.Key_F, CTRL | SHIFT)
    field = person.find(QWidget, "searchField")
    person.wait(field.hasFocus)
    person.press(Qt.Key.Key_A, CTRL)
    person.type(text)
    person.press(Qt.Key.Key_Return)
    person.wait(lambda: not person.sees("searchCancel"))


def test_a_word_is_found_in_a_chat_that_was_never_opened(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(600)
    put(path, 12, mes="Then the Zeppelin came down.", swipes=["Then the Zeppelin came down."], swipe_id=0)
    put(path, 401, mes="No airship.", swipes=["A zeppelin!", "No airship."], swipe_id=1)
    person.start()
    person.wait(lambda: bool(person.window.menuBar().actions()))

    search(person, "zeppelin")
    assert numbers(person) == [12, 401]

    # A click opens the chat far from its end, at the very message, with the word marked.
    results = person.find(QAbstractItemView, "searchResults")
    person.click_row(results, results.model().index(1, 0))
    person.wait(lambda: person.window.desk.path == path and person.view.is_editable)
    person.wait(lambda: 12 in person.shown_numbers())
    assert 0 <= person.row_top(12) < person.view.viewport().height()
    person.wait(lambda: person.window.pane.find_bar.count.text() == "1 of 1")

    # The next place is one key away; its alternative is offered.
    person.press(Qt.Key.Key_Down)
    person.press(Qt.Key.Key_Return)
    assert 0 <= person.row_top(401) < person.view.viewport().height()
    assert person.sees("banner")

    # What is changed here is found as it is now.
    person.edit(12, "Then the balloon came down.")
    person.window.desk.session.save_now()  # type: ignore[union-attr]
    person.wait(lambda: b"the balloon" in path.read_bytes())
    search(person, "balloon")
    assert numbers(person) == [12]
    search(person, '"Zeppelin came"')
    assert numbers(person) == []
    person.quit()
