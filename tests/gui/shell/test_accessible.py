"""Every control has a name for who hears the window, and a tooltip for who points at it (B-60)."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from tavern_desktop.ui.actions import Act
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener

CONTROLS = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QComboBox, QAbstractSpinBox)

OBJECT_NAMES = [
    "libraryPane",
    "searchField",
    "libraryTabs",
    "recentList",
    "characterList",
    "groupList",
    "chatHeader",
    "banner",
    "chatView",
    "composer",
    "sendButton",
    "findBar",
    "inspector",
    "statusSave",
    "statusConnection",
    "welcomePage",
    "undoBar",
]


def nameless(parent: QWidget) -> list[str]:
    """Return the controls of ours in `parent` that have neither a name nor a text."""
    found = []
    for control in parent.findChildren(QWidget):
        if not isinstance(control, CONTROLS) or control.objectName().startswith("qt_"):
            continue
        made_by_qt = isinstance(control.parent(), QAbstractSpinBox | QComboBox | QLineEdit)
        if made_by_qt or not control.isVisible():
            continue
        text = control.text() if isinstance(control, QAbstractButton) else ""
        if not (control.accessibleName() or text):
            found.append(f"{type(control).__name__} {control.objectName()} in {type(control.parent()).__name__}")
    return found


def test_every_control_of_the_window_has_a_name(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    assert nameless(window) == []


def test_every_button_tells_more_when_pointed_at(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    buttons = [
        b for b in window.findChildren(QAbstractButton) if b.isVisible() and not b.objectName().startswith("qt_")
    ]
    assert buttons
    assert [button.text() or button.accessibleName() for button in buttons if not button.toolTip()] == []


def test_every_dialog_has_names(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    for act in (Act.JUMP, Act.GO_TO, Act.SETTINGS, Act.COMMAND_PALETTE, Act.KEY_MAP, Act.ABOUT):
        window.acts.run(act)
        (dialog,) = (w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible())
        assert nameless(dialog) == [], act
        assert dialog.windowTitle(), act
        dialog.reject()


def test_the_names_for_automation_are_there(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    assert window.objectName() == "mainWindow"
    assert [name for name in OBJECT_NAMES if window.findChild(QWidget, name) is None] == []


def test_tab_reaches_the_library_and_the_composer(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.activateWindow()
    window.library.search.setFocus()
    seen: set[str] = set()
    for _ in range(60):
        window.focusNextChild()
        focused = QApplication.focusWidget()
        if focused is not None:
            seen.add(focused.objectName())
    assert {"recentList", "chatView", "composer", "sendButton", "searchField"} <= seen


def test_nothing_ticks_while_nothing_happens(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    qtbot.waitUntil(lambda: window.desk.session.save_state.kind == "saved")
    window.pane.composer.text.clearFocus()
    qtbot.waitUntil(lambda: not any(t.isActive() and not t.isSingleShot() for t in window.findChildren(QTimer)))
    assert [timer for timer in window.services.findChildren(QTimer) if timer.isActive()] == []
