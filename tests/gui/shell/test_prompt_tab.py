"""The prompt in the inspector: every part that would be sent, and what would not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from tavern_desktop.prompt.kinds import kind_of
from tavern_desktop.prompt.messages import NO_ROOM, LeftOut, Part, Prompt, PromptMessage
from tavern_desktop.ui.inspector.budget_bar import shares_of, widths
from tavern_desktop.ui.inspector.prompt_parts import ENTRY_ROLE, PartsModel
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
    window.inspector.show_tab(3)
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
    assert copied["request"]["messages"][-1] == {"role": "user", "content": "One more message."}
    assert copied["parts"][0]["reason"] == "always"
    assert sum(copied["by_kind"].values()) == copied["tokens"]
    tab.copy_text.click()
    assert QGuiApplication.clipboard().text().endswith("user: One more message.")
    assert tab.budget.isVisible()
    assert "Free" in tab.budget.bar.toolTip()
    assert window.pane.view.context_begin is None


def test_examples_are_one_row(model: PartsModel) -> None:
    examples = [Part("examples", PromptMessage("system", f"line {n}"), n, "from the character card") for n in (1, 2)]
    model.show_prompt(Prompt((PROMPT.parts[0], *examples, PROMPT.parts[1])))
    entry = model.index(1).data(ENTRY_ROLE)
    assert (model.rowCount(), entry.title, entry.tokens, entry.text) == (3, "Examples", 3, "line 1\nline 2")
    assert entry.line == "from the character card — line 1 line 2"


def test_every_share_of_the_bar_can_be_seen_and_they_fill_it() -> None:
    shares = shares_of(Prompt(PROMPT.parts, context=8192, reply=512))
    assert shares == [("instructions", 6), ("conversation", 5), ("reply", 512), ("free", 7669)]
    found = widths(shares, 300.0)
    assert min(found) > 1.9
    assert abs(sum(found) - 300) < 0.01
    assert widths([], 300.0) == []
    assert {kind_of(source) for source in ("lore: Tea", "prompt: Mine", "note", "story")} == {
        "lore",
        "instructions",
        "notes",
        "character",
    }


def test_a_line_tells_from_where_the_model_knows_the_chat(opened: Opener, qtbot: QtBot) -> None:
    window = opened()
    open_chat(window, qtbot, "The tide table")
    session = window.desk.session
    assert session is not None
    assert session.chat is not None
    number = len(session.chat) - 2
    parts = tuple(
        Part("history", PromptMessage("user", "x"), 1, "fits the context", at) for at in range(number, number + 2)
    )
    cut = Prompt(parts, (LeftOut("history", NO_ROOM, None, 0, number - 1),))
    window.part.context_line.show_prompt(cut)
    view = window.pane.view
    assert view.context_begin == session.chat.messages[number].key
    records = view.records
    assert records is not None
    words = [records.index(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(records.rowCount())]
    assert ["the model knows the chat from here on" in text for text in words] == [
        records.absolute(row) == number for row in range(records.rowCount())
    ]
    window.part.context_line.show_prompt(Prompt(parts))
    assert view.context_begin is None
    window.part.context_line.show_prompt(cut)
    other = next(row for row in window.services.library.chats if row.title != "The tide table")
    window.desk.open(other.path)
    assert view.context_begin is None
