"""Publishing: the new version whole, or the old one as it was."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tavern_desktop.storage import publish as module
from tavern_desktop.storage import stages
from tavern_desktop.storage.errors import ChangedOnDisk, StorageError
from tavern_desktop.storage.publish import CHANGE_ATTEMPTS, change_small_file, publish, write_small_file
from tavern_desktop.storage.signature import Signature

OLD = b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"old"}'
NEW = b'{"chat_metadata":{"integrity":"a"}}\n{"mes":"new"}'


Replace = Callable[[Path, Path], object]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "chats"
    folder.mkdir()
    path = folder / "a.jsonl"
    path.write_bytes(OLD)
    return path


def _refused(path: Path, *, expected: Signature | None, integrity: str | None = "a", force: bool = False) -> Exception:
    """Return why a save is refused, having seen that it left nothing behind."""
    before = path.read_bytes() if path.exists() else None
    with pytest.raises((StorageError, ChangedOnDisk)) as caught:
        publish(path, [NEW], expected=expected, integrity=integrity, force=force)
    assert (path.read_bytes() if path.exists() else None) == before
    assert [name for name in os.listdir(path.parent) if name.endswith(".tmp")] == []
    return caught.value


def test_a_version_follows_the_one_it_was_made_from(path: Path) -> None:
    signature = publish(path, [NEW[:10], NEW[10:]], expected=Signature.of_path(path), integrity="a")
    assert path.read_bytes() == NEW
    assert signature == Signature.of_path(path)
    assert os.listdir(path.parent) == ["a.jsonl"]
    publish(path, [OLD], expected=signature, integrity="a")
    assert path.read_bytes() == OLD


def test_a_new_chat_must_be_new(path: Path) -> None:
    new = path.with_name("b.jsonl")
    assert publish(new, [NEW], expected=None, integrity="a") == Signature.of_path(new)
    error = _refused(path, expected=None)
    assert isinstance(error, ChangedOnDisk)
    assert error.found == Signature.of_path(path)


def test_what_another_program_wrote_or_removed_is_not_overwritten(path: Path) -> None:
    base = Signature.of_path(path)
    path.write_bytes(OLD + b"\n")
    for force in (False, True):
        assert isinstance(_refused(path, expected=base, force=force), ChangedOnDisk)
    path.unlink()
    for force in (False, True):
        error = _refused(path, expected=base, force=force)
        assert isinstance(error, ChangedOnDisk)
        assert error.found is None


def test_a_write_between_the_first_look_and_the_replace_is_noticed(path: Path) -> None:
    base = Signature.of_path(path)

    def pieces() -> Iterator[bytes]:
        yield NEW
        path.write_bytes(b"by another program")

    with pytest.raises(ChangedOnDisk):
        publish(path, pieces(), expected=base, integrity="a")
    assert path.read_bytes() == b"by another program"
    assert os.listdir(path.parent) == ["a.jsonl"]


@pytest.mark.parametrize(("integrity", "detail"), [("b", "mismatch"), (None, "missing")])
def test_another_chat_is_replaced_by_force_only(path: Path, integrity: str | None, detail: str) -> None:
    base = Signature.of_path(path)
    error = _refused(path, expected=base, integrity=integrity)
    assert isinstance(error, StorageError)
    assert (error.kind, error.detail, error.side) == ("integrity", detail, "existing")
    publish(path, [NEW], expected=base, integrity=integrity, force=True)
    assert path.read_bytes() == NEW


def test_a_header_that_became_unreadable_stops_the_save(path: Path) -> None:
    path.write_bytes(b"garbage")
    error = _refused(path, expected=Signature.of_path(path))
    assert isinstance(error, StorageError)
    assert (error.kind, error.side) == ("bad_header", "existing")


def test_a_symbolic_link_is_followed_and_stays(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    publish(link, [NEW], expected=Signature.of_path(link), integrity="a")
    assert link.is_symlink()
    assert path.read_bytes() == NEW


def test_mode_stays_and_a_new_file_gets_the_usual_one(path: Path) -> None:
    path.chmod(0o640)
    publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    new = path.with_name("b.jsonl")
    publish(new, [NEW], expected=None, integrity="a")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o666 & ~umask


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        publish(tmp_path / "gone" / "a.jsonl", [NEW], expected=None, integrity="a")
    assert (caught.value.kind, caught.value.detail) == ("not_found", "directory")


@pytest.mark.parametrize(
    ("call", "number", "detail"),
    [
        ("write", errno.ENOSPC, "space"),
        ("write", errno.EDQUOT, "space"),
        ("write", errno.EIO, "write"),
        ("fsync", errno.EIO, "sync"),
        ("fsync", errno.ENOSPC, "space"),
    ],
)
def test_what_the_system_refuses_leaves_the_old_version(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, detail: str
) -> None:
    def refuse(*args: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(stages.os, call, refuse)
    error = _refused(path, expected=Signature.of_path(path))
    assert isinstance(error, StorageError)
    assert (error.kind, error.detail, error.errno) == ("io", detail, number)


@pytest.fixture(params=[True, False], ids=["exchanging", "renaming"])
def replacing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[Replace], Replace]:
    """Have something done where a stage takes the target's place, with the step that exchanges names and without."""

    def do_instead(instead: Replace) -> Replace:
        if request.param:
            real: Replace = stages.exchange
            monkeypatch.setattr(stages, "exchange", instead)
        else:
            real = os.replace
            monkeypatch.setattr(stages, "exchange", lambda one, other: False)
            monkeypatch.setattr(stages.os, "replace", instead)
        return real

    return do_instead


def test_a_replace_that_is_refused_leaves_the_old_version(path: Path, replacing: Callable[[Replace], Replace]) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    replacing(refuse)
    error = _refused(path, expected=Signature.of_path(path))
    assert isinstance(error, StorageError)
    assert (error.kind, error.detail, error.errno) == ("io", "replace", errno.EACCES)


def test_short_writes_are_continued_and_lost_bytes_are_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(stages.os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    base = publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert path.read_bytes() == NEW
    monkeypatch.setattr(stages.os, "write", lambda descriptor, data: len(data))
    error = _refused(path, expected=base)
    assert isinstance(error, StorageError)
    assert (error.kind, error.detail) == ("io", "write")


def test_a_program_that_holds_the_file_is_waited_for(path: Path, replacing: Callable[[Replace], Replace]) -> None:
    refused = iter([errno.EBUSY, errno.EBUSY])

    def blocked_twice(source: Path, target: Path) -> object:
        if number := next(refused, None):
            raise OSError(number, os.strerror(number))
        return replace(source, target)

    replace = replacing(blocked_twice)
    publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert path.read_bytes() == NEW


def test_one_that_never_lets_go_is_given_up(
    path: Path, replacing: Callable[[Replace], Replace], monkeypatch: pytest.MonkeyPatch
) -> None:
    def blocked(source: Path, target: Path) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    replacing(blocked)
    monkeypatch.setattr(module, "_PATIENCE", 0.1)
    error = _refused(path, expected=Signature.of_path(path))
    assert isinstance(error, StorageError)
    assert error.detail == "replace_blocked"


def write_beside(target: Path, data: bytes) -> Signature | None:
    """As another program does: atomically, over whatever is there."""
    beside = target.with_name("beside")
    beside.write_bytes(data)
    os.replace(beside, target)
    return Signature.of_path(target)


def test_a_write_in_the_last_moment_is_put_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program writes between our last look at the file and the step that replaces it."""
    exchange, theirs = stages.exchange, iter([b"by another program"])
    written: list[Signature | None] = []

    def late(one: Path, other: Path) -> bool:
        if data := next(theirs, None):
            written.append(write_beside(path, data))
        return exchange(one, other)

    monkeypatch.setattr(stages, "exchange", late)
    with pytest.raises(ChangedOnDisk) as caught:
        publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert path.read_bytes() == b"by another program"
    assert written == [caught.value.found]
    assert os.listdir(path.parent) == ["a.jsonl"]


def test_while_one_is_put_back_the_newest_stays(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange, theirs = stages.exchange, iter([b"first", b"second"])

    def late(one: Path, other: Path) -> bool:
        if data := next(theirs, None):
            write_beside(path, data)
        return exchange(one, other)

    monkeypatch.setattr(stages, "exchange", late)
    with pytest.raises(ChangedOnDisk):
        publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert path.read_bytes() == b"second"
    assert os.listdir(path.parent) == ["a.jsonl"]


def test_what_cannot_be_put_back_is_not_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exchange, calls = stages.exchange, iter(["late", "broken"])

    def late(one: Path, other: Path) -> bool:
        if next(calls) == "broken":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        write_beside(path, b"by another program")
        return exchange(one, other)

    monkeypatch.setattr(stages, "exchange", late)
    with pytest.raises(StorageError) as caught:
        publish(path, [NEW], expected=Signature.of_path(path), integrity="a")
    assert (caught.value.detail, caught.value.errno) == ("replace", errno.EIO)
    stages.sweep(path.parent)
    (other,) = path.parent.glob("a - other version *.jsonl")
    assert other.read_bytes() == b"by another program"


def test_a_chat_that_appears_in_the_last_moment_is_not_replaced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, take = path.with_name("b.jsonl"), stages.Stage.take_free_name

    def late(stage: stages.Stage) -> None:
        new.write_bytes(b"by another program")
        take(stage)

    monkeypatch.setattr(stages.Stage, "take_free_name", late)
    with pytest.raises(ChangedOnDisk) as caught:
        publish(new, [NEW], expected=None, integrity="a")
    assert new.read_bytes() == b"by another program"
    assert caught.value.found == Signature.of_path(new)
    assert sorted(os.listdir(path.parent)) == ["a.jsonl", "b.jsonl"]


def test_saves_of_one_file_wait_for_each_other(path: Path) -> None:
    entered, leave = threading.Event(), threading.Event()

    def slow() -> Iterator[bytes]:
        entered.set()
        leave.wait(10)
        yield NEW

    base = Signature.of_path(path)
    outcomes: list[object] = []

    def second() -> None:
        try:
            publish(path, [OLD], expected=base, integrity="a")
        except ChangedOnDisk as error:
            outcomes.append(error.found)

    first = threading.Thread(target=lambda: outcomes.append(publish(path, slow(), expected=base, integrity="a")))
    other = threading.Thread(target=second)
    first.start()
    assert entered.wait(10)
    other.start()
    leave.set()
    first.join()
    other.join()
    assert outcomes == [Signature.of_path(path)] * 2
    assert path.read_bytes() == NEW


def test_a_small_file_of_ours_is_written_whatever_stands_there(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    write_small_file(path, b"one")
    write_small_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["settings.json"]


def test_a_small_change_is_made_to_what_another_program_wrote_meanwhile(tmp_path: Path) -> None:
    file, seen = tmp_path / "card", []

    def change(data: bytes) -> bytes:
        seen.append(data)
        if len(seen) == 1:
            file.write_bytes(b"theirs")
        return data + b", ours"

    file.write_bytes(b"before")
    assert change_small_file(file, change)
    assert (seen, file.read_bytes()) == ([b"before", b"theirs"], b"theirs, ours")
    assert not change_small_file(file, lambda data: None)
    assert os.listdir(tmp_path) == ["card"]


def test_a_file_that_is_written_again_and_again_is_left_to_who_writes_it(tmp_path: Path) -> None:
    file = tmp_path / "card"
    file.write_bytes(b"0")

    def change(data: bytes) -> bytes:
        file.write_bytes(data + b"1")
        return b"ours"

    with pytest.raises(StorageError, match="again and again"):
        change_small_file(file, change)
    assert file.read_bytes() == b"0" + b"1" * CHANGE_ATTEMPTS
    assert os.listdir(tmp_path) == ["card"]
