"""The undo bar, the find bar and the status bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tavern_desktop.session.save_queue import SaveState
from tavern_desktop.storage.errors import StorageError
from tavern_desktop.ui.find_bar import FindBar
from tavern_desktop.ui.save_status import save_status
from tavern_desktop.ui.status_bar import StatusBar
from tavern_desktop.ui.undo_bar import SHOWN_FOR, UndoBar


def test_undo_is_offered_for_ten_seconds(qtbot: QtBot) -> None:
    bar = UndoBar()
    qtbot.addWidget(bar)
    assert not bar.isVisible()
    bar.offer("Message deleted")
    assert bar.isVisible()
    assert bar.text == "Message deleted"
    assert bar._timer.isActive()
    assert bar._timer.interval() == SHOWN_FOR == 10_000
    bar._timer.timeout.emit()
    assert not bar.isVisible()
    assert not bar._timer.isActive()


def test_undo_is_asked_for_once(qtbot: QtBot) -> None:
    bar = UndoBar()
    qtbot.addWidget(bar)
    bar.offer("Message deleted")
    with qtbot.waitSignal(bar.undo_requested):
        qtbot.mouseClick(bar.undo_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_typing_searches_after_a_moment_and_enter_steps(qtbot: QtBot) -> None:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.open_bar()
    with qtbot.waitSignal(bar.search_requested, timeout=2000) as said:
        qtbot.keyClicks(bar.field, "boat")
    assert said.args == ["boat", False]
    with qtbot.waitSignal(bar.step_requested) as step:
        qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert step.args == [1]
    with qtbot.waitSignal(bar.step_requested) as step:
        qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert step.args == [-1]
    bar.show_count(2, 5)
    assert bar.count.text() == "2 of 5"
    bar.show_count(None, 0)
    assert bar.count.text() == "Nothing found"


def test_case_searches_anew_and_escape_closes(qtbot: QtBot) -> None:
    bar = FindBar()
    qtbot.addWidget(bar)
    bar.open_bar("Boat")
    with qtbot.waitSignal(bar.search_requested) as said:
        bar.match_case.setChecked(True)
    assert said.args == ["Boat", True]
    with qtbot.waitSignal(bar.closed):
        qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_every_save_state_is_told_in_words() -> None:
    assert save_status(SaveState("saved")).text == "Saved"
    assert save_status(SaveState("saved", at=1_700_000_000.0)).text.startswith("Saved ")
    assert save_status(SaveState("unsaved")).tone == "muted"
    assert save_status(SaveState("saving")).text == "Saving…"
    failed = save_status(SaveState("failed", StorageError("io", "space")))
    assert failed.retry
    assert "the disk is full" in failed.text
    assert "another program" in save_status(SaveState("changed_on_disk")).text
    assert save_status(SaveState("needs_header_consent")).tone == "danger"


def test_the_status_bar_offers_retry_only_after_a_failure(qtbot: QtBot) -> None:
    bar = StatusBar()
    qtbot.addWidget(bar)
    bar.show()
    bar.show_save("Saved 10:03")
    assert bar.save.text() == "● Saved 10:03"
    assert not bar.retry.isVisible()
    bar.show_save("Not saved. The disk is full.", "danger", retry=True)
    with qtbot.waitSignal(bar.retry_requested):
        qtbot.mouseClick(bar.retry, Qt.MouseButton.LeftButton)
    bar.show_save("")
    assert not bar.save.isVisible()
