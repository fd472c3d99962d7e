"""Killed with -9 while somebody types: at the next start the text is there (known failures B-47 d)."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pytestqt.qtbot import QtBot

from tavern_desktop.app import build
from tavern_desktop.resources import resource_path
from tavern_desktop.ui.main_window import MainWindow
from tests.faults.typist import COMPOSED, EDITED


def _start(root: Path, chat: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.faults.typist", str(root), str(chat)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2])


def _open(qtbot: QtBot, root: Path, chat: Path) -> MainWindow:
    window = build(["--data-root", str(root), str(chat)])
    window.show()
    qtbot.waitUntil(lambda: window.desk.session is not None and window.pane.view.is_editable, timeout=60_000)
    return window


def test_what_was_typed_is_there_at_the_next_start(qtbot: QtBot, tmp_path: Path, own_files_apart: Path) -> None:
    root = tmp_path / "data"
    shutil.copytree(resource_path("sample"), root)
    chat = next(root.rglob("chats/*/*.jsonl"))
    before = chat.read_bytes()
    child = _start(root, chat)
    assert child.stdout is not None
    assert child.stdout.readline() == b"composed\n"
    assert child.stdout.readline() == b"edited\n"
    child.kill()
    child.stdout.close()
    child.wait()
    assert chat.read_bytes() == before

    window = _open(qtbot, root, chat)
    assert window.pane.composer.text.toPlainText() == COMPOSED
    qtbot.waitUntil(lambda: "#1" in window.pane.banner.text)
    (go_on,) = (button for button in window.pane.banner.buttons if button.text() == "Continue")
    go_on.click()
    assert window.pane.view.editing.frame is not None
    assert window.pane.view.editing.frame.text.endswith(EDITED)
    window.close()
    window.services.shut_down()
    assert EDITED.encode() in chat.read_bytes()
