"""A folder that a synchroniser keeps on two computers: the same chat was written on both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QWidget

from tavern_desktop.storage import file_moves
from tests.flows.conftest import MakeChat
from tests.flows.person import CTRL, Person
from tests.flows.test_written_meanwhile import appended, banner, press, records, started

EDITED = " This was added on the train."
ELSEWHERE = "sync-conflict-20260109-183000-ABCDEFG"


@pytest.fixture(autouse=True)
def binned(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The bin of the test: what went in."""
    binned: list[Path] = []

    def take(path: Path) -> bool:
        binned.append(path)
        path.unlink()
        return True

    monkeypatch.setattr(file_moves, "to_system_bin", take)
    return binned


@pytest.fixture
def path(make_chat: MakeChat) -> Path:
    """A chat that goes on differently here and in a conflict copy."""
    path = make_chat(40)
    whole = path.read_bytes()
    edited = appended(path, "Written on the train.", "And at home.").split(b"\n")
    changed = json.loads(edited[8])
    edited[8] = json.dumps(changed | {"mes": changed["mes"] + EDITED}).encode()
    copy_of(path).write_bytes(b"\n".join(edited))
    path.write_bytes(b"\n".join([whole, message("Written here.")]))
    return path


def message(text: str) -> bytes:
    return json.dumps({"name": "Wanderer", "is_user": True, "mes": text, "send_date": "2026-01-09T18:31:00Z"}).encode()


def copy_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}.{ELSEWHERE}.jsonl")


def texts(path: Path) -> list[str]:
    return [record["mes"] for record in records(path)]


def buttons(person: Person) -> list[str]:
    return [button.text() for button in person.window.pane.banner.buttons]


def spoken_rows(person: Person) -> list[str]:
    model = person.find(QAbstractItemView, "recentList").model()
    return [model.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]


def test_both_versions_become_one_and_undo_brings_both_back(person: Person, path: Path, binned: list[Path]) -> None:
    started(person)
    # One row, which says that there are two versions; the copy has none of its own.
    assert [row for row in spoken_rows(person) if "The long road" in row] == [
        row for row in spoken_rows(person) if "2 versions" in row
    ]
    before = path.read_bytes(), copy_of(path).read_bytes()
    person.open_newest()
    person.wait(lambda: "conflict copy of this chat from 9 January" in banner(person))
    assert buttons(person)[0] == "Merge"

    press(person, "Merge")
    told = "Merged: 2 messages came from the conflict copy, which is now in the bin. "
    person.wait(lambda: banner(person) == told + "1 message differs in both; yours stands.")
    assert texts(path)[-3:] == ["Written on the train.", "And at home.", "Written here."]
    assert binned == [copy_of(path)]
    person.wait(lambda: not any("versions" in row for row in spoken_rows(person)))

    press(person, "Undo")
    person.press(Qt.Key.Key_S, CTRL)
    person.wait(lambda: path.read_bytes() == before[0] and copy_of(path).exists())
    assert copy_of(path).read_bytes() == before[1]
    person.wait(lambda: any("2 versions" in row for row in spoken_rows(person)))
    person.quit()


def test_both_side_by_side_and_single_messages_of_the_copy_taken(person: Person, path: Path) -> None:
    started(person)
    person.open_newest()
    before = texts(path)
    person.window.services.change_setting("text_size", 150)
    person.wait(lambda: "Compare…" in buttons(person))
    press(person, "Compare…")
    window = person.find(QWidget, "compareWindow")
    person.wait(lambda: window.model.comparison is not None)
    assert window.view.text_scale == 150  # as large as in the chat
    spoken = [
        window.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(window.model.rowCount())
    ]
    for told in ("Written on the train.", "And at home.", "Written here."):
        assert any(told in row for row in spoken)
    for told in ("Written on the train.", EDITED):
        row = next(number for number, row in enumerate(spoken) if told in row)
        window.model.setData(window.model.index(row), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    window.take.click()
    person.wait(lambda: "Written on the train." in texts(path))
    assert sorted(texts(path)) == sorted([*before[:7], before[7] + EDITED, *before[8:], "Written on the train."])
    assert copy_of(path).exists()
    person.quit()


def test_a_copy_that_cannot_be_read_says_so(person: Person, path: Path) -> None:
    copy_of(path).write_bytes(b"garbage")
    started(person)
    person.open_newest()
    person.wait(lambda: "Compare…" in buttons(person))
    press(person, "Compare…")
    window = person.find(QWidget, "compareWindow")
    person.wait(lambda: "damaged" in window.message.text())
    window.merge.click()
    person.wait(lambda: banner(person).startswith("Not merged: "))
    assert copy_of(path).read_bytes() == b"garbage"
    person.quit()


def test_the_copy_can_be_a_chat_of_its_own(person: Person, path: Path) -> None:
    started(person)
    person.open_newest()
    before = texts(path), texts(copy_of(path))
    person.wait(lambda: "Keep Both" in buttons(person))
    press(person, "Keep Both")
    person.wait(lambda: banner(person).startswith("The copy is now a chat of its own"))
    kept = path.with_name("The long road (version of 2026-01-09).jsonl")
    assert (texts(path), texts(kept)) == before
    person.wait(lambda: person.window.services.library.row(kept) is not None)
    press(person, "Show")
    person.wait(lambda: person.window.desk.path == kept)
    person.quit()


def test_the_copy_can_go_and_come_back(person: Person, path: Path, binned: list[Path]) -> None:
    started(person)
    person.open_newest()
    person.wait(lambda: "Delete Copy" in buttons(person))
    press(person, "Delete Copy")
    person.wait(lambda: banner(person) == "The conflict copy is now in the bin.")
    assert binned == [copy_of(path)]
    press(person, "Undo")
    person.wait(lambda: copy_of(path).exists())
    person.quit()


def test_a_copy_that_arrives_while_one_reads_is_told_of(person: Person, make_chat: MakeChat) -> None:
    path = make_chat(20)
    started(person)
    person.open_newest()
    copy_of(path).write_bytes(appended(path, "Written on the train."))
    person.wait(lambda: "conflict copy" in banner(person))
    copy_of(path).unlink()
    person.wait(lambda: banner(person) == "")
    person.quit()


def test_a_chat_that_is_not_in_view_is_merged_from_the_list(person: Person, path: Path) -> None:
    started(person)
    other = next(row.path for row in person.window.services.library.chats if row.path != path)
    person.window.acts.open_chat(str(other))
    person.wait(lambda: person.window.desk.path == other)
    person.window.part.copies.show(path)
    person.find(QWidget, "conflictDialog").merge_button.click()
    person.wait(lambda: banner(person).startswith("Merged: 2 messages"))
    assert (buttons(person), person.window.desk.path) == (["Open the Chat"], other)
    press(person, "Open the Chat")
    person.wait(lambda: person.window.desk.path == path)
    assert "Written on the train." in texts(path)
    person.quit()


def test_a_copy_that_is_opened_by_itself_says_of_what(person: Person, path: Path) -> None:
    person.start(str(copy_of(path)))
    person.wait(lambda: banner(person) == "This is a conflict copy of “The long road”.")
    press(person, "Open the Chat")
    person.wait(lambda: person.window.desk.path == path)
    person.wait(lambda: "conflict copy of this chat from 9 January" in banner(person))
    person.quit()


def test_several_copies_are_shown_side_by_side_in_a_list(person: Person, path: Path) -> None:
    other = path.with_name("The long road (Ada's conflicted copy 2026-01-10).jsonl")
    other.write_bytes(b"garbage")
    started(person)
    person.open_newest()
    person.wait(lambda: banner(person) == "There are 2 conflict copies of this chat.")
    press(person, "Show…")
    dialog = person.find(QWidget, "conflictDialog")
    rows = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    person.wait(lambda: all(item.text(1) for item in rows))
    assert sorted(item.text(1) for item in rows) == ["42", "damaged"]
    dialog.list.setCurrentItem(next(item for item in rows if item.text(1) == "42"))
    dialog.merge_button.click()
    person.wait(lambda: banner(person).startswith("Merged: 2 messages"))
    person.quit()
