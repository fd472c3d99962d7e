"""The whole program in a process of its own: `python -m tests.bench.program ROOT`.

Prints "usable" when the window with its recent chats is painted, then opens the chat of ROOT and prints the memory
held when nothing is going on any more.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tavern_desktop import app
from tavern_desktop.ui.main_window import MainWindow
from tests.bench.inputs import chat_in
from tests.bench.waiting import SETTLING, live, resident, until


def started(root: Path) -> MainWindow:
    """Start the program on a data root; return when the list of recent chats is there and painted."""
    window = app.build(["--data-root", str(root)])
    window.show()
    until(lambda: window.library.recent.filter.rowCount() > 0)
    window.repaint()
    return window


def is_ready(window: MainWindow) -> bool:
    """Say whether the chat in view can be changed: all of it is there."""
    session = window.desk.session
    return session is not None and session.state == "ready"


def settled_in_chat(root: Path) -> MainWindow:
    """Start the program, open the chat of `root` and let it come to rest."""
    window = started(root)
    window.open_path(chat_in(root))
    until(lambda: is_ready(window))
    live(SETTLING)
    return window


def main(root: Path) -> None:
    window = started(root)
    print("usable", flush=True)
    if chat_in(root).exists():
        window.open_path(chat_in(root))
        until(lambda: is_ready(window))
        live(SETTLING)
        print(resident(), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
