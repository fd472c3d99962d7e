"""Waves under what is misspelled while one writes, and what the context menu offers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QMenu, QPlainTextEdit
from pytestqt.qtbot import QtBot

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.session.spelling import OWN_WORDS, read_own_words
from tavern_desktop.ui.actions import Act
from tavern_desktop.ui.main_window import MainWindow
from tavern_desktop.ui.settings_dialog import SettingsDialog
from tavern_desktop.ui.spelling import SpellMarks
from tests.gui.shell.window_parts import Opener


@pytest.fixture
def window(opened: Opener, library: DataRoot, qtbot: QtBot) -> MainWindow:
    made = opened()
    made.open_path(next(library.chats.glob("*/*.jsonl")))
    qtbot.waitUntil(lambda: made.desk.session is not None and made.desk.session.state == "ready")
    return made


@pytest.fixture
def composer(window: MainWindow) -> QPlainTextEdit:
    return window.pane.composer.text


def marked(field: QPlainTextEdit) -> list[str]:
    return [mark.cursor.selectedText() for mark in field.extraSelections()]


def menu_at(field: QPlainTextEdit, position: int) -> QMenu:
    marks = field.findChild(SpellMarks)
    assert marks is not None
    cursor = QTextCursor(field.document())
    cursor.setPosition(position)
    return marks.menu_at(cursor)


def texts(menu: QMenu) -> list[str]:
    return [act.text() for act in menu.actions() if not act.isSeparator()]


def test_nothing_is_read_before_somebody_types(window: MainWindow, composer: QPlainTextEdit, qtbot: QtBot) -> None:
    assert window.services.spelling._speller is None
    composer.setPlainText("fine")
    qtbot.waitUntil(lambda: window.services.spelling._speller is not None)


def test_what_is_wrong_is_marked_but_not_the_word_being_written(composer: QPlainTextEdit, qtbot: QtBot) -> None:
    composer.setFocus()
    composer.insertPlainText("A lettre 😀 with ")
    qtbot.keyClicks(composer, "wrng")
    qtbot.waitUntil(lambda: marked(composer) == ["lettre"])
    qtbot.keyClicks(composer, " ")
    qtbot.waitUntil(lambda: marked(composer) == ["lettre", "wrng"])
    composer.clear()
    qtbot.waitUntil(lambda: marked(composer) == [])


def test_a_suggestion_takes_the_word_s_place(composer: QPlainTextEdit, qtbot: QtBot) -> None:
    composer.setPlainText("😀 I recieve it")
    qtbot.waitUntil(lambda: marked(composer) == ["recieve"])
    menu = menu_at(composer, 7)
    assert texts(menu)[0] == "receive"
    menu.actions()[0].trigger()
    assert composer.toPlainText() == "😀 I receive it"
    composer.undo()
    assert composer.toPlainText() == "😀 I recieve it"


def test_a_word_is_learnt_and_unlearnt(window: MainWindow, composer: QPlainTextEdit, qtbot: QtBot) -> None:
    config = window.services.folders.config
    composer.setPlainText("The Tockling sleeps")
    qtbot.waitUntil(lambda: marked(composer) == ["Tockling"])
    learn = next(act for act in menu_at(composer, 6).actions() if act.text().startswith("Add"))
    learn.trigger()
    qtbot.waitUntil(lambda: marked(composer) == [])
    qtbot.waitUntil(lambda: (config / OWN_WORDS).is_file())
    assert read_own_words(config) == {"Tockling"}
    forget = next(act for act in menu_at(composer, 6).actions() if act.text().startswith("Remove"))
    forget.trigger()
    qtbot.waitUntil(lambda: marked(composer) == ["Tockling"])
    qtbot.waitUntil(lambda: read_own_words(config) == frozenset())


def test_it_can_be_switched_off_and_on_in_the_menu(window: MainWindow, composer: QPlainTextEdit, qtbot: QtBot) -> None:
    composer.setPlainText("A lettre")
    qtbot.waitUntil(lambda: marked(composer) == ["lettre"])
    check = next(act for act in menu_at(composer, 3).actions() if act.isCheckable())
    assert check.isChecked()
    check.trigger()
    assert not window.services.settings.spelling
    qtbot.waitUntil(lambda: marked(composer) == [])
    assert not any(text.startswith("Add") for text in texts(menu_at(composer, 3)))
    window.services.change_setting("spelling", True)
    qtbot.waitUntil(lambda: marked(composer) == ["lettre"])


def test_the_editor_of_a_message_is_checked_too(window: MainWindow, qtbot: QtBot) -> None:
    view = window.pane.view
    view.begin_edit(view.key(view.places.row_count - 1))
    frame = view.editing.frame
    assert frame is not None
    frame.show_text("A lettre")
    frame.field.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.waitUntil(lambda: marked(frame.field) == ["lettre"])
    assert texts(menu_at(frame.field, 3))[-1] == "Check Spelling"
    view.end_edit(save=False)


def test_a_long_paste_costs_no_more_than_what_is_on_screen(composer: QPlainTextEdit, qtbot: QtBot) -> None:
    """B-55: 20,000 lines of code."""
    composer.setFocus()
    QApplication.clipboard().setText("\n".join(f"    def fnction_x(self, vaule): return {n}" for n in range(20_000)))
    composer.paste()
    qtbot.waitUntil(lambda: bool(marked(composer)))
    lines = composer.viewport().height() // composer.fontMetrics().lineSpacing() + 2
    assert len(marked(composer)) <= 2 * lines
    composer.undo()
    assert composer.toPlainText() == ""


def test_the_keyboard_s_menu_is_about_the_word_at_the_cursor(composer: QPlainTextEdit, qtbot: QtBot) -> None:
    composer.setPlainText("A lettre")
    composer.setFocus()
    qtbot.waitUntil(lambda: marked(composer) == [])
    composer.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.waitUntil(lambda: marked(composer) == ["lettre"])
    composer.moveCursor(QTextCursor.MoveOperation.End)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), composer.mapToGlobal(QPoint(1, 1)))
    QApplication.sendEvent(composer.viewport(), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert any("lettre" in text for text in texts(menu))
    qtbot.keyClick(menu, Qt.Key.Key_Escape)


def test_languages_are_chosen_in_the_settings(window: MainWindow, qtbot: QtBot) -> None:
    window.acts.run(Act.SETTINGS)
    dialog = window.findChild(SettingsDialog)
    assert dialog is not None
    menu = dialog.languages.menu()
    qtbot.waitUntil(lambda: bool(menu.actions()))
    english = next(act for act in menu.actions() if "en_US" in act.text())
    english.trigger()
    assert window.services.settings.spelling_languages == ("en_US",)
    assert "en_US" in dialog.languages.text()
    english.trigger()
    assert window.services.settings.spelling_languages == ()
    dialog.spelling.setChecked(False)
    assert not dialog.languages.isEnabled()
    dialog.accept()
