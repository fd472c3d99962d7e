"""What is typed is on disk within a second, stays with its chat, and is gone when it was sent (B-47)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.drafts import RETRY_WAIT, WAIT, Drafts
from tavern_desktop.storage.drafts import DraftFolder, Edit, MessageRef
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import OwnFolders, own_folders
from tests.unit.session.chats import recorded
from tests.unit.session.stepped import Stepped

MESSAGE, OTHER = MessageRef(3, "msg_a"), MessageRef(5, "", "digest")


@pytest.fixture
def folders(own_home: Path) -> OwnFolders:
    return own_folders()


@pytest.fixture
def data_root(tmp_path: Path) -> DataRoot:
    return DataRoot(tmp_path / "data")


@pytest.fixture
def chat(data_root: DataRoot) -> Path:
    return data_root.chats / "Mira" / "talk.jsonl"


class Program:
    """A run of the program, as far as drafts go."""

    def __init__(self, folders: OwnFolders, root: DataRoot) -> None:
        self.runner = Stepped()
        self.drafts = Drafts(self.runner, folders, root)
        self.drafts.begin()
        self.runner.settle()

    def type(self, chat: Path, text: str) -> None:
        self.drafts.note_composer(chat, lambda: text)

    def wait(self, seconds: float = WAIT) -> None:
        self.runner.advance(seconds)
        self.runner.settle()


@pytest.fixture
def start(folders: OwnFolders, data_root: DataRoot) -> Callable[[], Program]:
    return lambda: Program(folders, data_root)


Start = Callable[[], Program]


def test_typed_text_is_on_disk_within_a_second(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half")
    one.type(chat, "half a thought")
    one.wait()
    assert WAIT < 1
    assert start().drafts.composer(chat) == "half a thought", "and the first run was killed"


def test_no_timer_runs_while_nobody_types(start: Start, chat: Path) -> None:
    one = start()
    assert [timer for timer in one.runner.timers if not timer.is_off] == []
    one.type(chat, "half a thought")
    one.wait()
    assert [timer for timer in one.runner.timers if not timer.is_off] == []


def test_sent_text_is_removed(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half a thought")
    one.wait()
    one.type(chat, "")
    one.wait()
    assert start().drafts.composer(chat) == ""
    assert one.drafts.files() == frozenset()


def test_what_was_typed_and_deleted_again_writes_nothing(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half")
    one.type(chat, "")
    one.runner.advance(WAIT)
    assert one.runner.tasks == []


def test_the_end_of_the_program_does_not_wait_for_a_timer(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half a thought")
    one.drafts.flush()
    assert one.drafts.is_busy
    one.runner.settle()
    assert not one.drafts.is_busy
    assert start().drafts.composer(chat) == "half a thought"


def test_what_was_typed_before_the_old_draft_was_read_comes_behind_it(
    start: Start, folders: OwnFolders, data_root: DataRoot, chat: Path
) -> None:
    one = start()
    one.type(chat, "old")
    one.wait()
    runner = Stepped()
    drafts = Drafts(runner, folders, data_root)
    shown = recorded(drafts.composer_changed)
    drafts.begin()
    drafts.note_composer(chat, lambda: "new")
    drafts.flush()
    assert drafts.is_busy, "the end of the program waits for it"
    runner.settle()
    assert drafts.composer(chat) == "old\nnew"
    assert shown[-1] == (chat, None)
    assert start().drafts.composer(chat) == "old\nnew"


def test_other_windows_hear_whose_text_it_is(start: Start, chat: Path) -> None:
    one, window = start(), object()
    heard = recorded(one.drafts.composer_changed)
    one.drafts.note_composer(chat, lambda: "half a thought", window)
    one.wait()
    assert heard == [(chat, window)]


def test_only_text_of_an_earlier_run_counts_as_left_behind(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half")
    one.wait()
    assert not one.drafts.is_left_behind(chat)
    two = start()
    assert two.drafts.is_left_behind(chat)
    two.type(chat, "half a thought")
    two.wait()
    assert not two.drafts.is_left_behind(chat)


def test_an_edit_under_way_is_unfinished_only_after_the_program_died(start: Start, chat: Path) -> None:
    one = start()
    one.drafts.note_edit(chat, MESSAGE, lambda: "half an edit")
    one.wait()
    assert one.drafts.unfinished(chat) == []
    assert start().drafts.unfinished(chat) == [Edit(MESSAGE, "half an edit")]


def test_a_saved_edit_is_forgotten(start: Start, chat: Path) -> None:
    one = start()
    one.drafts.note_edit(chat, MESSAGE, lambda: "half an edit")
    one.wait()
    one.drafts.drop_edit(chat, MESSAGE)
    one.wait()
    assert start().drafts.unfinished(chat) == []


def test_an_edit_that_lost_its_editor_is_kept_beside_others(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half a thought")
    one.drafts.note_edit(chat, MESSAGE, lambda: "half")
    one.drafts.keep_edit(chat, Edit(MESSAGE, "half an edit"))
    one.drafts.keep_edit(chat, Edit(OTHER, "another"))
    one.wait()
    expected = [Edit(MESSAGE, "half an edit"), Edit(OTHER, "another")]
    assert one.drafts.unfinished(chat) == expected
    two = start()
    assert two.drafts.unfinished(chat) == expected
    assert two.drafts.composer(chat) == "half a thought"


def test_a_renamed_chat_takes_its_draft_along(start: Start, chat: Path) -> None:
    one = start()
    one.type(chat, "half a thought")
    renamed = chat.with_name("other.jsonl")
    one.drafts.moved(chat, renamed)
    one.wait()
    two = start()
    assert (two.drafts.composer(chat), two.drafts.composer(renamed)) == ("", "half a thought")
    assert two.drafts.files() == {str(renamed)}


def test_an_editor_that_is_open_stays_so_when_its_chat_is_renamed(start: Start, chat: Path) -> None:
    one = start()
    one.drafts.note_edit(chat, MESSAGE, lambda: "half an edit")
    renamed = chat.with_name("other.jsonl")
    one.drafts.moved(chat, renamed)
    assert one.drafts.unfinished(renamed) == []
    one.wait()
    assert start().drafts.unfinished(renamed) == [Edit(MESSAGE, "half an edit")]


def test_chats_outside_every_data_folder_keep_theirs_elsewhere(
    start: Start, folders: OwnFolders, tmp_path: Path
) -> None:
    loose = tmp_path / "loose.jsonl"
    loose.touch()
    one = start()
    one.type(loose, "half a thought")
    one.wait()
    assert Program(folders, DataRoot(tmp_path / "another")).drafts.composer(loose) == "half a thought"


def test_the_marks_change_only_with_the_chats(start: Start, chat: Path) -> None:
    one = start()
    changes = recorded(one.drafts.changed)
    for text in ("h", "ha", "half"):
        one.type(chat, text)
        one.wait()
    assert len(changes) == 1
    one.type(chat, "")
    one.wait()
    assert len(changes) == 2


def test_a_full_disk_is_told_once_and_tried_again(start: Start, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = start()
    told = recorded(one.drafts.problem_changed)

    def full(*_arguments: Any) -> None:
        raise StorageError("io", "space")

    with monkeypatch.context() as patched:
        patched.setattr(DraftFolder, "put", full)
        one.type(chat, "half")
        one.wait()
        one.type(chat, "half a thought")
        one.wait()
    assert len(told) == 1
    assert one.drafts.problem is not None
    assert one.drafts.composer(chat) == "half a thought"
    one.wait(RETRY_WAIT)
    assert len(told) == 2
    assert one.drafts.problem is None
    assert start().drafts.composer(chat) == "half a thought"


def test_a_damaged_file_is_told_and_stops_nothing(
    start: Start, folders: OwnFolders, data_root: DataRoot, chat: Path
) -> None:
    one = start()
    one.type(chat, "half a thought")
    one.wait()
    (file,) = folders.data.rglob("*.json")
    file.write_bytes(b'{"chat":')
    runner = Stepped()
    drafts = Drafts(runner, folders, data_root)
    told = recorded(drafts.damaged)
    drafts.begin()
    runner.settle()
    assert len(told) == 1
    drafts.note_composer(chat, lambda: "again")
    drafts.flush()
    runner.settle()
    assert start().drafts.composer(chat) == "again"
