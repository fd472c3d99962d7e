"""P8, P9, P10: painting a chat whose every message is mounted."""

from __future__ import annotations

import random
import statistics
from pathlib import Path
from time import perf_counter

from PySide6.QtWidgets import QApplication

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.storage.reader import load
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.theme import themes
from tests.bench.inputs import chat_in
from tests.bench.sample import Sample, percentile

SIZE = 760, 760
PLACES, FRAMES = 10, 40
STEP = 90
"""Pixels of a turn of the wheel."""
JUMPS = 100
UPDATES = 100
FEW = 100


def frame(root: Path) -> Sample:
    """P8: one step of the wheel and the frame after it, in several places; median and tail."""
    view, chat = mounted(root)
    rng = random.Random(1)
    frames = []
    for _ in range(PLACES):
        view.scroll_to_index(rng.randrange(len(chat)))
        view.viewport().repaint()
        for _ in range(FRAMES):
            began = perf_counter()
            bar = view.verticalScrollBar()
            bar.setValue(bar.value() - STEP)
            view.viewport().repaint()
            frames.append(perf_counter() - began)
            QApplication.processEvents()
    return Sample(statistics.median(frames), tail=percentile(frames, 0.99))


def jump(root: Path) -> Sample:
    """P9: to any message: the slowest of a hundred but one."""
    view, chat = mounted(root)
    rng = random.Random(2)
    jumps = []
    for _ in range(JUMPS):
        began = perf_counter()
        view.scroll_to_index(rng.randrange(len(chat)))
        view.viewport().repaint()
        jumps.append(perf_counter() - began)
        QApplication.processEvents()
    return Sample(percentile(jumps, 0.98))


def streaming(root: Path) -> Sample:
    """P10: the last message grows by a few words, with everything mounted, against the same with a hundred rows."""
    all_rows = _update_time(*mounted(root))
    few_rows = _update_time(*mounted(root, FEW))
    return Sample(all_rows, few_rows)


def mounted(root: Path, count: int = 0) -> tuple[ChatView, Chat]:
    """Return a view with the newest `count` messages of a chat mounted, all of them with 0, and the chat."""
    QApplication.instance() or QApplication([])
    loaded = load(chat_in(root))
    assert isinstance(loaded.header, Header)
    chat = Chat(loaded.header, loaded.messages)
    view = ChatView()
    view.set_mounted_count(count)
    view.resize(*SIZE)
    view.show()
    view.set_chat(chat, ChatContext(themes().current))
    QApplication.processEvents()
    view.viewport().repaint()
    return view, chat


def _update_time(view: ChatView, chat: Chat) -> float:
    view.go_to_end()
    last, times = len(chat) - 1, []
    data = chat.messages[last].data() | {"mes": "It begins."}
    for number in range(UPDATES):
        data["mes"] += f" And then, {number}, something else happens."
        message = chat.messages[last].with_data(data)
        began = perf_counter()
        chat.replace(last, [message])
        view.viewport().repaint()
        times.append(perf_counter() - began)
        QApplication.processEvents()
    return statistics.median(times)
