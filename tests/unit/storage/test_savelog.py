"""The log of saves: bounded, without text, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.storage import savelog
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.savelog import Attempt, SaveLog, SaveRecord, read_save_log
from tavern_desktop.storage.signature import Signature

CHAT = Path("/library/chats/Mira/talk.jsonl")


def test_a_save_is_recorded_with_what_turned_up(tmp_path: Path) -> None:
    log = SaveLog(tmp_path / "own")
    with log.attempt(CHAT, Attempt("save", old_count=10, new_count=11, old=Signature(5, 6, (1, 2)))) as attempt:
        attempt.path = "same"
        attempt.new = Signature(7, 8, (1, 3))
    (record,) = read_save_log(tmp_path / "own")
    assert (record.chat, record.op, record.path, record.result) == (str(CHAT), "save", "same", "saved")
    assert (record.old_count, record.new_count, record.old, record.new) == (10, 11, (5, 6), (7, 8))
    assert record.flags == ()
    assert record.at_ms > 0
    assert record.duration_ms >= 0


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (StorageError("io", "space"), "io/space"),
        (StorageError("io", "write"), "io/write"),
        (ChangedOnDisk(CHAT, None), "changed_on_disk"),
        (KeyError("a word of somebody"), "KeyError"),
    ],
)
def test_a_failure_is_recorded_and_passed_on(tmp_path: Path, error: Exception, result: str) -> None:
    log = SaveLog(tmp_path)
    with pytest.raises(type(error)), log.attempt(CHAT, Attempt("merge")):
        raise error
    assert read_save_log(tmp_path)[0].result == result
    assert "somebody" not in (tmp_path / savelog.FILE).read_text()


@pytest.mark.parametrize(
    ("facts", "flags"),
    [
        ({"old_count": 10, "new_count": 9, "deletions": 1}, ("shrink",)),
        ({"old_count": 10, "new_count": 9}, ("shrink_unexplained",)),
        ({"old_count": 10, "new_count": 3, "op": "restore"}, ("shrink",)),
        ({"old_count": 10, "new_count": 0, "deletions": 10}, ("empty_suspect", "shrink")),
        ({"old_count": 0, "new_count": 0}, ()),
        ({"old_count": 1, "new_count": 2, "lost_in_memory": 1}, ("lost_in_memory",)),
    ],
)
def test_what_deserves_a_second_look(facts: dict[str, object], flags: tuple[str, ...]) -> None:
    fields = {"at_ms": 1, "chat": "c", "op": "save"} | facts
    assert SaveRecord(**fields).flags == flags  # type: ignore[arg-type]


def test_only_the_newest_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(savelog, "KEPT", 10)
    log = SaveLog(tmp_path)
    for number in range(35):
        log.add(SaveRecord(number, "c", "save"))
    assert [record.at_ms for record in read_save_log(tmp_path)] == list(range(34, 24, -1))
    assert sum(len(file.read_bytes().splitlines()) for file in tmp_path.iterdir()) < 20


def test_its_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(savelog, "FULL_BYTES", 1000)
    log = SaveLog(tmp_path)
    for number in range(100):
        log.add(SaveRecord(number, "a chat with a rather long name", "save"))
    assert all(file.stat().st_size < 1200 for file in tmp_path.iterdir())
    assert read_save_log(tmp_path)[0].at_ms == 99


def test_a_further_start_counts_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(savelog, "KEPT", 10)
    for number in range(25):
        SaveLog(tmp_path).add(SaveRecord(number, "c", "save"))
    assert [record.at_ms for record in read_save_log(tmp_path)] == list(range(24, 14, -1))


def test_a_torn_line_hides_no_other(tmp_path: Path) -> None:
    log = SaveLog(tmp_path)
    log.add(SaveRecord(1, "c", "save"))
    file = tmp_path / savelog.FILE
    file.write_bytes(file.read_bytes() + b'{"at_ms":2,"ch')
    assert [record.at_ms for record in read_save_log(tmp_path)] == [1]
    SaveLog(tmp_path).add(SaveRecord(3, "c", "save"))
    assert [record.at_ms for record in read_save_log(tmp_path)] == [3, 1]


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "own").write_text("a file where a folder should be")
    log = SaveLog(tmp_path / "own")
    log.add(SaveRecord(1, "c", "save"))
    log.add(SaveRecord(2, "c", "save"))
    assert len(caplog.records) == 1
    assert read_save_log(tmp_path / "own") == []
