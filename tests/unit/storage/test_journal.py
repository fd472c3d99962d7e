"""The journal of a chat: what was written comes back, whatever happened to its files in between."""

from __future__ import annotations

import io
import os
import random
from pathlib import Path

import pytest

from tavern_desktop.chat.deltas import Delta, Edit, Head, Insert, Move, Remove
from tavern_desktop.storage import journal as journal_module
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.journal import Entry, Journal, Published
from tavern_desktop.storage.journal_format import Meta, entry_delta, entry_frame, framed, read_frame
from tavern_desktop.storage.journal_segments import Segment
from tavern_desktop.storage.signature import Signature

SIGNATURE = Signature(10, 20, (30, 40))


def entry(number: int, text: str = "a word", **more: int) -> Entry:
    """The message `number` comes in."""
    delta = Delta(number - 1, (Insert(number - 1, (f'{{"mes":"{number} {text}"}}'.encode(),)),))
    return Entry(number, number * 1000, "command", f"Add {number}", delta, more.get("undoes"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal" / "key"


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "FULL_ENTRIES", 3)


def written(folder: Path, count: int) -> Journal:
    journal = Journal(folder, "chats/Mira/a.jsonl")
    for number in range(1, count + 1):
        journal.append([entry(number)])
    journal.sync()
    return journal


def numbers(journal: Journal) -> list[int]:
    return [meta.number for meta in journal.metas()]


def test_nothing_is_there_and_nothing_is_made_by_looking(folder: Path) -> None:
    journal = Journal(folder)
    assert (journal.number, journal.oldest, journal.size, journal.published, journal.metas()) == (0, 0, 0, None, [])
    assert list(journal.deltas_back()) == []
    assert not folder.exists()


def test_what_was_written_comes_back(folder: Path) -> None:
    delta = Delta(
        5,
        (
            Edit.between(1, b'{"mes":"a lamp","swipes":["a lamp"]}', b'{"mes":"a torch","swipes":["a torch"]}'),
            Insert(0, (b"{}", b'{"mes":"\xe8\xbf\x99"}')),
            Remove(3, (b"x" * 5000,)),
            Move(0, 1, 4),
            Head.between(b"{}", b'{"chat_metadata":{}}'),
        ),
    )
    written = Journal(folder)
    written.append([Entry(1, 1234, "undo", "Edit \ud83d", delta, undoes=7)])
    written.note_published(SIGNATURE, 1, 6)
    written.sync()
    read = Journal(folder)
    for journal in (written, read):
        meta = journal.metas()[0]
        assert (meta.number, meta.before, meta.at_ms, meta.kind, meta.label) == (1, 0, 1234, "undo", "Edit ?")
        assert (meta.count, meta.count_before, meta.undoes, meta.joined) == (6, 5, 7, 1)
        assert (meta.added, meta.removed, meta.edited, meta.moved) == (2, 1, 1, 2)
        assert journal.delta(1) == delta
        assert journal.published == Published(SIGNATURE, 1, 6, journal.published.at_ms if journal.published else 0)
        assert journal.size == sum(path.stat().st_size for path in folder.iterdir())


def test_it_goes_on_in_another_process(folder: Path) -> None:
    written(folder, 3)
    journal = Journal(folder)
    journal.append([entry(4), entry(5)])
    assert numbers(Journal(folder)) == [5, 4, 3, 2, 1]
    with pytest.raises(ValueError, match="does not follow"):
        journal.append([entry(7)])
    assert journal.number == 5


@pytest.mark.usefixtures("small_files")
def test_files_stay_small_and_are_read_as_one(folder: Path) -> None:
    journal = written(folder, 8)
    assert len(os.listdir(folder)) == 3
    for same in (journal, Journal(folder)):
        assert numbers(same) == [8, 7, 6, 5, 4, 3, 2, 1]
        assert [meta.number for meta, _ in same.deltas_back(after=2)] == [8, 7, 6, 5, 4, 3]
        assert [delta.count for _, delta in same.deltas_back()] == [7, 6, 5, 4, 3, 2, 1, 0]
        assert same.delta(4).count == 3
    with pytest.raises(StorageError) as caught:
        journal.delta(9)
    assert caught.value.kind == "not_found"


def test_cut_anywhere(folder: Path) -> None:
    """A process died, or the power went, while it wrote: every change that is whole is there, and writing goes on."""
    written(folder, 3)
    [path] = folder.iterdir()
    whole = path.read_bytes()
    ends = _ends(folder)
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        journal = Journal(folder)
        kept = sum(end <= size for end in ends)
        assert numbers(journal) == list(range(kept, 0, -1))
        assert path.read_bytes() == whole[:size]
        journal.append([entry(kept + 1)])
        assert (numbers(Journal(folder)), journal.warnings) == (list(range(kept + 1, 0, -1)), [])


def _ends(folder: Path) -> list[int]:
    [segment] = Journal(folder).segments
    return [end for _, end in segment.payloads]


def test_bytes_that_never_reached_the_disk(folder: Path) -> None:
    """After a power cut a file may have its length, and NUL bytes where the last writing went."""
    journal = written(folder, 2)
    journal.note_published(SIGNATURE, 2, 2)
    journal.append([entry(3), entry(4)])
    [path] = folder.iterdir()
    [segment] = journal.segments
    data = bytearray(path.read_bytes())
    start, end = segment.payloads[2]
    data[start:end] = bytes(end - start)
    path.write_bytes(data)
    assert numbers(Journal(folder)) == [2, 1]
    assert path.read_bytes() == data


def test_a_damaged_change_is_an_error_when_it_is_asked_for(folder: Path) -> None:
    written(folder, 3).note_published(SIGNATURE, 3, 3)
    [path] = folder.iterdir()
    data = bytearray(path.read_bytes())
    data[Journal(folder).segments[0].payloads[1][0] + 3] ^= 1
    path.write_bytes(data)
    journal = Journal(folder)
    assert (numbers(journal), journal.delta(3).count) == ([3, 2, 1], 2)
    with pytest.raises(StorageError) as caught:
        journal.delta(2)
    assert (caught.value.kind, caught.value.detail) == ("io", "read")


@pytest.mark.usefixtures("small_files")
def test_a_damaged_file_is_set_aside_with_the_older_ones(folder: Path) -> None:
    written(folder, 8)
    second = sorted(folder.iterdir())[1]
    data = bytearray(second.read_bytes())
    data[data.index(b"TJ", 5) + 4] ^= 1
    second.write_bytes(data)
    journal = Journal(folder)
    assert (numbers(journal), journal.oldest) == ([8, 7], 6)
    assert len(journal.warnings) == 1
    assert not [name for name in os.listdir(folder) if "damaged" in name]
    journal.append([entry(9)])
    assert sum("damaged" in name for name in os.listdir(folder)) == 2
    later = Journal(folder)
    assert (numbers(later), later.warnings) == ([9, 8, 7], [])


def test_damage_in_the_only_file_does_not_stop_anything(folder: Path) -> None:
    written(folder, 3)
    [path] = folder.iterdir()
    data = bytearray(path.read_bytes())
    data[2] ^= 1
    path.write_bytes(data)
    journal = Journal(folder)
    assert (journal.number, len(journal.warnings)) == (0, 1)
    journal.append([entry(1)])
    assert numbers(Journal(folder)) == [1]


def test_any_bytes_at_all(folder: Path) -> None:
    folder.mkdir(parents=True)
    chance = random.Random(7)
    for size in (0, 1, 11, 12, 500, 5000):
        (folder / "0000000001.journal").write_bytes(b"TJ" * 3 + chance.randbytes(size))
        journal = Journal(folder)
        assert journal.metas() == []
        journal.append([entry(1)])
        assert numbers(Journal(folder)) == [1]


def test_a_disk_without_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = written(folder, 1)
    before = journal.size
    monkeypatch.setattr(journal_module.os, "fsync", _refuse)
    journal.append([entry(2)])
    with pytest.raises(StorageError) as caught:
        journal.sync()
    assert (caught.value.kind, caught.value.detail) == ("io", "space")
    monkeypatch.undo()
    journal.sync()
    assert journal.size > before


def _refuse(_: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_one_word_edit_costs_little(folder: Path) -> None:
    text = "It rained all night, and in the morning the road to the mill was gone. " * 29
    old = f'{{"name":"Mira","is_user":false,"mes":"{text} a lamp","swipes":["{text} a lamp"]}}'.encode()
    new = old.replace(b"lamp", b"torch")
    journal = Journal(folder)
    journal.append([Entry(1, 1_790_000_000_000, "command", "Edit", Delta(50_000, (Edit.between(40_000, old, new),)))])
    before = journal.size
    journal.append([Entry(2, 1_790_000_000_000, "command", "Edit", Delta(50_000, (Edit.between(40_000, new, old),)))])
    assert journal.size - before < 120


@pytest.mark.usefixtures("small_files")
def test_read_while_another_process_joins_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = written(folder, 8)
    scan = journal_module.scan

    def joined_meanwhile(path: Path, *, is_newest: bool) -> Segment:
        monkeypatch.setattr(journal_module, "scan", scan)
        metas = [meta for segment in writer.segments[:2] for meta in segment.metas]
        frames = [framed(meta, writer.payload(meta.number)) for meta in metas]
        writer.rewrite(writer.segments[:2], frames)
        return scan(folder / "0000000004.journal", is_newest=is_newest)

    monkeypatch.setattr(journal_module, "scan", joined_meanwhile)
    journal = Journal(folder)
    assert numbers(journal) == [8, 7, 6, 5, 4, 3, 2, 1]
    assert journal.warnings == []


def test_many_small_operations_come_back_too() -> None:
    for count in (1, 7, 8, 9, 500):
        ops = tuple(Edit.between(index, b"old", b"new") for index in range(count))
        delta = Delta(1000, ops)
        meta, payload = entry_parts(delta)
        assert entry_delta(meta, payload) == delta


def entry_parts(delta: Delta) -> tuple[Meta, bytes]:
    frame = io.BytesIO(entry_frame(1, 0, 0, "command", "", delta))
    found = read_frame(frame, 0)
    assert isinstance(found.head, Meta)
    return found.head, frame.getvalue()[found.payload : found.end]
