"""The versions of a chat: listed by day, compared side by side, chosen by keyboard and mouse to be brought back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QDate, QDateTime, QPoint, Qt, QTime
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tavern_desktop.chat import edits
from tavern_desktop.chat.differences import Kind
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import (
    AddSwipe,
    AppendMessage,
    DeleteMessages,
    EditText,
    MoveMessage,
    SetHidden,
)
from tavern_desktop.session.header_commands import SetMetadata
from tavern_desktop.session.history import (
    Comparison,
    Past,
    Snapshot,
    compare_change,
    compare_with_present,
    list_versions,
)
from tavern_desktop.session.message_history import EarlierText, earlier_texts
from tavern_desktop.session.restoring import RestoreMessages, Wanted
from tavern_desktop.session.runner import PlainRunner
from tavern_desktop.ui.inspector import history_view
from tavern_desktop.ui.inspector import history_words as words
from tavern_desktop.ui.inspector.history_data import ChatHistory
from tavern_desktop.ui.inspector.history_of_message import MessageHistory
from tavern_desktop.ui.inspector.history_row_box import TICK_ROOM, RowBox
from tavern_desktop.ui.inspector.history_rows import DifferenceModel
from tavern_desktop.ui.inspector.history_tab import HistoryTab
from tavern_desktop.ui.inspector.history_versions import PAST_ROLE, VersionsModel
from tavern_desktop.ui.inspector.history_window import HistoryWindow
from tests.gui.shell.test_accessible import nameless
from tests.unit.session.chats import chat_of, recorded, reply, texts, user
from tests.unit.session.versioned import Versioned

STRICT = QAbstractItemModelTester.FailureReportingMode.Fatal
SPOKEN = Qt.ItemDataRole.AccessibleTextRole


@pytest.fixture
def told(tmp_path: Path) -> Versioned:
    chat = chat_of(*(reply(f"reply {n}") if n % 2 else user(f"text {n}") for n in range(20)))
    return Versioned(chat, tmp_path / "journal")


@pytest.fixture
def host(qtbot: QtBot) -> QWidget:
    """What the windows lie over; it owns them."""
    widget = QWidget()
    widget.resize(1200, 900)
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def window(host: QWidget) -> HistoryWindow:
    return HistoryWindow(host)


def key(told: Versioned, index: int) -> int:
    return told.chat.messages[index].key


def newest(told: Versioned) -> Past:
    return list_versions(told.journal)[0]


def show_change(window: HistoryWindow, told: Versioned) -> Comparison:
    """Show what the newest version changed."""
    comparison = compare_change(told.journal, told.present, newest(told))
    window.show_past(newest(told), with_present=False)
    window.show_comparison(comparison)
    window.show()
    return comparison


def spoken(model: DifferenceModel) -> list[str]:
    return [str(model.index(row).data(SPOKEN)) for row in range(model.rowCount())]


def moment(days_ago: int, hour: int) -> int:
    return QDateTime(QDate.currentDate().addDays(-days_ago), QTime(hour, 5)).toMSecsSinceEpoch()


# -- the list ---------------------------------------------------------------------------------------------


def test_versions_stand_under_their_days(qtbot: QtBot) -> None:
    model = VersionsModel()
    QAbstractItemModelTester(model, STRICT)
    model.show_versions([
        Past("3", "command", moment(0, 9), "Delete 2 messages", 8, removed=2, before="2"),
        Past("a", "backup", moment(0, 8), size=2048, path=Path("a")),
        Past("2", "undo", moment(1, 9), "Edit message", 10, edited=1, before="1"),
    ])  # fmt: skip
    rows = [model.index(row).data(PAST_ROLE) for row in range(model.rowCount())]
    assert [row if isinstance(row, str) else row.id for row in rows] == ["Today", "3", "a", "Yesterday", "2"]
    assert model.row_of("2") == 4
    assert not model.flags(model.index(0)) & Qt.ItemFlag.ItemIsSelectable
    said = [model.index(row).data(SPOKEN) for row in (1, 2, 4)]
    assert said[0].startswith("Delete 2 messages, Today, ")
    assert said[0].endswith("8 messages, 2 removed")
    assert said[1].startswith("Backup, Today")
    assert said[2].startswith("Undo: Edit message, Yesterday")
    model.show_versions([])
    assert model.rowCount() == 0


def test_what_a_version_is_called() -> None:
    assert words.title_of(Past("1", "merge", 0)) == "Merged with the version on disk"
    assert words.title_of(Past("1", "command", 0, "Edit message", joined=12)) == "12 changes, the last: Edit message"
    assert [text for text, _ in words.counts_of(Past("1", "command", 0, added=3, removed=1, edited=2, moved=4))] == [
        "+3", "−1", "~2", "↕4"
    ]  # fmt: skip


def test_the_list_says_what_it_is_waiting_for(qtbot: QtBot) -> None:
    history = ChatHistory(PlainRunner())
    tab = HistoryTab(history)
    qtbot.addWidget(tab)
    assert "when it is open" in tab.message.text()
    history.problem = "The folder could not be read."
    history.changed.emit()
    assert tab.message.text() == history.problem
    assert not tab.retry.isHidden()
    history.problem = ""
    history.take([Past("1", "command", moment(0, 9), "Edit message", 3, before="0"), Past("0", "start", moment(0, 9))])
    chosen = recorded(tab.chosen)
    for row, since in ((1, False), (2, True)):
        tab.list.setCurrentIndex(tab.model.index(row))
        tab.list.activated.emit(tab.list.currentIndex())
        assert chosen[-1] == (tab.current, since)
    assert [action.text() for action in tab.menu_for(tab.current).actions() if action.text()] == [
        "Compare with Now", "Restore This Version", "Open as New Chat",
    ]  # fmt: skip
    history.take(reversed(history.versions))
    assert tab.current is not None
    assert tab.current.id == "0"


# -- a comparison -----------------------------------------------------------------------------------------


def test_rows_tell_what_became_of_each_message(window: HistoryWindow, told: Versioned) -> None:
    QAbstractItemModelTester(window.model, STRICT)
    told.do(DeleteMessages([key(told, 8), key(told, 9)]))
    show_change(window, told)
    assert spoken(window.model) == [
        "7 unchanged messages",
        "before #7 Mira: reply 7. after #7 Mira: reply 7",
        "Removed. #8 Ana: text 8",
        "Removed. #9 Mira: reply 9",
        "before #10 Ana: text 10. after #8 Ana: text 10",
        "9 unchanged messages",
    ]
    window.view.unfold(0)
    assert window.model.rowCount() == 12
    assert spoken(window.model)[0] == "before #0 Ana: text 0. after #0 Ana: text 0"
    assert window.model.row_of(window.model.key(7)) == 7


def test_other_changes_are_named(window: HistoryWindow, told: Versioned) -> None:
    told.do(SetHidden([key(told, 2)], True))
    show_change(window, told)
    assert spoken(window.model)[2].endswith("Hidden from the prompt")
    told.do(AddSwipe(key(told, 5), "again"))
    show_change(window, told)
    assert "1 alternative added. Alternative 1 → 2" in spoken(window.model)[2]
    told.do(MoveMessage(key(told, 5), -2))
    show_change(window, told)
    assert [said for said in spoken(window.model) if said.startswith("Moved")] == [
        "Moved. before #5 Mira: again. after #3 Mira: again. Moved from #5 to #3"
    ]
    told.do(SetMetadata(told.chat.header.metadata() | {"note_prompt": "x"}))
    show_change(window, told)
    assert window.metadata.text().endswith("note_prompt")
    assert window.message.text() == "All messages are the same in both versions."


def test_kinds_are_counted_and_chosen(window: HistoryWindow, told: Versioned) -> None:
    told.do(EditText(key(told, 3), "another"))
    told.do(DeleteMessages([key(told, 8), key(told, 9)]))
    window.show_past(newest(told), with_present=True)
    window.show_comparison(compare_with_present(told.journal, told.present, list_versions(told.journal)[-1]))
    tabs = window.kind_tabs
    assert [button.text() for button in tabs.values()] == ["All Changes 3", "Added", "Removed 2", "Edited 1", "Moved"]
    assert not tabs[Kind.ADDED].isEnabled()
    tabs[Kind.REMOVED].click()
    assert [said[:8] for said in spoken(window.model)] == ["Removed.", "Removed."]
    told.do(EditText(key(told, 3), "once more"))
    show_change(window, told)  # nothing was removed here: everything is shown again
    assert tabs[None].isChecked()
    assert "Edited" in " ".join(spoken(window.model))


def test_messages_are_chosen_and_asked_for(window: HistoryWindow, told: Versioned, qtbot: QtBot) -> None:
    before = texts(told.chat)
    told.do(DeleteMessages([key(told, 8), key(told, 9), key(told, 10)]))
    show_change(window, told)
    wanted = recorded(window.restore_requested)
    assert (window.restore.isEnabled(), window.restore.text()) == (False, "Restore Message")
    view = window.view
    assert view.currentIndex().row() == 2
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    place = QPoint(TICK_ROOM // 2, view.visualRect(view.currentIndex()).top() + 15)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.currentIndex().data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert window.restore.text() == "Restore 2 Messages"
    window.restore.click()
    told.do(RestoreMessages(*wanted[0]), "restore")
    assert texts(told.chat) == before[:10] + before[11:]
    # What is back is offered no more.
    window.show_comparison(compare_change(told.journal, told.present, list_versions(told.journal)[1]))
    assert (window.model.tickable(), window.model.ticked) == ((0, 1), set())
    window.tick_all.click()
    assert (len(window.model.ticked), window.tick_all.text()) == (1, "Choose None")
    window.tick_all.click()
    assert window.model.ticked == set()


def test_what_is_chosen_stays_chosen_while_the_chat_goes_on(window: HistoryWindow, told: Versioned) -> None:
    told.do(DeleteMessages([key(told, 8), key(told, 9)]))
    deletion = newest(told)
    show_change(window, told)
    window.model.tick_all(True)
    told.do(AppendMessage(edits.new_user_message("more", "Ana")))
    window.show_past(deletion, with_present=False)
    window.show_comparison(compare_change(told.journal, told.present, deletion))
    assert len(window.model.ticked) == 2


def test_the_whole_version_is_asked_for(window: HistoryWindow, told: Versioned) -> None:
    told.do(DeleteMessages([key(told, 8)]))
    comparison = show_change(window, told)
    asked = recorded(window.restore_all_requested)
    assert window.restore_all.text() == "Restore as Before This Change"
    window.restore_all.click()
    assert asked == [comparison.before]
    window.show_past(newest(told), with_present=True)
    window.show_comparison(compare_with_present(told.journal, told.present, newest(told)))
    assert (window.restore_all.text(), window.restore_all.isEnabled()) == ("Restore This Version", False)


def test_the_menu_of_a_row(window: HistoryWindow, told: Versioned) -> None:
    edited = key(told, 3)
    told.do(EditText(edited, "another"))
    comparison = show_change(window, told)
    number = next(n for n in range(window.model.rowCount()) if window.model.row(n).kinds)
    menu = window.menu_for(window.model.key(number))
    actions = {action.text(): action for action in menu.actions() if action.text()}
    assert [*actions] == ["Restore This Message", "Show in Chat", "Copy Earlier Text", "Copy Later Text"]
    shown, wanted = recorded(window.show_requested), recorded(window.restore_requested)
    for action in actions.values():
        action.trigger()
    assert shown == [edited]
    assert wanted == [[Wanted(comparison.before.messages, frozenset([3]))]]
    assert QGuiApplication.clipboard().text() == "another"


def test_a_text_that_nobody_has_says_so(window: HistoryWindow, told: Versioned) -> None:
    lost = Snapshot(told.chat.header, [Message(told.chat.messages[0].key, b""), *told.chat.messages[1:]])
    comparison = compare_with_present(told.journal, told.present, Past(str(told.journal.number), "command", 0))
    model = DifferenceModel()
    model.show_comparison(Comparison.of(lost, comparison.after, comparison.present))
    assert "lost outside this program" in spoken(model)[0]
    assert model.tickable() == (0, 0)


def test_only_what_is_on_screen_is_laid_out(
    window: HistoryWindow, told: Versioned, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[int] = []

    class Counted(RowBox):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            laid_out.append(self.height)

    monkeypatch.setattr(history_view, "RowBox", Counted)
    lines = (b'{"name":"Ana","is_user":true,"mes":"a text of some words %d"}' % number for number in range(100_000))
    told.chat.insert(4, Message.read(lines))
    told.note("merge", "")
    show_change(window, told)
    view = window.view
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.currentIndex().row() == window.model.rowCount() - 1
    assert view.viewport().rect().intersects(view.visualRect(view.currentIndex()))
    qtbot.keyClick(view, Qt.Key.Key_PageUp)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.indexAt(QPoint(100, 30)).row() == 0
    assert len(laid_out) < 150


def test_texts_are_as_large_as_in_the_chat(window: HistoryWindow, told: Versioned) -> None:
    told.do(EditText(key(told, 3), "a word " * 30))
    show_change(window, told)
    view = window.view
    height = view.visualRect(view.currentIndex()).height()
    view.set_text_scale(200)
    assert view.visualRect(view.currentIndex()).height() > 1.5 * height


def test_every_control_has_a_name(window: HistoryWindow, told: Versioned) -> None:
    told.do(EditText(key(told, 3), "another"))
    show_change(window, told)
    assert nameless(window) == []
    assert window.windowTitle() == "History: Edit message"


def test_long_texts_are_unfolded(window: HistoryWindow, told: Versioned, qtbot: QtBot) -> None:
    told.do(EditText(key(told, 3), "a word " * 400))
    show_change(window, told)
    view, index = window.view, window.view.currentIndex()
    height = view.visualRect(index).height()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.visualRect(index).height() > height + 100
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert view.visualRect(index).height() == height


# -- one message ------------------------------------------------------------------------------------------


def test_earlier_texts_of_a_message(told: Versioned, host: QWidget, qtbot: QtBot) -> None:
    told.do(EditText(key(told, 3), "second 🦊 text"))
    told.do(EditText(key(told, 3), "third"))
    dialog = MessageHistory(host, "History of message #3")
    dialog.show()
    dialog.show_texts(earlier_texts(told.journal, told.present, 3), "third")
    assert dialog.text.toPlainText() == "second 🦊 text"
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert dialog.text.toPlainText() == "reply 3"
    asked: list[EarlierText] = recorded(dialog.restore_requested)
    dialog.restore.click()
    assert asked[0].message == Message(key(told, 3), asked[0].message.raw)
    assert dialog.is_closed


def test_a_message_that_never_changed_says_so(host: QWidget) -> None:
    dialog = MessageHistory(host, "History of message #3")
    dialog.show_texts([], "text")
    assert "always said" in dialog.message.text()
    assert not dialog.restore.isEnabled()
