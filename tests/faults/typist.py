"""A window in which somebody types, to be killed: says on its output when what was typed is on disk.

    python -m tests.faults.typist ROOT CHAT

Types into the composer, then into the editor of message #1, and waits to be killed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tavern_desktop.app import build
from tavern_desktop.ui.main_window import MainWindow

COMPOSED = "a thousand words that nobody has sent"
EDITED = " and an edit that nobody has saved"


def until(condition: Callable[[], object]) -> None:
    """Let the window live until something is so."""
    while not condition():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)


def on_disk(window: MainWindow, what: str) -> Callable[[], bool]:
    folder = window.services.folders.data / "roots"
    return lambda: any(what.encode() in file.read_bytes() for file in folder.rglob("drafts/**/*.json"))


def main(root: str, chat: str) -> None:
    window = build(["--data-root", root])
    window.show()
    until(lambda: window.services.library.is_loaded)
    window.open_path(Path(chat))
    until(lambda: window.desk.session is not None and window.pane.view.is_editable)
    QTest.keyClicks(window.pane.composer.text, COMPOSED)
    until(on_disk(window, COMPOSED))
    print("composed", flush=True)
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    window.pane.view.begin_edit(session.chat.messages[1].key)
    field = window.findChild(QWidget, "messageEditor")
    assert field is not None
    QTest.keyClicks(field, EDITED)
    until(on_disk(window, EDITED))
    print("edited", flush=True)
    until(lambda: False)


if __name__ == "__main__":
    main(*sys.argv[1:])
