"""A chat without messages is no blank page, and a file that lost everything is not taken for one (B-07)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.ui.main_window import MainWindow
from tests.gui.shell.window_parts import Opener

HEADER = b'{"user_name":"Ana","chat_metadata":{"integrity":"11111111-1111-4111-8111-111111111111"}}'
NULS = b"\0" * 64_560


@pytest.fixture
def chat(library: DataRoot) -> Path:
    return next(library.chats.glob("*/*.jsonl"))


def opened_on(opened: Opener, qtbot: QtBot, chat: Path) -> MainWindow:
    window = opened(str(chat))
    qtbot.waitUntil(lambda: window.desk.session is not None and window.desk.session.state != "loading")
    return window


def back_up(library: DataRoot, chat: Path) -> None:
    folder = library.user_folder / "backups"
    folder.mkdir(exist_ok=True)
    shutil.copy(chat, folder / f"chat_{chat.parent.name.lower().replace(' ', '_')}_20260105-100000.jsonl")


def test_a_new_chat_says_so_until_the_first_message(opened: Opener, qtbot: QtBot, chat: Path) -> None:
    chat.write_bytes(HEADER)
    window = opened_on(opened, qtbot, chat)
    assert window.pane.empty.isVisible()
    assert "No messages yet" in window.pane.empty.what.text()
    assert not window.pane.empty.backups.isVisible()
    window.pane.composer.text.show_text("the first")
    window.desk.writing.send()
    assert not window.pane.empty.isVisible()
    window.desk.commands.undo()
    assert window.pane.empty.isVisible()


def test_a_file_of_no_bytes_names_the_newest_backup(
    opened: Opener, qtbot: QtBot, chat: Path, library: DataRoot
) -> None:
    back_up(library, chat)
    chat.write_bytes(b"")
    window = opened_on(opened, qtbot, chat)
    assert "0 bytes" in window.pane.empty.what.text()
    assert window.pane.empty.backups.isVisible()
    qtbot.waitUntil(lambda: "Newest backup" in window.pane.empty.backup.text())
    assert "messages" in window.pane.empty.backup.text()
    assert chat.read_bytes() == b""


def test_a_file_of_nul_bytes_is_named_and_kept(opened: Opener, qtbot: QtBot, chat: Path, library: DataRoot) -> None:
    back_up(library, chat)
    chat.write_bytes(NULS)
    window = opened_on(opened, qtbot, chat)
    assert window.pane.page == "failed"
    qtbot.waitUntil(lambda: "NUL" in window.pane.failed.what.text())
    qtbot.waitUntil(lambda: "Newest backup" in window.pane.failed.backup_text.text())
    assert window.pane.failed.backups.isVisible()
    window.desk.leave()
    assert chat.read_bytes() == NULS


def test_a_chat_with_messages_has_no_such_words(opened: Opener, qtbot: QtBot, chat: Path) -> None:
    window = opened_on(opened, qtbot, chat)
    assert not window.pane.empty.isVisible()
