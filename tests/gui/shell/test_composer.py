"""Writing: Enter sends, input methods are left alone, keys that belong to the chat go to the chat."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.composer import MOST_LINES, ComposerArea


@pytest.fixture
def area(qtbot: QtBot) -> ComposerArea:
    made = ComposerArea()
    qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    made.text.setFocus()
    return made


def _compose(area: ComposerArea, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QApplication.sendEvent(area.text, event)


def test_enter_sends_and_shift_enter_breaks_the_line(area: ComposerArea, qtbot: QtBot) -> None:
    qtbot.keyClicks(area.text, "one")
    with qtbot.assertNotEmitted(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(area.text, "two")
    assert area.text.toPlainText() == "one\ntwo"
    with qtbot.waitSignal(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return)


def test_the_setting_swaps_the_two(area: ComposerArea, qtbot: QtBot) -> None:
    area.set_enter_sends(False)
    with qtbot.assertNotEmitted(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return)
    assert area.text.toPlainText() == "\n"
    with qtbot.waitSignal(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    with qtbot.waitSignal(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Enter, Qt.KeyboardModifier.ControlModifier)


def test_enter_while_composing_only_commits(area: ComposerArea, qtbot: QtBot) -> None:
    _compose(area, "にほん")
    with qtbot.assertNotEmitted(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return)
    _compose(area, "", "日本")
    assert area.text.toPlainText() == "日本"
    with qtbot.waitSignal(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return)


def test_latin_text_from_an_input_method_is_not_sent_either(area: ComposerArea, qtbot: QtBot) -> None:
    _compose(area, "PlusE")
    with qtbot.assertNotEmitted(area.text.send_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Return)
    _compose(area, "", "PlusE")
    assert area.text.toPlainText() == "PlusE"


def test_shortcuts_keep_still_while_composing(area: ComposerArea) -> None:
    _compose(area, "に")
    event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    event.ignore()
    QApplication.sendEvent(area.text, event)
    assert event.isAccepted()


def _is_the_fields(area: ComposerArea, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifiers)
    event.ignore()
    QApplication.sendEvent(area.text, event)
    return event.isAccepted()


def test_undo_is_the_fields_own_only_while_it_has_something(area: ComposerArea, qtbot: QtBot) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    assert not _is_the_fields(area, Qt.Key.Key_Z, control)
    qtbot.keyClicks(area.text, "typed")
    assert _is_the_fields(area, Qt.Key.Key_Z, control)
    assert not _is_the_fields(area, Qt.Key.Key_Z, control | Qt.KeyboardModifier.ShiftModifier)
    area.text.undo()
    assert not _is_the_fields(area, Qt.Key.Key_Z, control)
    assert _is_the_fields(area, Qt.Key.Key_Z, control | Qt.KeyboardModifier.ShiftModifier)


def test_arrows_in_the_empty_composer_reach_the_chat(area: ComposerArea, qtbot: QtBot) -> None:
    with qtbot.waitSignal(area.text.edit_last_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Up)
    for key, step in ((Qt.Key.Key_Left, -1), (Qt.Key.Key_Right, 1)):
        with qtbot.waitSignal(area.text.swipe_requested) as said:
            qtbot.keyClick(area.text, key)
        assert said.args == [step]


def test_arrows_in_a_text_move_in_the_text(area: ComposerArea, qtbot: QtBot) -> None:
    area.text.show_text("words")
    with qtbot.assertNotEmitted(area.text.swipe_requested), qtbot.assertNotEmitted(area.text.edit_last_requested):
        qtbot.keyClick(area.text, Qt.Key.Key_Left)
        qtbot.keyClick(area.text, Qt.Key.Key_Up)
    assert area.text.toPlainText() == "words"


def test_it_grows_with_the_text_up_to_eight_lines(area: ComposerArea) -> None:
    line = area.text.fontMetrics().lineSpacing()
    low = area.text.height()
    area.text.show_text("a\nb\nc")
    assert area.text.height() == low + 2 * line
    area.text.show_text("\n".join("x" * 30))
    assert area.text.height() == low + (MOST_LINES - 1) * line
    area.text.clear()
    assert area.text.height() == low


def test_blanks_at_the_end_of_lines_push_nothing_aside(area: ComposerArea, qtbot: QtBot) -> None:
    qtbot.keyClicks(area.text, "and I go on typing " * 30)
    bar = area.text.horizontalScrollBar()
    assert (bar.maximum(), bar.isVisible()) == (0, False)


def test_it_grows_with_the_text_size(area: ComposerArea) -> None:
    low = area.text.height()
    area.set_text_scale(200)
    assert area.text.height() > low * 1.7
