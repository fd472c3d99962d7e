"""A signal to end reaches the event loop, and nothing else happens."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.workers.end_signals import ENDING, EndSignals


@pytest.fixture
def end_signals(qtbot: QtBot) -> Iterator[EndSignals]:
    made = EndSignals()
    yield made
    made.close()


@pytest.mark.parametrize("number", ENDING)
def test_each_is_heard_by_an_idle_event_loop(qtbot: QtBot, end_signals: EndSignals, number: signal.Signals) -> None:
    with qtbot.waitSignal(end_signals.asked, timeout=5000):
        os.kill(os.getpid(), number)


def test_closing_gives_them_back(qtbot: QtBot) -> None:
    before = [signal.getsignal(number) for number in ENDING]
    EndSignals().close()
    assert [signal.getsignal(number) for number in ENDING] == before
    assert signal.set_wakeup_fd(-1) == -1
