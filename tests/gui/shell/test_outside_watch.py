"""The watch over the data folder in the life of the program: when it begins, what it follows, when it ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot, recognise
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.outside_watch import OutsideWatch, is_a_window_seen
from tavern_desktop.workers.watcher import Watcher
from tests.gui.shell.window_parts import Opener

START = """
import sys
from tavern_desktop.app import build
from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

window = build(["--data-root", sys.argv[1]])
services = window.services
before = []
services.library.first_shown.connect(lambda: before.append("watchdog" in sys.modules))
window.show()
watcher = None
while watcher is None or not watcher.is_observing:
    QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    watch = next((one for one in services.children() if type(one).__name__ == "OutsideWatch"), None)
    watcher = watch and watch.watcher
print(before, "watchdog" in sys.modules)
services.shut_down()
"""


def watch_of(window: MainWindow) -> OutsideWatch | None:
    return window.services.findChild(OutsideWatch)


def watcher_of(window: MainWindow, qtbot: QtBot) -> Watcher:
    """The watcher, once it is at work."""
    qtbot.waitUntil(lambda: (watch := watch_of(window)) is not None and watch.watcher.is_observing)
    watch = watch_of(window)
    assert watch is not None
    return watch.watcher


def observers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if type(thread).__module__.startswith("watchdog")}


def test_nothing_of_it_is_loaded_before_the_lists_are_shown(library: DataRoot, tmp_path: Path) -> None:
    folders = {name: str(tmp_path / name) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", START, str(library.path)],
        env=os.environ | folders | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(Path(__file__).parents[3])},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "[False] True"


def test_another_data_folder_is_watched_instead_and_at_the_end_none(
    opened: Opener, qtbot: QtBot, tmp_path: Path, library: DataRoot
) -> None:
    folder = tmp_path / "other"
    shutil.copytree(library.path, folder)
    other = recognise(folder)
    assert other is not None
    window = opened()
    former = watcher_of(window, qtbot)
    window.acts.choose_root(folder)
    watcher = watcher_of(window, qtbot)
    assert watcher is not former
    qtbot.waitUntil(lambda: former.is_at_rest and window.services.library.is_loaded)
    assert not former.is_observing
    chat = next(other.chats.rglob("*.jsonl"))
    chat.unlink()
    qtbot.waitUntil(lambda: window.services.library.row(chat) is None)
    opened.close()
    opened.services.clear()
    assert observers() == set()


def test_who_turns_to_the_window_sees_what_is_there(opened: Opener, qtbot: QtBot) -> None:
    """Also where nothing tells of changes, as on a network before the next look through its folders."""
    window = opened()
    watcher = watcher_of(window, qtbot)
    watcher.stop()
    qtbot.waitUntil(lambda: watcher.is_at_rest)
    path = window.services.library.chats[0].path
    window.desk.open(path)
    qtbot.waitUntil(lambda: window.desk.session.state == "ready")
    header, *lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([header, *lines, lines[0]]))
    window.services.window_activated.emit()
    qtbot.waitUntil(lambda: window.pane.banner.text == "Changed on disk: 1 message.")
    assert is_a_window_seen()
    window.showMinimized()
    qtbot.waitUntil(lambda: not is_a_window_seen())
