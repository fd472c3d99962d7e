"""Search in all chats: results as they come, groups and labels, going to a place, stopping, stale answers, failures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.directory import FileFailure
from tavern_desktop.storage.search import Hit, Query
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.library.pane import FOUND, RECENT
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.search import run
from tavern_desktop.ui.search.page import SearchPage
from tavern_desktop.ui.search.results import ROW_ROLE, ChatHead, ResultsModel
from tavern_desktop.ui.search.run import SearchRun
from tavern_desktop.ui.searching import Searching
from tests.gui.shell.window_parts import Opener

CHAT = 250
"""Messages of the chat below: more than are mounted at first."""


@pytest.fixture
def chat(library: DataRoot) -> Path:
    """A long chat with rare words in odd places."""
    character = sorted(card.stem for card in library.characters.glob("*.png"))[0]
    path = library.chats / character / "Odd places.jsonl"
    records: list[dict[str, Any]] = [{"chat_metadata": {"note_prompt": "A zeppelin waits."}}]
    for number in range(CHAT):
        records.append({"name": "Ada", "is_user": number % 2 == 1, "mes": f"message {number}"})
    records[4] |= {"mes": "The Zeppelin lands."}
    records[11] |= {"swipes": ["message 10", "no", "A zeppelin!"], "swipe_id": 0, "swipe_info": [{}, {}, {}]}
    records[21] |= {"extra": {"reasoning": "They want a zeppelin."}}
    records[31] |= {"mes": "zeppelin, hidden", "is_system": True}
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")
    return path


@pytest.fixture
def window(opened: Opener, chat: Path) -> MainWindow:
    made = opened()
    made.complete()
    return made


@pytest.fixture
def searching(window: MainWindow) -> Searching:
    return window.part.searching


Find = Callable[[str], list[Any]]


@pytest.fixture
def find(window: MainWindow, searching: Searching, qtbot: QtBot) -> Find:
    """Type into the field, press Enter, and wait for the end."""

    def find(text: str) -> list[Any]:
        window.library.search.setText(text)
        qtbot.keyClick(window.library.search, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: not searching.run.is_running)
        return [searching.page.model.row(number) for number in range(searching.page.model.rowCount())]

    return find


def go(searching: Searching, qtbot: QtBot, row: int) -> None:
    """Click a row of the results and wait until its chat is there."""
    view = searching.page.view
    index = searching.page.model.index(row)
    view.scrollTo(index)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(index).center())
    qtbot.waitUntil(lambda: searching._wanted is None)


def test_results_are_grouped_and_labelled(find: Find, searching: Searching, window: MainWindow, chat: Path) -> None:
    head, *hits = find("zeppelin")
    assert isinstance(head, ChatHead)
    assert (head.path, head.title, head.told_count) == (str(chat), "Odd places", "5")
    assert [(hit.index, hit.field) for hit in hits] == [
        (None, "note"), (3, "text"), (10, "swipe"), (20, "reasoning"), (30, "text"),
    ]  # fmt: skip
    model = searching.page.model
    spoken = [model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert spoken[0].endswith("Odd places, 5 places")
    assert spoken[1:] == [
        "author's note: A zeppelin waits.",
        "#3 · Ada: The Zeppelin lands.",
        "#10 · Ada · alternative 3 of 3: A zeppelin!",
        "#20 · Ada · reasoning: They want a zeppelin.",
        "#30 · Ada · hidden: zeppelin, hidden",
    ]
    assert searching.page.summary.text() == "5 places in 1 chat"
    assert window.library._pages.currentIndex() == FOUND
    assert not window.grab().isNull()


def test_a_click_goes_to_a_message_that_is_not_mounted(
    find: Find, searching: Searching, window: MainWindow, chat: Path, qtbot: QtBot
) -> None:
    find("zeppelin")
    go(searching, qtbot, 2)
    view = window.pane.view
    assert window.desk.path == chat
    assert window.desk.session is not None
    assert window.desk.session.chat is not None
    assert window.desk.session.chat.find(view.current_key or 0) == 3
    row = view.row_of(view.current_key or 0)
    assert row is not None
    assert view.marks.hits_in(view.row_view(row)) == ((4, 12),)
    assert view.viewport().rect().intersects(view.row_rect(row))
    qtbot.waitUntil(lambda: window.pane.find_bar.count.text() == "1 of 2")
    # The next place is one key away, in the same chat.
    assert searching.page.view.hasFocus()
    qtbot.keyClick(searching.page.view, Qt.Key.Key_Down)
    qtbot.keyClick(searching.page.view, Qt.Key.Key_Return)
    assert window.desk.session.chat.find(view.current_key or 0) == 10
    assert not window.pane.find_bar.isVisible()


def test_an_alternative_is_told_and_can_be_shown(
    find: Find, searching: Searching, window: MainWindow, qtbot: QtBot
) -> None:
    find("zeppelin")
    go(searching, qtbot, 3)
    banner = window.pane.banner
    assert banner._text.text() == "“zeppelin” stands in alternative 3 of 3 of this message."
    banner._shown_buttons[0].click()
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    assert session.chat.messages[10].data()["mes"] == "A zeppelin!"
    qtbot.waitUntil(lambda: window.pane.find_bar.count.text() == "2 of 3")
    assert not banner.isVisible()


def test_reasoning_is_unfolded(find: Find, searching: Searching, window: MainWindow, qtbot: QtBot) -> None:
    find("zeppelin")
    go(searching, qtbot, 4)
    view = window.pane.view
    assert (view.current_key, "reasoning") in view.rows.unfolded.folds
    go(searching, qtbot, 4)
    assert (view.current_key, "reasoning") in view.rows.unfolded.folds


def test_the_head_and_the_note_open_the_chat(
    find: Find, searching: Searching, window: MainWindow, chat: Path, qtbot: QtBot
) -> None:
    find("zeppelin")
    go(searching, qtbot, 0)
    assert window.desk.path == chat
    qtbot.waitUntil(lambda: window.pane.view.is_editable)
    go(searching, qtbot, 1)
    assert window.pane.view.at_end


def test_nothing_found_and_more_searches(find: Find, searching: Searching, window: MainWindow) -> None:
    assert find("nowhere") == []
    assert searching.page.summary.text() == "Nothing found for “nowhere”."
    assert find('"zeppelin lands"') != []
    searching.page.match_case.click()
    assert searching.run.is_running


def test_case_can_matter(find: Find, searching: Searching, qtbot: QtBot) -> None:
    find("Zeppelin")
    searching.page.match_case.click()
    qtbot.waitUntil(lambda: not searching.run.is_running)
    assert searching.page.summary.text() == "1 place in 1 chat"


def test_typing_goes_back_to_the_names(find: Find, window: MainWindow, qtbot: QtBot) -> None:
    find("zeppelin")
    qtbot.keyClicks(window.library.search, "x")
    assert window.library._pages.currentIndex() == RECENT
    window.library._tabs.button(FOUND).click()
    assert window.library._pages.currentIndex() == FOUND
    assert window.services.root_state.library_tab == RECENT


def test_down_goes_from_the_field_to_the_results(
    find: Find, searching: Searching, window: MainWindow, qtbot: QtBot
) -> None:
    find("zeppelin")
    qtbot.keyClick(window.library.search, Qt.Key.Key_Down)
    assert searching.page.view.hasFocus()
    assert searching.page.view.currentIndex().row() == 0


def test_the_action_searches_for_what_is_selected(
    find: Find, searching: Searching, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.show_library(False)
    window.acts.run(Act.FIND_ALL)
    assert window.is_library_shown
    assert window.library.search.hasFocus()
    assert window.library._pages.currentIndex() == RECENT
    find("zeppelin")
    window.library.show_tab(RECENT)
    window.acts.run(Act.FIND_ALL)
    assert window.library._pages.currentIndex() == FOUND
    monkeypatch.setattr(window.pane.view, "selected_text", lambda: "two words")
    window.acts.run(Act.FIND_ALL)
    assert window.library.search.text() == '"two words"'
    assert searching.run.is_running


def test_files_that_cannot_be_read_are_told_and_open_what_can_be_read(
    find: Find, searching: Searching, window: MainWindow, chat: Path, qtbot: QtBot
) -> None:
    broken = chat.with_name("Broken.jsonl")
    lines = [b"no header", *[b'{"mes":"words"}'] * 5, b'{"mes":"a dirigible"}']
    broken.write_bytes(b"\n".join(lines))
    head, hit, failure = find("dirigible")
    assert (head.path, hit.index, failure.file) == (str(broken), 5, str(broken))
    assert isinstance(failure, FileFailure)
    assert searching.page.summary.text() == "1 place in 1 chat; 1 file could not be read."
    assert not window.grab().isNull()
    go(searching, qtbot, 1)
    assert window.pane.page == "failed"
    assert "a dirigible" in window.pane.failed.reading.toPlainText()
    go(searching, qtbot, 2)
    assert window.desk.path == broken


def test_another_data_folder_forgets_what_was_found(
    find: Find, searching: Searching, window: MainWindow, tmp_path: Path
) -> None:
    find("zeppelin")
    other = DataRoot(tmp_path / "other")
    other.characters.mkdir(parents=True)
    window.services.change_root(other)
    assert searching.page.model.rowCount() == 0
    assert not window.library.has_found
    assert window.library._pages.currentIndex() == RECENT


# -- parts ----------------------------------------------------------------------------------------------


def hit(file: str, index: int) -> Hit:
    return Hit(file, index, "text", 1, 1, False, "Ada", f"🦊 word {index} " + "long " * 60, ((3, 7),), "word")


def test_batches_go_on_where_the_last_one_ended() -> None:
    model = ResultsModel()
    model.add([hit("/a.jsonl", 0), hit("/a.jsonl", 1)], lambda path: None, 3)
    model.add([], lambda path: None, 3)
    model.add([hit("/a.jsonl", 2), hit("/b.jsonl", 0)], lambda path: None, 3)
    rows = [model.index(row).data(ROW_ROLE) for row in range(model.rowCount())]
    heads = [(row.name, row.told_count) for row in rows if isinstance(row, ChatHead)]
    assert heads == [("a", "3+"), ("b", "1")]
    assert (model.hits, model.chats) == (4, 2)
    assert model.index(1).data(Qt.ItemDataRole.UserRole) == "/a.jsonl"


def test_a_search_tells_the_first_places_at_once_and_can_be_stopped(
    library: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "PAUSE", 0)
    runner = PlainRunner()
    search = SearchRun(runner)
    batches: list[list[Any]] = []
    ends: list[tuple[bool, str]] = []
    search.found.connect(batches.append)
    search.found.connect(lambda batch: search.stop())
    search.ended.connect(lambda *told: ends.append(told))
    search.start(library, Query("zeppelin"))
    runner.run_until_idle()
    assert [len(batch) for batch in batches] == [1]
    assert ends == []
    assert not search.is_running


def test_a_search_that_is_replaced_tells_nothing(library: DataRoot, chat: Path) -> None:
    runner = PlainRunner()
    search = SearchRun(runner)
    told: list[Any] = []
    search.found.connect(told.extend)
    search.start(library, Query("zeppelin"))
    search.start(library, Query("lands"))
    runner.run_until_idle()
    assert [item.index for item in told if item.file == str(chat)] == [3]


def test_a_search_ends_when_there_is_too_much(
    library: DataRoot, chat: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(run, "MOST", 4)
    runner = PlainRunner()
    page, search = SearchPage(Avatars(runner)), SearchRun(runner)
    qtbot.addWidget(page)
    search.found.connect(lambda found: page.add(found, lambda path: None))
    search.ended.connect(lambda more, problem: page.end(more=more, problem=problem))
    page.begin("message")
    search.start(library, Query("message"))
    runner.run_until_idle()
    assert page.summary.text() == "The first 4 places in 1 chat. More words find less."


def test_a_folder_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    root = DataRoot(tmp_path / "data")
    root.user_folder.mkdir(parents=True)
    root.chats.write_text("a file where a folder should be")
    runner = PlainRunner()
    search = SearchRun(runner)
    ends: list[tuple[bool, str]] = []
    search.ended.connect(lambda *told: ends.append(told))
    search.start(root, Query("x"))
    runner.run_until_idle()
    ((more, problem),) = ends
    assert not more
    assert problem.startswith("Could not read the folder")


def test_cancel_keeps_what_was_found(searching: Searching, window: MainWindow) -> None:
    searching.start("zeppelin")
    searching.page.cancel.click()
    assert not searching.run.is_running
    assert searching.page.summary.text().startswith("Stopped: 0 places")
    assert window.findChild(QListView, "searchResults") is searching.page.view
