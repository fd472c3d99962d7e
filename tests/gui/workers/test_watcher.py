"""What is told of a data root that somebody else writes in: real folders, real processes, the system's own events."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.workers import watcher as watching
from tavern_desktop.workers.folder_scan import differences, scan
from tavern_desktop.workers.qt_runner import QtRunner
from tavern_desktop.workers.remote_folders import is_remote_type, type_of
from tavern_desktop.workers.watcher import MOST_EVENTS, Watcher

FOLDERS = ("chats", "characters")


class Place:
    """A data root with its watcher, and what was told of it."""

    def __init__(self, qtbot: QtBot, runner: QtRunner, top: Path) -> None:
        self.top = top
        (top / "chats" / "Mira").mkdir(parents=True)
        (top / "characters").mkdir()
        self.told: list[frozenset[str] | None] = []
        self.is_seen = True
        self._qtbot = qtbot
        self.watcher = Watcher(runner, top, [top / name for name in FOLDERS], self.told.append, lambda: self.is_seen)

    @property
    def paths(self) -> set[str]:
        """Everything told so far, relative to the top."""
        return {str(Path(path).relative_to(self.top)) for paths in self.told if paths is not None for path in paths}

    def start(self) -> None:
        self.watcher.start()
        self.wait(lambda: self.watcher.is_at_rest)

    def wait(self, condition: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(condition()), timeout=20_000)


@pytest.fixture
def place(qtbot: QtBot, tmp_path: Path) -> Iterator[Place]:
    runner = QtRunner()
    made = Place(qtbot, runner, tmp_path / "default user")
    yield made
    made.watcher.stop()
    assert runner.run_until(lambda: made.watcher.is_at_rest, 10)
    runner.close()


def elsewhere(code: str, *arguments: object) -> None:
    """Let another process do something to files."""
    subprocess.run([sys.executable, "-c", f"import os, sys, pathlib\n{code}", *map(str, arguments)], check=True)


def test_what_another_process_writes_replaces_and_removes_is_told_of(place: Place) -> None:
    place.start()
    assert place.watcher.is_observing
    chat = place.top / "chats" / "Mira" / "one.jsonl"
    elsewhere("pathlib.Path(sys.argv[1]).write_text('x')", chat)
    place.wait(lambda: "chats/Mira/one.jsonl" in place.paths)
    place.told.clear()
    # As SillyTavern does: beside it, then over it.
    elsewhere("p = pathlib.Path(sys.argv[1]); t = p.with_suffix('.tmp'); t.write_text('y'); t.replace(p)", chat)
    place.wait(lambda: "chats/Mira/one.jsonl" in place.paths)
    place.told.clear()
    elsewhere("os.remove(sys.argv[1])", chat)
    place.wait(lambda: "chats/Mira/one.jsonl" in place.paths)


def test_folders_made_later_are_watched_too(place: Place) -> None:
    place.start()
    elsewhere("p = pathlib.Path(sys.argv[1]); p.mkdir(); (p / 'a.jsonl').write_text('x')", place.top / "chats" / "New")
    place.wait(lambda: "chats/New" in place.paths)
    place.told.clear()
    elsewhere("pathlib.Path(sys.argv[1]).write_text('y')", place.top / "chats" / "New" / "b.jsonl")
    place.wait(lambda: "chats/New/b.jsonl" in place.paths)


def test_many_changes_are_told_of_together(place: Place) -> None:
    place.start()
    folder = place.top / "characters"
    elsewhere("[pathlib.Path(sys.argv[1], f'{n}.png').write_text('x') for n in range(50)]", folder)
    place.wait(lambda: len(place.paths) == 50)
    assert len(place.told) == 1


def test_reading_is_no_change(place: Place) -> None:
    chat = place.top / "chats" / "Mira" / "one.jsonl"
    chat.write_text("x")
    place.start()
    elsewhere("pathlib.Path(sys.argv[1]).read_text()", chat)
    elsewhere("pathlib.Path(sys.argv[1]).write_text('z')", place.top / "characters" / "later.png")
    place.wait(lambda: "characters/later.png" in place.paths)
    assert place.paths == {"characters/later.png"}


def test_a_folder_that_is_exchanged_goes_on_being_watched(place: Place) -> None:
    place.start()
    chats = place.top / "chats"
    elsewhere("p = pathlib.Path(sys.argv[1]); p.rename(p.with_name('old')); p.mkdir()", chats)
    place.wait(lambda: None in place.told)  # anything may have changed
    place.wait(lambda: place.watcher.is_observing)
    place.told.clear()
    elsewhere("pathlib.Path(sys.argv[1]).write_text('x')", chats / "loose.jsonl")
    place.wait(lambda: "chats/loose.jsonl" in place.paths)


def test_more_than_the_system_keeps_is_everything(place: Place) -> None:
    place.start()
    for number in range(MOST_EVENTS + 1):
        place.watcher._heard.hear(f"/somewhere/{number % 3}")
    place.wait(lambda: place.told)
    assert place.told == [None]


def test_after_stopping_nothing_is_told_and_no_thread_is_left(place: Place) -> None:
    before = set(threading.enumerate())
    place.start()
    assert set(threading.enumerate()) - before
    elsewhere("pathlib.Path(sys.argv[1]).write_text('x')", place.top / "characters" / "a.png")
    place.watcher.stop()
    place.wait(lambda: place.watcher.is_at_rest)
    workers = {thread for thread in threading.enumerate() if thread.name.startswith("worker")}
    assert set(threading.enumerate()) - before <= workers
    assert place.told == []


@pytest.fixture
def fast_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "POLL", 0.01)
    monkeypatch.setattr(watching, "POLL_SHARE", 0)


@pytest.mark.parametrize("reason", ["limit", "network"])
@pytest.mark.usefixtures("fast_looks")
def test_where_the_system_does_not_tell_the_folders_are_looked_through(
    place: Place, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    if reason == "limit":
        monkeypatch.setattr("watchdog.observers.inotify.InotifyFD.add_callback", refuse)
    else:
        monkeypatch.setattr(watching, "is_remote", lambda _folder: True)
    chat = place.top / "chats" / "Mira" / "one.jsonl"
    place.start()
    place.wait(lambda: place.watcher._seen is not None)
    assert not place.watcher.is_observing
    elsewhere("pathlib.Path(sys.argv[1]).write_text('x')", chat)
    place.wait(lambda: "chats/Mira/one.jsonl" in place.paths)


@pytest.mark.usefixtures("fast_looks")
def test_nobody_looks_through_folders_for_a_window_nobody_sees(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "is_remote", lambda _folder: True)
    place.is_seen = False
    place.start()
    place.wait(lambda: place.watcher._seen is not None and place.watcher._poll is None)
    (place.top / "characters" / "a.png").write_text("x")
    assert place.watcher.is_at_rest
    place.is_seen = True
    place.watcher.wake()
    place.wait(lambda: "characters/a.png" in place.paths)


def test_a_scan_sees_new_gone_and_rewritten_files(tmp_path: Path) -> None:
    (tmp_path / "Mira").mkdir()
    kept, gone, changed = (tmp_path / "Mira" / name for name in ("kept", "gone", "changed"))
    for file in (kept, gone, changed):
        file.write_text("x")
    before = scan([tmp_path, tmp_path / "not there"])
    gone.unlink()
    changed.write_text("xy")
    (tmp_path / "new").write_text("x")
    assert differences(before, scan([tmp_path])) == {str(gone), str(changed), str(tmp_path / "new")}


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:50 / /mnt/my\\040nas rw - cifs //nas/x rw
41 40 0:51 / /mnt/my\\040nas/local rw - ext4 /dev/sdb1 rw
42 22 0:52 / /home/a/remote rw - fuse.sshfs a@b: rw
"""


@pytest.mark.parametrize(
    ("path", "remote"),
    [
        ("/home/a", False),
        ("/mnt/my nas/tavern", True),
        ("/mnt/my nas/local/tavern", False),
        ("/mnt/my nasty", False),
        ("/home/a/remote/data", True),
    ],
)
def test_folders_of_other_computers_are_known(path: str, remote: bool) -> None:
    assert is_remote_type(type_of(path, MOUNTS)) is remote
