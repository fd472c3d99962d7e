"""The disk fills while somebody types: one message, nothing lost, saving goes on by itself (known failures B-15)."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.app import build
from tavern_desktop.chat import facts
from tavern_desktop.resources import resource_path
from tavern_desktop.storage.errors import from_os
from tavern_desktop.storage.stages import Stage
from tavern_desktop.ui.main_window import MainWindow

DISK = 4 * 1024 * 1024
LEFT = 8 * 1024
LONG = 60_000

Full = Callable[[], contextlib.AbstractContextManager[None]]


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Full]]:
    """A small disk, and what fills it; where none may be mounted, every write is refused instead."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    is_mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0

    @contextlib.contextmanager
    def filled() -> Iterator[None]:
        ballast = folder / "ballast"
        ballast.write_bytes(b"x" * (shutil.disk_usage(folder).free - LEFT))
        yield
        ballast.unlink()

    @contextlib.contextmanager
    def refused() -> Iterator[None]:
        def full(stage: Stage) -> None:
            raise from_os(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "sync", folder)

        with monkeypatch.context() as patched:
            patched.setattr(Stage, "sync", full)
            yield

    yield folder, filled if is_mounted else refused
    if is_mounted:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def chat(disk: tuple[Path, Full]) -> Path:
    """A chat of some hundred kilobytes on the small disk."""
    shutil.copytree(resource_path("sample"), disk[0] / "data")
    path = next((disk[0] / "data").rglob("chats/*/*.jsonl"))
    header, *records = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([header, *records * (300_000 // len(b"\n".join(records)))]))
    return path


@pytest.fixture
def window(qtbot: QtBot, disk: tuple[Path, Full], chat: Path) -> Iterator[MainWindow]:
    made = build(["--data-root", str(disk[0] / "data"), str(chat)])
    made.show()
    qtbot.waitUntil(lambda: made.desk.session is not None and made.pane.view.is_editable, timeout=LONG)
    yield made
    made.close()
    made.services.shut_down()


def press(window: MainWindow, text: str) -> None:
    (button,) = (button for button in window.pane.banner.buttons if button.text() == text)
    button.click()


def test_nothing_is_lost_and_saving_goes_on_by_itself(
    qtbot: QtBot, window: MainWindow, chat: Path, disk: tuple[Path, Full], tmp_path: Path
) -> None:
    before, session = chat.read_bytes(), window.desk.session
    with disk[1]():
        window.pane.composer.text.setFocus()
        qtbot.keyClicks(window.pane.composer.text, "written on a full disk")
        window.desk.writing.send()
        qtbot.waitUntil(lambda: "the disk is full" in window.pane.banner.text, timeout=LONG)
        assert "free and about" in window.pane.banner.text
        assert session.save_state.kind == "failed"
        assert chat.read_bytes() == before
        window.services.change_setting("text_size", 120)
        qtbot.keyClicks(window.pane.composer.text, "and going on")
        assert facts.text(session.chat.messages[-1].data()) == "written on a full disk"

        # All of it can be put somewhere else meanwhile.
        out = tmp_path / "elsewhere.jsonl"
        window.desk.full_disk.save_to(session, out)
        qtbot.waitUntil(lambda: str(out) in window.pane.banner.text, timeout=LONG)
        assert b"written on a full disk" in out.read_bytes()
        assert session.is_dirty

    # There is room again: nobody has to do anything.
    qtbot.waitUntil(lambda: not session.is_dirty, timeout=LONG)
    qtbot.waitUntil(lambda: "the disk is full" not in window.pane.banner.text, timeout=LONG)
    assert b"written on a full disk" in chat.read_bytes()
    assert window.pane.composer.text.toPlainText() == "and going on"
    assert not list(chat.parent.glob(".td-*"))


def test_trying_again_is_told_of_once_more(qtbot: QtBot, window: MainWindow, disk: tuple[Path, Full]) -> None:
    with disk[1]():
        window.pane.composer.text.show_text("written on a full disk")
        window.desk.writing.send()
        qtbot.waitUntil(lambda: "the disk is full" in window.pane.banner.text, timeout=LONG)
        press(window, "Try Again")
        qtbot.waitUntil(lambda: "the disk is full" in window.pane.banner.text, timeout=LONG)
        assert sum(notice.key == "disk_full" for notice in window.pane.banner._notices) == 1


def test_our_own_files_on_the_full_disk(
    qtbot: QtBot, disk: tuple[Path, Full], chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is typed then is only in the window, which says so, until it can be kept again."""
    monkeypatch.setenv("TAVERN_DESKTOP_HOME", str(disk[0] / "own"))
    window = build(["--data-root", str(disk[0] / "data"), str(chat)])
    window.show()
    qtbot.waitUntil(lambda: window.desk.session is not None and window.pane.view.is_editable, timeout=LONG)
    drafts = window.services.drafts
    window.pane.composer.text.show_text("x" * 20_000)
    drafts.flush()
    qtbot.waitUntil(lambda: not drafts.is_busy, timeout=LONG)
    with disk[1]():
        window.pane.composer.text.show_text("y" * 40_000)
        drafts.flush()
        qtbot.waitUntil(lambda: "kept only in this window" in window.pane.banner.text, timeout=LONG)
    drafts.flush()
    qtbot.waitUntil(lambda: drafts.problem is None, timeout=LONG)
    qtbot.waitUntil(lambda: "kept only" not in window.pane.banner.text, timeout=LONG)
    window.close()
    window.services.shut_down()
