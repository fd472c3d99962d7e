"""Builds the program with a window and connects its parts. Nothing imports this but the entry points.

What is not needed for the first frame is imported or read after it (budgets P14, P16).
"""

from __future__ import annotations

import tavern_desktop.workers.lean_pyside  # noqa: F401  first, before others are imported

# isort: split
import argparse
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from tavern_desktop.library.data_root import DataRoot, ensure_own_root
from tavern_desktop.resources import resource_path
from tavern_desktop.session.preferences import Preferences
from tavern_desktop.session.startup import SAMPLE, choose_root
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.storage.own_folders import OwnFolders, own_folders
from tavern_desktop.ui.claim import Claim, RequestDesk, hand_over
from tavern_desktop.ui.icons import application_icon
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.services import Services
from tavern_desktop.ui.theme import themes
from tavern_desktop.ui.windows import Windows
from tavern_desktop.workers.qt_runner import QtRunner

if TYPE_CHECKING:
    from tavern_desktop.session.open_chats import OpenChats
    from tavern_desktop.session.runner import Outcome
    from tavern_desktop.ui.messages import LastLines

PENDING = "pending"
"""Where in our own folder versions wait that could not be saved; the folder is there only while one does."""
SWITCH_INTERVAL = 0.001
"""Seconds a thread may hold the interpreter: halves the longest stall of the window while a worker is busy."""
DESKTOP_FILE = "tavern-desktop"
NO_SCREEN = """\
There is no screen to show a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.
The commands need none; see  tavern-desktop chats --help"""


@dataclass(frozen=True)
class Start:
    """What a start of the program is about, before there is a window."""

    folders: OwnFolders
    preferences: Preferences
    root: DataRoot
    problem: str
    """A sentence where the data folder that was wanted cannot be used."""
    path: Path | None
    """The chat file to open."""
    new_window: bool
    is_first: bool
    """Nobody has chosen a data folder yet."""


def main(argv: Sequence[str]) -> int:
    """Run the program with a window; `argv` without the program's name. Returns the exit code."""
    if _lacks_a_screen():
        print(NO_SCREEN, file=sys.stderr)
        return 1
    start = _start(list(argv))
    if _hand_over(start):
        return 0
    window = _build(start)
    window.show()
    QTimer.singleShot(0, window, lambda: _watch(window))
    return QApplication.exec()


def _watch(window: MainWindow) -> None:
    """Be ready for what may go wrong, and for the system's wish that the program ends."""
    from tavern_desktop.ui.crash import CrashHook
    from tavern_desktop.workers.end_signals import EndSignals

    CrashHook(_log_to_memory()).install()
    EndSignals(window.services).asked.connect(QApplication.closeAllWindows)


def _lacks_a_screen() -> bool:
    """Qt itself would abort the process with advice that does not help."""
    return sys.platform == "linux" and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")))


def build(argv: list[str]) -> MainWindow:
    """Make everything, with a QApplication if there is none, and return the first window, not yet shown."""
    return _build(_start(argv))


def _hand_over(start: Start) -> bool:
    """Let a process that has the data folder open already take this start; return whether it did."""
    folder = start.folders.for_root(start.root.path).data
    return folder.exists() and hand_over(folder, start.path, new_window=start.new_window)


def _build(start: Start) -> MainWindow:
    application = _application()
    runner = QtRunner(application)
    claim = Claim(runner, application)
    services = _services(start, claim, application)
    windows = Windows(services)
    window = windows.open_first()
    application.aboutToQuit.connect(services.shut_down)
    services.ended.connect(claim.release)
    services.ended.connect(runner.close)
    if start.problem:
        services.messages.error(start.problem)
    for text in start.preferences.problems():
        services.messages.warning(text)

    def go_on() -> None:
        _go_on(window, start)
        if services.library.is_loaded:
            _watch_folder(services)
        else:
            once = Qt.ConnectionType.SingleShotConnection
            services.library.loaded.connect(partial(_watch_folder, services), once)
        claim.serve(RequestDesk(services, windows).answer)
        _look_for_unsaved(window, claim)

    # The window is painted before anything is read for it, and the lists before the chat's part is loaded.
    QTimer.singleShot(0, window, services.begin)
    services.library.first_shown.connect(lambda: QTimer.singleShot(0, window, go_on))
    return window


def _look_for_unsaved(window: MainWindow, claim: Claim) -> None:
    """Tell of changes that an earlier run of the program did not get into their files."""
    from tavern_desktop.ui.unsaved_notice import UnsavedNotice

    def is_owner() -> bool:
        return bool(window.services.open_chats) and claim.is_owner  # whoever opens chats claims their folder

    UnsavedNotice(window.services, window.desk, window.pane.banner, is_owner)
    waiting = window.services.own_data / PENDING

    def save_pending(outcome: Outcome[bool]) -> None:
        if outcome.result():
            window.services.open_chats.save_pending()

    window.services.runner.submit(waiting.is_dir, save_pending)


def _watch_folder(services: Services) -> None:
    """Follow what other programs do to the data folder, once its lists have been read."""
    from tavern_desktop.ui.outside_watch import OutsideWatch

    OutsideWatch(services)


def _start(argv: list[str]) -> Start:
    options = _parser().parse_args(argv)
    path = Path(options.path).absolute() if options.path else None
    given = options.data_root
    if path is not None and path.is_dir():
        given, path = str(path), None
    folders = own_folders(portable=options.portable)
    preferences = Preferences(folders)
    root, problem = _root(folders, preferences, given, options.user)
    is_first = given is None and preferences.settings.value.data_root is None
    return Start(folders, preferences, root, problem, path, options.new_window, is_first)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("tavern-desktop", description="A native chat client for SillyTavern's files.")
    parser.add_argument("path", nargs="?", metavar="FILE|FOLDER", help="a chat to open, or a data folder")
    parser.add_argument("--data-root", metavar="DIR", help="the data folder to work on")
    parser.add_argument("--user", metavar="HANDLE", help="the user whose folder in it is worked with")
    parser.add_argument("--portable", action="store_true", help="keep the program's own files beside it")
    parser.add_argument("--new-window", action="store_true", help="open one more window")
    return parser


def _root(folders: OwnFolders, preferences: Preferences, given: str | None, user: str | None) -> tuple[DataRoot, str]:
    """Return the data root to work on, and a sentence where it is not the one that was wanted."""
    try:
        root = choose_root(folders, preferences, given, user)
        folders.for_root(root.path)  # refuses a data folder that would hold our own files
        return root, ""
    except StorageError as error:
        problem = error.message
    except OSError as error:
        problem = f"The folder for the sample could not be made: {error.strerror or error}."
    try:
        return ensure_own_root(folders, resource_path(SAMPLE)), problem
    except OSError:
        return DataRoot(folders.library), problem


def _application() -> QApplication:
    """Return the QApplication, made and set up if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        themes()
        return existing
    sys.setswitchinterval(SWITCH_INTERVAL)
    _choose_input_method()
    application = QApplication(sys.argv[:1])
    application.setApplicationName("tavern-desktop")
    application.setApplicationDisplayName("Tavern Desktop")
    QGuiApplication.setDesktopFileName(DESKTOP_FILE)
    themes()
    application.setWindowIcon(application_icon())
    return application


def _choose_input_method() -> None:
    """PySide6 brings ibus's plugin but not fcitx's; fcitx5 serves ibus's protocol too."""
    if os.environ.get("QT_IM_MODULE") != "fcitx":
        return
    plugins = Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforminputcontexts"
    if not any("fcitx" in plugin.name for plugin in plugins.glob("*")):
        os.environ["QT_IM_MODULE"] = "ibus"


def _log_to_memory() -> LastLines:
    """Keep the last lines of the log for reports. Message text is never logged (decision D15)."""
    from tavern_desktop.ui.messages import LastLines

    root = logging.getLogger()
    for handler in root.handlers:
        if isinstance(handler, LastLines):
            return handler
    lines = LastLines()
    root.addHandler(lines)
    return lines


def _services(start: Start, claim: Claim, application: QApplication) -> Services:
    runner = claim.runner
    themes().choose(start.preferences.settings.value.theme)

    def open_chats(root: DataRoot) -> OpenChats:
        from tavern_desktop.library.groups import header_for_headerless
        from tavern_desktop.session import recovered
        from tavern_desktop.session.cold_swipes import ColdSwipes
        from tavern_desktop.session.open_chats import OpenChats

        own = start.folders.for_root(root.path)
        folder = own.data
        settings = start.preferences.settings
        cold_swipes = ColdSwipes(own.cache / "spool", lambda: settings.value.unseen_on_disk)
        return OpenChats(
            runner,
            folder / recovered.FOLDER,
            own_folder=folder,
            root=root.path,
            folders=start.folders,
            header_for_headerless=partial(header_for_headerless, root),
            read_only=not claim.move_to(folder),
            messages_of=cold_swipes.messages_of,
        )

    return Services(runner, start.folders, start.preferences, start.root, open_chats, application)


def _go_on(window: MainWindow, start: Start) -> None:
    """What follows when the library can be seen: the chat that was asked for or left open last."""
    if start.path is not None:
        window.open_path(start.path)
    elif start.is_first:
        window.acts.show_welcome()
    else:
        window.complete()
        window.open_last()
