"""What was put aside, and what became of the last saves: both can be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.session.recovered import FOLDER
from tavern_desktop.storage.savelog import FOLDER as LOG_FOLDER
from tavern_desktop.storage.savelog import SaveLog, SaveRecord
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.recovered_dialog import CHAT, MESSAGES, RecoveredDialog
from tavern_desktop.ui.save_log_dialog import SaveLogDialog, SaveLogModel
from tests.gui.shell.window_parts import Opener

LINES = '{"chat_metadata":{"integrity":"11111111-1111-4111-8111-111111111111"}}\n{"name":"Ana","mes":"put aside"}'


@pytest.fixture
def window(opened: Opener) -> MainWindow:
    return opened()


def dialog_of(window: MainWindow, act: Act, kind: type) -> object:
    window.acts.run(act)
    found = window.findChild(kind)
    assert found is not None
    return found


def put_aside(window: MainWindow, title: str) -> Path:
    folder = window.services.own_data / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{title} - 2026-01-05 10h00m00s ab12.jsonl"
    path.write_text(LINES, "utf-8")
    return path


def test_with_nothing_put_aside_it_says_so(window: MainWindow, qtbot: QtBot) -> None:
    dialog = dialog_of(window, Act.RECOVERED, RecoveredDialog)
    assert isinstance(dialog, RecoveredDialog)
    qtbot.waitUntil(lambda: "Nothing" in dialog.hint.text())
    assert not dialog.open_button.isEnabled()
    dialog.reject()


def test_a_copy_is_named_counted_shown_and_opened(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put_aside(window, "The tide table")
    shown: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    dialog = dialog_of(window, Act.RECOVERED, RecoveredDialog)
    assert isinstance(dialog, RecoveredDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    item = dialog.list.topLevelItem(0)
    assert item is not None
    assert item.text(CHAT) == "The tide table"
    qtbot.waitUntil(lambda: item.text(MESSAGES) == "1")
    qtbot.mouseClick(dialog.folder_button, Qt.MouseButton.LeftButton)
    assert shown == [str(path.parent)]
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.desk.path == path and window.pane.view.is_editable)


def test_unsent_text_of_a_chat_that_is_gone_is_shown_and_opened(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put_aside(window, "The tide table").rename(
        window.services.own_data / FOLDER / "The tide table - 2026-01-05 10h00m00s ab12.txt"
    )
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    dialog = dialog_of(window, Act.RECOVERED, RecoveredDialog)
    assert isinstance(dialog, RecoveredDialog)
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    item = dialog.list.topLevelItem(0)
    assert item is not None
    qtbot.waitUntil(lambda: item.text(MESSAGES) == "unsent text")
    qtbot.mouseClick(dialog.open_button, Qt.MouseButton.LeftButton)
    assert opened == [str(path)]


def records() -> list[SaveRecord]:
    good = SaveRecord(1000, "/c/Mira/talk.jsonl", "save", "same", 10, 11, (5, 6), (7, 8), duration_ms=3)
    bad = SaveRecord(2000, "/c/Mira/talk.jsonl", "save", "same", 11, 0, result="io/space")
    return [bad, good]


def test_the_model_is_sound(qtbot: QtBot) -> None:
    model = SaveLogModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_records(records())
    assert model.index(1, 3).data() == "10 → 11"
    assert "empty_suspect" in model.index(0, 7).data()


def test_the_log_is_shown_filtered_and_copied(window: MainWindow, qtbot: QtBot) -> None:
    log = SaveLog(window.services.own_data / LOG_FOLDER)
    for record in reversed(records()):
        log.add(record)
    dialog = dialog_of(window, Act.SAVE_LOG, SaveLogDialog)
    assert isinstance(dialog, SaveLogDialog)
    qtbot.waitUntil(lambda: dialog.table.model().rowCount() == 2)
    assert "1 of them" in dialog.hint.text()
    dialog.only_notable.setChecked(True)
    assert dialog.table.model().rowCount() == 1
    dialog.only_notable.setChecked(False)
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == 3
    assert "io/space" in lines[1]
    dialog.accept()
