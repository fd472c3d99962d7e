"""P2 and P3: what a person feels while a chat opens and while it is saved."""

from __future__ import annotations

import statistics
from pathlib import Path
from time import perf_counter, time_ns

from PySide6.QtCore import QObject, Qt, QTimer

from tavern_desktop.session.commands import EditText
from tavern_desktop.ui.main_window import MainWindow
from tests.bench.inputs import chat_in, chat_root
from tests.bench.program import is_ready, started
from tests.bench.sample import Sample, percentile
from tests.bench.waiting import until

SMALL = 100
OPENINGS = 5


def newest_painted(root: Path) -> Sample:
    """P2: from the click to the newest messages painted, against the same for a chat of a hundred messages."""
    window = started(root)
    large, small = chat_in(root), chat_in(chat_root(root.parent, SMALL))
    _open_until_painted(window, small)  # fonts and caches are not what is compared
    pairs = [(_open_until_painted(window, large), _open_until_painted(window, small)) for _ in range(OPENINGS)]
    large_times, small_times = zip(*pairs, strict=True)
    return Sample(statistics.median(large_times), statistics.median(small_times))


def stall_while_loading(root: Path) -> Sample:
    """P3: the longest the event loop does not answer between the click and the whole chat being there."""
    window = started(root)
    _open_until_painted(window, chat_in(chat_root(root.parent, SMALL)))
    heart = Heartbeat(window)
    window.open_path(chat_in(root))
    until(lambda: is_ready(window))
    return heart.stalls()


def stall_while_saving(root: Path) -> Sample:
    """P3: the same from an edit to its durable save."""
    window = started(root)
    path = chat_in(root)
    copy = path.with_name(f"to be saved {time_ns()}.jsonl")  # the history of an earlier one would be brought back
    copy.write_bytes(path.read_bytes())
    window.open_path(copy)
    until(lambda: is_ready(window))
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    heart = Heartbeat(window)
    session.do(EditText(session.chat.messages[len(session.chat) // 2].key, "another text"))
    session.save_now()
    until(lambda: session.save_state.kind == "saved")
    stalls = heart.stalls()
    window.desk.leave()
    copy.unlink()
    return stalls


class Heartbeat(QObject):
    """Asks for every millisecond and notes how much longer it took."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._gaps: list[float] = []
        self._last = perf_counter()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(1)

    def stalls(self) -> Sample:
        """Return the longest gap, and the 99th percentile of all."""
        self._beat()
        self._timer.stop()
        return Sample(max(self._gaps), tail=percentile(self._gaps, 0.99))

    def _beat(self) -> None:
        now = perf_counter()
        self._gaps.append(now - self._last)
        self._last = now


def _open_until_painted(window: MainWindow, path: Path) -> float:
    """Open a chat, return when its newest messages were on screen; then wait for all of it and leave it."""
    view = window.pane.view
    began = perf_counter()
    window.open_path(path)
    until(lambda: view.records is not None and view.records.rowCount() > 0)
    view.viewport().repaint()
    took = perf_counter() - began
    until(lambda: is_ready(window))
    window.desk.leave()
    return took
