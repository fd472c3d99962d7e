"""The dialogs: choosing by a few letters, going to a place, settings, about."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.session.preferences import Settings
from tavern_desktop.ui.about import AboutDialog, versions
from tavern_desktop.ui.goto_dialog import GotoDialog
from tavern_desktop.ui.quick_pick import Pick, QuickPick
from tavern_desktop.ui.settings_dialog import SettingsDialog


@pytest.fixture
def parent(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def _pick(parent: QWidget, chosen: list[str]) -> QuickPick:
    names = ("Aria Vale", "Captain Ilse", "小月")
    picks = [Pick(name, "", "", lambda name=name: chosen.append(name)) for name in names]
    dialog = QuickPick(parent, "jumpDialog", "Jump", "Type", picks)
    dialog.show_pictures(None)
    dialog.show()
    return dialog


def test_a_few_letters_and_enter_choose(parent: QWidget, qtbot: QtBot) -> None:
    chosen: list[str] = []
    dialog = _pick(parent, chosen)
    qtbot.keyClicks(dialog.field, "ci")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == ["Captain Ilse"]


def test_arrows_choose_without_leaving_the_field(parent: QWidget, qtbot: QtBot) -> None:
    chosen: list[str] = []
    dialog = _pick(parent, chosen)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(dialog.field, key)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == ["Captain Ilse"]


def test_enter_while_composing_chooses_nothing(parent: QWidget, qtbot: QtBot) -> None:
    chosen: list[str] = []
    dialog = _pick(parent, chosen)
    QApplication.sendEvent(dialog.field, QInputMethodEvent("yue", []))
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == []
    commit = QInputMethodEvent()
    commit.setCommitString("月")
    QApplication.sendEvent(dialog.field, commit)
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == ["小月"]


def test_nothing_that_fits_is_said(parent: QWidget, qtbot: QtBot) -> None:
    chosen: list[str] = []
    dialog = _pick(parent, chosen)
    qtbot.keyClicks(dialog.field, "zzz")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert chosen == []
    assert not dialog.list.isVisible()


def test_going_to_a_place_or_being_told_why_not(parent: QWidget, qtbot: QtBot) -> None:
    went: list[int] = []
    dialog = GotoDialog(parent, 99, lambda text: int(text) if text.isdigit() else "That is no number.", went.append)
    dialog.show()
    qtbot.keyClicks(dialog.field, "x")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert dialog.hint.text() == "That is no number."
    dialog.field.setText("42")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert went == [42]


def test_settings_are_shown_and_changes_are_said_at_once(parent: QWidget, qtbot: QtBot) -> None:
    dialog = SettingsDialog(parent, Settings(theme="dark", text_size=120, mounted_count=50, enter_sends=False), "/data")
    assert dialog.theme.currentData() == "dark"
    assert (dialog.text_size.value(), dialog.mounted_count.value()) == (120, 50)
    assert not dialog.enter_sends.isChecked()
    said: list[tuple[str, object]] = []
    dialog.setting_changed.connect(lambda name, value: said.append((name, value)))
    dialog.theme.setCurrentIndex(dialog.theme.findData("light"))
    dialog.text_size.setValue(130)
    dialog.mounted_count.setValue(dialog.mounted_count.minimum())
    dialog.enter_sends.setChecked(True)
    dialog.unseen_on_disk.setChecked(True)
    assert said == [
        ("theme", "light"), ("text_size", 130), ("mounted_count", None), ("enter_sends", True),
        ("unseen_on_disk", True),
    ]  # fmt: skip


def test_about_tells_the_versions_a_report_needs(parent: QWidget) -> None:
    dialog = AboutDialog(parent)
    dialog.show()
    assert "Python 3" in versions()
    assert "Qt 6" in versions()
