"""The library pane: what rows say, filtering while typing, empty lists, and lists that refresh without a jump."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.recents import ChatRow
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.storage.index import Index
from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.library.data import LibraryData
from tavern_desktop.ui.library.entries import chat_entries, useful_title, words_of
from tavern_desktop.ui.library.pane import CHARACTERS, GROUPS, RECENT, LibraryPane


def write_chat(root: DataRoot, character: str, title: str, last: str, *, mtime: int) -> Path:
    folder = root.chats / character
    folder.mkdir(parents=True, exist_ok=True)
    (root.characters).mkdir(parents=True, exist_ok=True)
    (root.characters / f"{character}.png").touch()
    path = folder / f"{title}.jsonl"
    lines = [{"chat_metadata": {}}, {"name": character, "is_user": False, "send_date": mtime * 1000, "mes": last}]
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    os.utime(path, (mtime, mtime))
    return path


@pytest.fixture
def root(tmp_path: Path) -> DataRoot:
    made = DataRoot(tmp_path / "data")
    write_chat(made, "Aria Vale", "The harbour", '*She looks up.* "You came."', mtime=1_700_000_300)
    write_chat(made, "小月", "小月 - 2024-01-01@01h01m01s", "月光落在湖面上。", mtime=1_700_000_200)
    write_chat(made, "Captain Ilse", "Captain Ilse - 2024-01-01@01h01m01s", "Wait.", mtime=1_700_000_100)
    return made


@pytest.fixture
def runner() -> PlainRunner:
    return PlainRunner()


@pytest.fixture
def data(root: DataRoot, runner: PlainRunner, tmp_path: Path) -> LibraryData:
    made = LibraryData(runner, root, lambda: Index(tmp_path / "cache", root.path))
    made.refresh()
    runner.run_until_idle()
    return made


@pytest.fixture
def pane(qtbot: QtBot, runner: PlainRunner, data: LibraryData) -> LibraryPane:
    made = LibraryPane(Avatars(runner))
    qtbot.addWidget(made)
    made.resize(280, 600)
    made.show_data(data)
    made.show()
    return made


def _names(pane: LibraryPane) -> list[str]:
    shown = pane.recent.filter
    return [shown.index(row, 0).data() for row in range(shown.rowCount())]


def _row(**changes: object) -> ChatRow:
    fields = {
        "file": "/x.jsonl", "kind": "character", "character": "A", "group": "", "name": "A", "title": "A", "avatar": "",
        "messages": 1, "size": 1, "mtime_ns": 1, "date_ms": 1, "preview": "", "preview_state": "text",
    }  # fmt: skip
    return ChatRow(**(fields | changes))  # type: ignore[arg-type]


def test_chats_come_newest_first_with_their_paths(pane: LibraryPane, root: DataRoot) -> None:
    assert _names(pane) == ["Aria Vale", "小月", "Captain Ilse"]
    first = pane.recent.filter.index(0, 0)
    assert first.data(Qt.ItemDataRole.UserRole) == str(root.chats / "Aria Vale" / "The harbour.jsonl")


def test_typing_filters_names_and_titles(pane: LibraryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.search, "HARB")
    assert _names(pane) == ["Aria Vale"]
    pane.search.setText("月")
    assert _names(pane) == ["小月"]
    pane.search.setText("nobody")
    assert _names(pane) == []
    assert pane.recent.empty.isVisible()
    assert "No name holds" in pane.recent.empty.text()
    pane.search.clear()
    assert len(_names(pane)) == 3


def test_enter_in_the_field_asks_for_a_search_of_all_texts(pane: LibraryPane, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(pane.search_requested):
        qtbot.keyClick(pane.search, Qt.Key.Key_Return)
    qtbot.keyClicks(pane.search, "ilse")
    with qtbot.waitSignal(pane.search_requested) as said:
        qtbot.keyClick(pane.search, Qt.Key.Key_Return)
    assert said.args == ["ilse"]


def test_down_goes_from_the_field_to_the_first_row_that_fits(pane: LibraryPane, qtbot: QtBot) -> None:
    qtbot.keyClicks(pane.search, "ilse")
    qtbot.keyClick(pane.search, Qt.Key.Key_Down)
    with qtbot.waitSignal(pane.chat_requested) as said:
        qtbot.keyClick(pane.recent.view, Qt.Key.Key_Return)
    assert Path(said.args[0]).parent.name == "Captain Ilse"


def test_enter_on_a_row_opens_it_and_arrows_alone_do_not(pane: LibraryPane, qtbot: QtBot) -> None:
    view = pane.recent.view
    view.setCurrentIndex(pane.recent.filter.index(0, 0))
    with qtbot.assertNotEmitted(pane.chat_requested):
        qtbot.keyClick(view, Qt.Key.Key_Down)
    with qtbot.waitSignal(pane.chat_requested) as said:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert Path(said.args[0]).parent.name == "小月"


@pytest.mark.parametrize("key", [Qt.Key.Key_Backspace, Qt.Key.Key_Delete, Qt.Key.Key_Space])
def test_no_single_key_destroys_or_opens_anything(pane: LibraryPane, qtbot: QtBot, key: Qt.Key) -> None:
    pane.recent.view.setCurrentIndex(pane.recent.filter.index(0, 0))
    with qtbot.assertNotEmitted(pane.chat_requested):
        qtbot.keyClick(pane.recent.view, key)
    assert len(_names(pane)) == 3


def test_characters_show_their_chats_and_groups_say_that_there_are_none(pane: LibraryPane) -> None:
    pane.show_tab(CHARACTERS)
    assert pane.characters.filter.rowCount() == 3
    pane.show_tab(GROUPS)
    assert pane.groups.empty.isVisible()
    assert pane.groups.empty.text() == "No groups in this folder yet."
    pane.show_tab(RECENT)
    assert pane.recent.view.isVisible()


def test_a_character_without_chats_asks_for_a_new_one(pane: LibraryPane, data: LibraryData, runner: PlainRunner,
                                                      root: DataRoot, qtbot: QtBot) -> None:  # fmt: skip
    (root.characters / "New One.png").touch()
    data.refresh()
    runner.run_until_idle()
    pane.show_tab(CHARACTERS)
    shown = pane.characters.filter
    row = next(row for row in range(shown.rowCount()) if shown.index(row, 0).data() == "New One")
    with qtbot.waitSignal(pane.new_chat_requested) as said:
        pane.characters.view.clicked.emit(shown.index(row, 0))
    assert said.args == ["New One"]


def test_a_refresh_keeps_the_row_the_person_is_on(pane: LibraryPane, data: LibraryData, runner: PlainRunner,
                                                  root: DataRoot) -> None:  # fmt: skip
    path = str(root.chats / "Aria Vale" / "The harbour.jsonl")
    pane.mark_chat(path)
    write_chat(root, "小月", "小月 - 2024-01-01@01h01m01s", "新的。", mtime=1_700_000_900)
    data.refresh_chat(root.chats / "小月" / "小月 - 2024-01-01@01h01m01s.jsonl")
    runner.run_until_idle()
    assert _names(pane) == ["小月", "Aria Vale", "Captain Ilse"]
    assert pane.recent.view.currentIndex().data(Qt.ItemDataRole.UserRole) == path


def test_a_chat_that_is_gone_leaves_the_list(pane: LibraryPane, data: LibraryData, runner: PlainRunner, root: DataRoot
                                             ) -> None:  # fmt: skip
    path = root.chats / "Aria Vale" / "The harbour.jsonl"
    path.unlink()
    data.refresh_chat(path)
    runner.run_until_idle()
    assert _names(pane) == ["小月", "Captain Ilse"]


def test_neighbours_go_round(pane: LibraryPane, root: DataRoot) -> None:
    pane.mark_chat(str(root.chats / "Aria Vale" / "The harbour.jsonl"))
    assert Path(pane.neighbour(1)).parent.name == "小月"
    assert Path(pane.neighbour(-1)).parent.name == "Captain Ilse"


def test_a_folder_that_cannot_be_read_says_so(qtbot: QtBot, runner: PlainRunner, tmp_path: Path) -> None:
    root = DataRoot(tmp_path / "data")
    root.user_folder.mkdir(parents=True)
    root.chats.write_text("a file where a folder should be")
    data = LibraryData(runner, root, lambda: Index(tmp_path / "cache", root.path))
    data.refresh()
    runner.run_until_idle()
    assert data.problem.startswith("Could not read the folder")


def test_two_refreshes_at_once_end_in_one_more(data: LibraryData, runner: PlainRunner, root: DataRoot) -> None:
    data.refresh()
    write_chat(root, "Mira", "x", "late", mtime=1_700_001_000)
    data.refresh()
    runner.run_until_idle()
    assert data.chats[0].name == "Mira"


def test_rows_say_what_they_are_to_who_hears_them(pane: LibraryPane) -> None:
    spoken = pane.recent.filter.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Aria Vale, The harbour, ")
    assert spoken.endswith('She looks up. "You came."')


def test_last_words_are_one_line_without_markup() -> None:
    assert words_of(_row(preview='*She looks* up.\n\n"You **came**."')) == 'She looks up. "You came."'
    assert words_of(_row(preview="", preview_state="empty")) == "No messages yet"
    assert words_of(_row(preview="", preview_state="unavailable")) == "Preview unavailable"


def test_marks_are_told() -> None:
    (entry,) = chat_entries([_row(marks=("damaged", "conflict"), conflicts=("/copy",))])
    assert entry.damaged
    assert entry.told_versions == "2 versions"


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("The harbour", "The harbour"),
        ("Aria - 2024-01-01@01h01m01s", ""),
        ("Aria - 2023-5-14 @06h 19m 00s 0ms", ""),
        ("2024-01-01@01h01m01s", ""),
        ("Aria", ""),
        ("Aria - the end", "Aria - the end"),
    ],
)
def test_titles_that_only_tell_a_date_are_left_out(title: str, told: str) -> None:
    assert useful_title("Aria", title) == told


def test_painting_takes_every_kind_of_row(pane: LibraryPane) -> None:
    rows = [
        _row(file="/1", name="Professor 🦊 Tod", marks=("damaged",), title="t"),
        _row(file="/2", name="", marks=("conflict",), title="", conflicts=("/copy",)),
        _row(file="/3", name="ا" * 200, title="long " * 50),
        _row(file="/4", name="小月", title=""),
    ]
    pane.recent.show_entries(chat_entries(rows), "", ready=True)
    for width in (120, 280, 600):
        pane.resize(width, 400)
        assert not pane.grab().isNull()
