"""Backups in the window: looked at, restored with a way back, and deleted chats brought back after a restart."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.backing_up import backups_in
from tavern_desktop.storage import file_moves
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.backups_dialog import MESSAGES, BackupsDialog
from tavern_desktop.ui.manager.dialog import ChatManager
from tests.gui.shell.test_accessible import nameless
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener, records


@pytest.fixture(autouse=True)
def no_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_moves, "to_system_bin", lambda path: path.unlink() or True)


def test_a_backup_is_looked_at_and_restored_and_undo_takes_it_back(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    before = records(path)
    backups_in(window.services.root).ensure(path)
    message = window.desk.session.chat.messages[6]
    window.desk.commands.edit(message.key, "Something else.", facts.text(before[6]))
    window.acts.run(Act.SAVE)
    qtbot.waitUntil(lambda: records(path)[6]["mes"] == "Something else.")
    qtbot.waitUntil(lambda: len(backups_in(window.services.root).list()) == 2)
    window.acts.run(Act.BACKUPS)
    dialog = window.findChild(BackupsDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 2)
    oldest = dialog.list.topLevelItem(1)
    dialog.list.setCurrentItem(oldest)
    qtbot.waitUntil(lambda: oldest.text(MESSAGES) == "7" and "whole chat" in dialog.ending.text())
    qtbot.waitUntil(lambda: facts.text(before[6]) in _texts(dialog))
    assert nameless(dialog) == []
    assert not dialog.view.is_editable
    restore = next(button for button in dialog.buttons if button.text() == "Restore")
    restore.click()
    qtbot.waitUntil(lambda: window.pane.undo_bar.isVisible())
    assert "Restored from the backup: 7 messages" in window.pane.undo_bar.text
    assert records(path) == before
    window.pane.undo_bar.undo_button.click()
    assert facts.text(window.desk.session.chat.messages[6].data()) == "Something else."


def _texts(dialog: BackupsDialog) -> list[str]:
    model = dialog.view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())] if model is not None else []


def test_a_damaged_backup_says_so(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    path = open_chat(window, qtbot, "The tide table")
    made = backups_in(window.services.root).ensure(path)
    made.write_bytes(path.read_bytes() + b'\n{"cut')
    window.acts.run(Act.BACKUPS)
    dialog = window.findChild(BackupsDialog)
    qtbot.waitUntil(lambda: "damaged" in dialog.ending.text())
    before = path.read_bytes()
    dialog.buttons[0].click()
    qtbot.waitUntil(lambda: "Not restored" in window.pane.banner.text)
    assert path.read_bytes() == before


def test_a_chat_deleted_before_a_restart_is_brought_back(opened: Opener, qtbot: QtBot, library: DataRoot) -> None:
    window = opened()
    path: Path = open_chat(window, qtbot, "The tide table")
    before = path.read_bytes()
    window.acts.run(Act.REMOVE_CHAT)
    qtbot.waitUntil(lambda: not path.exists())
    opened.close()
    window = opened()
    open_chat(window, qtbot, "灯谜")
    window.acts.run(Act.MANAGE_CHATS)
    manager = window.findChild(ChatManager)
    manager._show_deleted()
    dialog = manager.findChild(BackupsDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1 and dialog.open_button.isEnabled())
    assert dialog.open_button.text() == "Bring Back"
    dialog.open_button.click()
    qtbot.waitUntil(lambda: [chosen.stem for chosen in manager.chosen()] == ["Tock (restored)"])
    assert manager.chosen()[0].read_bytes() == before
