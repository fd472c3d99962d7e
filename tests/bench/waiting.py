"""Letting a window live inside a probe, and what it then weighs."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

PATIENCE = 120.0
"""Seconds after which something that does not happen is an error."""
SETTLING = 2.0
"""Seconds that a window is given to do what it does after its first frame."""


def until(happened: Callable[[], bool]) -> None:
    """Let the window live until something has happened."""
    flags = QEventLoop.ProcessEventsFlag.AllEvents | QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    deadline = perf_counter() + PATIENCE
    while not happened():
        if perf_counter() > deadline:
            raise TimeoutError("it did not happen")
        QApplication.processEvents(flags)


def live(seconds: float) -> None:
    """Let the window live for some time."""
    loop = QEventLoop()
    QTimer.singleShot(round(seconds * 1000), loop.quit)
    loop.exec()


def resident() -> int:
    """Return the memory that this process holds, in bytes."""
    import psutil  # not before: it would count as a part of the program's start

    gc.collect()
    return int(psutil.Process().memory_info().rss)
