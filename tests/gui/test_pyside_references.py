"""PySide6 6.12.0 gave back a reference too many at every emit and every void call, and the process died of it (D16).

A later version may be tried when this passes with it.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

TIMES = 1000
SLACK = 50
"""Other code may hold a few references more or less meanwhile; the fault costs one for each of TIMES."""


class Sender(QObject):
    told = Signal(int)


class Painted(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.paints = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawText(4, 12, "x")
        painter.end()
        self.paints += 1


def _is_still(before: tuple[int, int]) -> bool:
    now = (sys.getrefcount(None), sys.getrefcount(True))
    return all(abs(one - other) < SLACK for one, other in zip(before, now, strict=True))


def test_emitting_keeps_the_references_of_none_and_true(qtbot: QtBot) -> None:
    sender, received = Sender(), [0]

    def receive(number: int) -> None:
        received[0] = number

    sender.told.connect(receive)
    before = sys.getrefcount(None), sys.getrefcount(True)
    for number in range(TIMES):
        sender.told.emit(number)
    assert received == [TIMES - 1]
    assert _is_still(before)


def test_repainting_keeps_the_references_of_none_and_true(qtbot: QtBot) -> None:
    widget = Painted()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    before = sys.getrefcount(None), sys.getrefcount(True)
    for _ in range(TIMES):
        widget.repaint()
    assert widget.paints >= TIMES
    assert _is_still(before)
