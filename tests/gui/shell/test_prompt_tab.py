"""The prompt in the inspector: every part that would be sent, and what would not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.prompt.messages import LeftOut, Part, Prompt, PromptMessage
from tavern_desktop.ui.inspector.prompt_parts import PartsModel
from tavern_desktop.ui.inspector.prompt_tab import PromptTab
from tests.gui.shell.test_window import open_chat
from tests.gui.shell.window_parts import Opener

PROMPT = Prompt(
    (
        Part("main", PromptMessage("system", "Be Mira."), 6, "always"),
        Part("history", PromptMessage("user", "Hi."), 5, "fits the context", 12),
    ),
    (LeftOut("history", "no room left in the context", None, 0, 11),),
)


@pytest.fixture
def model(qtbot: QtBot) -> Iterator[PartsModel]:
    made = PartsModel()
    tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Warning)
    yield made
    tester.deleteLater()


def test_parts_and_what_is_left_out_are_told(model: PartsModel) -> None:
    model.show_prompt(PROMPT)
    words = [model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(model.rowCount())]
    assert words == [
        "Instruction, system, always: Be Mira.",
        "Message #12, user, fits the context: Hi.",
        "Message #0–11, left out, no room left in the context: ",
    ]
    model.show_prompt(None)
    assert model.rowCount() == 0


def shown(tab: PromptTab) -> list[str]:
    rows = range(tab.model.rowCount())
    return [tab.model.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in rows]


def test_the_prompt_of_the_chat_in_view_is_shown_and_follows_it(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    window.show_inspector(True)
    window.inspector.show_tab(1)
    (tab,) = window.inspector.findChildren(PromptTab)
    qtbot.waitUntil(lambda: tab.model.rowCount() > 0)
    assert "tokens" in tab.head.text()
    window.pane.composer.text.show_text("One more message.")
    window.desk.writing.send()
    qtbot.waitUntil(lambda: any("One more message." in text for text in shown(tab)))
    tab.list.setCurrentIndex(tab.model.index(0))
    assert "always" in tab.detail.toPlainText()
    tab.copy_json.click()
    copied = json.loads(QGuiApplication.clipboard().text())
    assert copied[-1] == {"role": "user", "content": "One more message."}
