"""What is told on the desktop, and clicked there."""

from __future__ import annotations

import queue
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.backends.loop_thread import LoopThread
from tavern_desktop.session.desktop_notices import DesktopNotices
from tests.mini_desktop import SECONDS, MiniDesktop, Shown

Do = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture
def desktop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MiniDesktop]:
    made = MiniDesktop(tmp_path)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", made.address)
    yield made
    made.end()


@pytest.fixture
def clicked() -> queue.Queue[str]:
    return queue.Queue()


@pytest.fixture
def notices(clicked: queue.Queue[str]) -> DesktopNotices:
    return DesktopNotices(clicked.put)


@pytest.fixture
def do(notices: DesktopNotices) -> Iterator[Do]:
    loop = LoopThread("notices")
    yield lambda work: loop.submit(work).result(SECONDS)
    loop.close(notices.aclose)


def test_one_is_shown_and_a_click_says_which(
    desktop: MiniDesktop, notices: DesktopNotices, do: Do, clicked: queue.Queue[str]
) -> None:
    assert do(notices.show("a", "Mira has replied", "The harbour", "Open"))
    assert do(notices.show("b", "Ilka has replied", "<b>Rain</b> & more", "Open"))
    assert desktop.shown == {
        1: Shown("Mira has replied", "The harbour", ["default", "Open"]),
        2: Shown("Ilka has replied", "<b>Rain</b> & more", ["default", "Open"]),
    }
    desktop.click(2)
    assert clicked.get(timeout=SECONDS) == "b"
    desktop.click(1)
    assert clicked.get(timeout=SECONDS) == "a"


def test_a_click_that_comes_with_the_answer_is_not_missed(
    desktop: MiniDesktop, notices: DesktopNotices, do: Do, clicked: queue.Queue[str]
) -> None:
    desktop.clicks_at_once = True
    for key in "abcdefgh":
        assert do(notices.show(key, "Mira has replied", "", "Open"))
        assert clicked.get(timeout=SECONDS) == key


def test_a_later_one_of_the_same_chat_takes_its_place(desktop: MiniDesktop, notices: DesktopNotices, do: Do) -> None:
    do(notices.show("a", "Mira has replied", "once", "Open"))
    do(notices.show("a", "Mira has replied", "twice", "Open"))
    assert [shown.body for shown in desktop.shown.values()] == ["twice"]
    do(notices.withdraw("a"))
    assert desktop.shown == {}
    do(notices.withdraw("never shown"))


def test_where_the_desktop_reads_markup_the_text_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, notices: DesktopNotices, do: Do
) -> None:
    desktop = MiniDesktop(tmp_path, capabilities=("body", "body-markup"))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", desktop.address)
    do(notices.show("a", "Mira has replied", "<b>Rain</b> & more", "Open"))
    assert [shown.body for shown in desktop.shown.values()] == ["&lt;b&gt;Rain&lt;/b&gt; &amp; more"]
    desktop.end()


@pytest.mark.parametrize("address", ["unix:path=/nowhere/at/all", "nonsense", ""])
def test_without_a_desktop_nothing_is_shown(
    notices: DesktopNotices, do: Do, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    assert do(notices.show("a", "Mira has replied", "", "Open")) is False
    do(notices.withdraw("a"))


def test_a_bus_on_which_nobody_shows_notices_is_no_desktop(
    tmp_path: Path, notices: DesktopNotices, do: Do, monkeypatch: pytest.MonkeyPatch
) -> None:
    desktop = MiniDesktop(tmp_path, refuses=True)
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", desktop.address)
    assert do(notices.show("a", "Mira has replied", "", "Open")) is False
    desktop.end()


def test_a_desktop_that_goes_is_told_of_as_none(desktop: MiniDesktop, notices: DesktopNotices, do: Do) -> None:
    assert do(notices.show("a", "Mira has replied", "", "Open"))
    desktop.end()
    assert do(notices.show("a", "Mira has replied", "again", "Open")) is False
