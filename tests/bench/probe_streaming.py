"""P10 and P11: a reply that is being written, in the surface and in the whole program."""

from __future__ import annotations

import asyncio
import statistics
from pathlib import Path
from time import perf_counter, process_time

from PySide6.QtWidgets import QApplication

from tavern_desktop.backends.events import Finished, Started, Text
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.prompt.messages import Prompt
from tavern_desktop.session.generating.model_servers import ModelServers
from tavern_desktop.session.generating.scenes import Asked
from tavern_desktop.session.generating.task import Produce, Prompted, Put
from tavern_desktop.ui.chat.list_model import ChatListModel
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.main_window import MainWindow
from tests.bench.inputs import chat_in
from tests.bench.probe_surface import FEW, UPDATES, mounted
from tests.bench.program import settled_in_chat
from tests.bench.sample import Sample, percentile
from tests.bench.waiting import until

CHUNK = "word "
PARAGRAPH = 60
"""Chunks in a paragraph: a reply of thousands of words has some."""
RATE = 2000
"""Chunks a second."""
BURST = 20
"""Chunks that come at once, as from a socket."""
SECONDS, SHORT = 10.0, 0.5
SMALL = 1 << 20
"""Bytes of a chat below which the benchmark is only tried out."""


def live_row(root: Path) -> Sample:
    """P10: the row of a reply under way grows by a few words, everything mounted, against a hundred rows mounted."""
    return Sample(_growth_time(*mounted(root)), _growth_time(*mounted(root, FEW)))


def behind(root: Path) -> Sample:
    """P11: from a chunk that comes to the frame that shows it, the 99th percentile, at 2,000 chunks a second."""
    return Sample(percentile(_Stream(root).run(), 0.99))


def cpu(root: Path) -> Sample:
    """P11: processor time of all of that, the model's part included, as a share of one core."""
    stream = _Stream(root)
    began, used = perf_counter(), process_time()
    stream.run()
    return Sample((process_time() - used) / (perf_counter() - began))


def _growth_time(view: ChatView, chat: Chat) -> float:
    view.go_to_end()
    model = view.records
    assert isinstance(model, ChatListModel)
    coming, after, times = Message.new(chat.messages[-1].data() | {"mes": ""}), chat.messages[-1].key, []
    text = "It begins."
    for number in range(UPDATES):
        text += f" And then, {number}, something else happens."
        raw = coming.with_data(coming.data() | {"mes": text}).raw
        began = perf_counter()
        model.show_live(coming.key, raw, after)
        view.viewport().repaint()
        times.append(perf_counter() - began)
        QApplication.processEvents()
    return statistics.median(times)


class _Servers(ModelServers):
    """Model servers whose only model writes at a given rate. `came` says when each chunk did."""

    came: list[float]
    seconds: float

    def produce(self, asked: Asked, count: int = 1) -> Produce:
        return self._write

    async def _write(self, put: Put) -> None:
        put(Prompted(Prompt(()), "openai", "bench"))
        put(Started("bench"))
        began, bursts = perf_counter(), int(self.seconds * RATE / BURST)
        for number in range(bursts):
            await asyncio.sleep(max(0.0, began + number * BURST / RATE - perf_counter()))
            for _ in range(BURST):
                self.came.append(perf_counter())
                put(Text(CHUNK if len(self.came) % PARAGRAPH else "over\n\n"))
        put(Finished("stop"))


class _Stream:
    """The program in a chat, with such a model."""

    def __init__(self, root: Path) -> None:
        self._window: MainWindow = settled_in_chat(root)
        services = self._window.services
        self._servers = _Servers(services.runner, services.folders, services.own_data)
        self._servers.came = []
        self._servers.seconds = SECONDS if chat_in(root).stat().st_size > SMALL else SHORT
        services._model_servers = self._servers

    def run(self) -> list[float]:
        """Have a reply written; return how far each frame was behind the newest chunk that it shows."""
        view, replying = self._window.pane.view, self._window.desk.replying
        lags: list[float] = []

        def look() -> None:
            row = view.places.row_count - 1
            if view.records is None or not view.records.is_live(row):
                return
            view.viewport().repaint()
            shown = len(view.record(row).text.split())
            if shown:
                lags.append(perf_counter() - self._servers.came[shown - 1])

        assert view.records is not None
        view.records.dataChanged.connect(look)
        self._window.desk.replying.answer()
        until(lambda: replying.task is None and len(self._servers.came) > 0)
        self._window.desk.commands.undo()
        self._window.desk.leave()
        return lags
