"""C1 to C4: special messages: their payloads read, a chat of them opened and scrolled, a long table scrolled."""

from __future__ import annotations

import gc
import statistics
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson
from PySide6.QtWidgets import QApplication, QTableView

from tavern_desktop.cards.envelope import new_record, read_card
from tavern_desktop.cards.yaml_writing import write_payload
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.storage.reader import load
from tavern_desktop.ui.chat.cards.table_frame import TableModel, prepare
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.look import Look
from tavern_desktop.ui.chat.view import ChatView
from tavern_desktop.ui.theme import themes
from tests.bench.sample import Sample, percentile

CARDS = 1_000
PAYLOAD = 4_096
"""Bytes of a payload: a table of two hundred cells."""
ROWS = 100_000
FRAMES = 200
STEP = 90


def parse(root: Path) -> Sample:
    """C1: a thousand payloads of 4 KB."""
    records = [_record(number) for number in range(CARDS)]
    began = perf_counter()
    for record in records:
        read_card(record)
    return Sample(perf_counter() - began)


def whole_load(root: Path) -> Sample:
    """C2: a chat of a thousand special messages read, against a bare loop that decodes each line."""
    path = root / "cards.jsonl"
    lines = [Header.new().raw, *(orjson.dumps(_record(number)) for number in range(CARDS))]
    path.write_bytes(b"\n".join(lines))
    loads, bare = [], []
    for _ in range(5):
        began = perf_counter()
        load(path)
        loads.append(perf_counter() - began)
        began = perf_counter()
        gc.disable()
        with path.open("rb") as file:
            for line in file:
                orjson.loads(line)
        gc.enable()
        bare.append(perf_counter() - began)
    path.unlink()
    return Sample(min(loads), min(bare))


def newest_painted(root: Path) -> Sample:
    """C3: the newest of a thousand special messages on screen, against a hundred of them."""
    many, few = _chat(CARDS), _chat(100)
    times = [(_time_to_paint(many), _time_to_paint(few)) for _ in range(5)]
    return Sample(*(statistics.median(each) for each in zip(*times, strict=True)))


def table_frame(root: Path) -> Sample:
    """C4: a frame while a table of a hundred thousand rows is scrolled."""
    application = QApplication.instance() or QApplication([])
    rows = [[number, f"row {number}", number * 0.5, "salt"] for number in range(ROWS)]
    view = QTableView()
    view.resize(700, 400)
    prepare(view, TableModel(["Number", "Name", "Half", "Goods"], rows, view), Look(themes().current, view.font()))
    view.show()
    application.processEvents()
    bar = view.verticalScrollBar()
    frames = []
    for number in range(FRAMES):
        began = perf_counter()
        bar.setValue(number * bar.maximum() // FRAMES)
        view.viewport().repaint()
        frames.append(perf_counter() - began)
        application.processEvents()
    return Sample(statistics.median(frames), tail=percentile(frames, 0.99))


def frame(root: Path) -> Sample:
    """C5: a frame while a chat of a thousand special messages is scrolled, each of them new on screen."""
    view = _view(_chat(CARDS), mounted=0)
    bar = view.verticalScrollBar()
    frames = []
    for _ in range(FRAMES):
        began = perf_counter()
        bar.setValue(bar.value() - STEP)
        view.viewport().repaint()
        frames.append(perf_counter() - began)
        QApplication.processEvents()
    return Sample(statistics.median(frames), tail=percentile(frames, 0.99))


@cache
def _record_text() -> str:
    """Return the JSON text of one, of which all others are copies but for their numbers."""
    rows = [[f"bale NUMBER of {row}", row] for row in range(PAYLOAD // 38)]
    payload = {"type": "Table", "id": "c_NUMBER", "title": "Cargo NUMBER", "columnNames": ["Goods", "Weight"]}
    return orjson.dumps(new_record(write_payload(payload | {"rows": rows}))).decode()


def _record(number: int) -> dict[str, Any]:
    record: dict[str, Any] = orjson.loads(_record_text().replace("NUMBER", str(number)))
    return record


def _chat(count: int) -> Chat:
    return Chat(Header.new(), [Message.new(_record(number)) for number in range(count)])


def _time_to_paint(chat: Chat) -> float:
    began = perf_counter()
    _view(chat)
    return perf_counter() - began


def _view(chat: Chat, mounted: int = 100) -> ChatView:
    QApplication.instance() or QApplication([])
    view = ChatView()
    view.set_mounted_count(mounted)
    view.resize(760, 760)
    view.show()
    view.set_chat(chat, ChatContext(themes().current))
    view.viewport().repaint()
    return view
