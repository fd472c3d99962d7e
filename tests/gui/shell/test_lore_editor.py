"""The editor of a lorebook."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.library import worlds
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.lore.editor import LoreEditor
from tavern_desktop.ui.lore.form import words_of
from tavern_desktop.ui.lore.model import ON, ORDER, TITLE
from tests.gui.shell.window_parts import Opener

BOOK: dict[str, Any] = {
    "entries": {
        "0": {
            "uid": 0,
            "key": ["kettle", "/tea(pot)?s?/i"],
            "comment": "Kettle",
            "content": "It is haunted.",
            "order": 5,
        },
        "4": {"uid": 4, "key": ["cup"], "content": "It is chipped.", "order": 90, "disable": True, "x": [1]},
    }
}


@pytest.fixture
def book(library: DataRoot) -> Path:
    library.worlds.mkdir(exist_ok=True)
    path = library.worlds / "House.json"
    path.write_text(json.dumps(BOOK))
    return path


@pytest.fixture
def editor(opened: Opener, book: Path, qtbot: QtBot) -> LoreEditor:
    window = opened()
    editor = LoreEditor(window, window.services, "House")
    editor.open()
    qtbot.waitUntil(lambda: editor.rows.rowCount() == 2)
    return editor


@pytest.fixture
def said(book: Path) -> Callable[[int], dict[str, Any] | None]:
    """Return what an entry says on disk, None for one that is not there."""
    return lambda uid: json.loads(book.read_bytes())["entries"].get(str(uid))


def choose(editor: LoreEditor, uid: int) -> None:
    editor._choose(uid)
    assert editor._chosen == uid


def titles(editor: LoreEditor) -> list[str]:
    return [editor.rows.index(row, TITLE).data() for row in range(editor.rows.rowCount())]


def test_the_entries_are_listed_sorted_and_searched(editor: LoreEditor, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(editor.model)
    assert titles(editor) == ["Kettle", "cup"]
    editor.table.sortByColumn(ORDER, Qt.SortOrder.DescendingOrder)
    assert titles(editor) == ["cup", "Kettle"]
    editor.search.setText("HAUNT")
    assert titles(editor) == ["Kettle"]
    editor.search.clear()
    states = [editor.rows.index(row, ON).data(Qt.ItemDataRole.CheckStateRole) for row in range(2)]
    assert states == [Qt.CheckState.Unchecked, Qt.CheckState.Checked]


def test_what_is_typed_is_in_the_file_a_moment_later(
    editor: LoreEditor, qtbot: QtBot, said: Callable[[int], Any]
) -> None:
    choose(editor, 4)
    form = editor.form
    assert (form.keys.text(), form.content.toPlainText(), form.is_on.isChecked()) == ("cup", "It is chipped.", False)
    form.content.setFocus()
    qtbot.keyClicks(form.content, "Blue. ")
    form.keys.setText("cup, mug")
    form.keys.textEdited.emit("cup, mug")
    form.place.setCurrentIndex(4)
    form.place.activated.emit(4)
    assert form.chat_depth.isVisible()
    form.chat_depth.setValue(2)
    qtbot.waitUntil(lambda: editor.said.text().endswith("Saved"))
    entry = said(4)
    assert (entry["content"], entry["key"], entry["position"], entry["depth"]) == (
        "Blue. It is chipped.", ["cup", "mug"], 4, 2,
    )  # fmt: skip
    assert (entry["x"], entry["disable"]) == ([1], True)
    assert said(0) == BOOK["entries"]["0"]


def test_a_tick_turns_an_entry_on(editor: LoreEditor, qtbot: QtBot, said: Callable[[int], Any]) -> None:
    choose(editor, 4)
    index = editor.rows.mapFromSource(editor.model.index(1, ON))
    assert editor.rows.setData(index, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    assert editor.form.is_on.isChecked()
    qtbot.waitUntil(lambda: said(4)["disable"] is False)


def test_entries_are_added_duplicated_removed_and_brought_back(
    editor: LoreEditor, qtbot: QtBot, said: Callable[[int], Any]
) -> None:
    editor.add_button.click()
    qtbot.waitUntil(lambda: editor._chosen == 1)
    assert said(1)["probability"] == 100
    choose(editor, 4)
    editor.duplicate_button.click()
    qtbot.waitUntil(lambda: editor._chosen == 2)
    assert (said(2)["content"], said(2)["x"], said(2)["uid"]) == ("It is chipped.", [1], 2)
    choose(editor, 4)
    editor.remove_button.click()
    qtbot.waitUntil(editor.undo.isVisible)
    assert said(4) is None
    editor.undo.click()
    qtbot.waitUntil(lambda: editor._chosen == 4)
    assert said(4)["x"] == [1]


def test_what_another_program_writes_comes_in_but_not_over_what_is_typed(
    editor: LoreEditor, book: Path, qtbot: QtBot, said: Callable[[int], Any]
) -> None:
    editor.data.writer.timer.setInterval(10_000_000)
    choose(editor, 0)
    editor.form.content.setPlainText("mine")
    theirs = json.loads(json.dumps(BOOK))
    theirs["entries"]["0"] |= {"content": "theirs", "comment": "Their kettle"}
    book.write_text(json.dumps(theirs))
    editor.data._services.files_changed.emit(frozenset({str(book)}))
    qtbot.waitUntil(lambda: editor.form.title.text() == "Their kettle")
    assert editor.form.content.toPlainText() == "mine"
    editor.data.writer.flush()
    qtbot.waitUntil(lambda: said(0)["content"] == "mine")
    assert said(0)["comment"] == "Their kettle"


def test_what_cannot_be_written_is_said_and_tried_again(
    editor: LoreEditor, qtbot: QtBot, said: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> bool:
        raise StorageError("io", "space")

    choose(editor, 0)
    with monkeypatch.context() as patched:
        patched.setattr(worlds, "change_small_file", full)
        editor.form.content.setPlainText("kept")
        qtbot.waitUntil(lambda: editor.said.text().startswith("Not saved."))
    assert editor.form.content.toPlainText() == "kept"
    editor.form.order.setValue(7)
    qtbot.waitUntil(lambda: said(0)["order"] == 7)
    assert said(0)["content"] == "kept"


def test_a_damaged_book_says_so(editor: LoreEditor, book: Path, qtbot: QtBot) -> None:
    book.write_bytes(b"{half")
    editor.data.reload()
    qtbot.waitUntil(lambda: "House is not JSON" in editor.said.text())
    assert not editor.add_button.isEnabled()
    assert book.read_bytes() == b"{half"


def test_a_key_that_is_no_regular_expression_is_named(editor: LoreEditor) -> None:
    choose(editor, 0)
    assert not editor.form.wrong_key.isVisible()
    editor.form.keys.setText("cup, /tea(/i")
    assert "/tea(/i" in editor.form.wrong_key.text()
    assert editor.form.wrong_key.isVisible()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("a, b ,,c", ["a", "b", "c"]),
        ("/a{1,2}/, b", ["/a{1,2}/", "b"]),
        ("/open, b", ["/open", "b"]),
        (" ", []),
        ("/x, y/i", ["/x, y/i"]),
    ],
)
def test_commas_part_keys_but_not_regular_expressions(text: str, keys: list[str]) -> None:
    assert words_of(text) == keys


def test_two_thousand_entries_are_there_at_once(opened: Opener, book: Path, qtbot: QtBot) -> None:
    book.write_text(
        json.dumps({"entries": {str(n): {"uid": n, "key": [f"k{n}"], "content": "c " * 200} for n in range(2000)}})
    )
    window = opened()
    editor = LoreEditor(window, window.services, "House")
    editor.open()
    qtbot.waitUntil(lambda: editor.rows.rowCount() == 2000)
    editor._choose(1999)
    assert editor.form.keys.text() == "k1999"
