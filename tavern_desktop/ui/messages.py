"""What the program says to the person: said anywhere, shown where a window can show it, kept for reports.

`error`, `warning` and `info` log their sentence and pass it on; what is said before a window exists waits for
the first one. Message text of chats never comes here (decision D15).
"""

from __future__ import annotations

import logging
import time
from collections import deque
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

log = logging.getLogger("tavern_desktop.messages")

KEPT_LINES = 200

Level = Literal["info", "warning", "error"]
_LOG_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


@dataclass(frozen=True)
class Said:
    """One thing that was said."""

    level: Level
    text: str


class MessageService(QObject):
    """The one bridge between those who have something to say and the window that shows it."""

    said = Signal(object)
    """A Said. Connect only through `attend`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Said] = []
        self._attended = False

    def attend(self) -> list[Said]:
        """Say that a window now listens to `said`; return what was said before."""
        self._attended = True
        waiting, self._waiting = self._waiting, []
        return waiting

    def info(self, text: str) -> None:
        """Tell something good to know."""
        self._say(Said("info", text))

    def warning(self, text: str) -> None:
        """Tell something that did not go as it should, and lost nothing."""
        self._say(Said("warning", text))

    def error(self, text: str) -> None:
        """Tell something that failed."""
        self._say(Said("error", text))

    def _say(self, said: Said) -> None:
        log.log(_LOG_LEVELS[said.level], said.text)
        if self._attended:
            self.said.emit(said)
        else:
            self._waiting.append(said)


class LastLines(logging.Handler):
    """Keeps the last lines of the log in memory, for the crash dialog and for reports."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)

    def emit(self, record: logging.LogRecord) -> None:
        moment = time.strftime("%H:%M:%S", time.localtime(record.created))
        self.lines.append(f"{moment} {record.levelname} {record.name}: {record.getMessage()}")
