"""The line that is being read does not move by a pixel (known failures B-49, B-52)."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.context import ChatContext
from tavern_desktop.ui.chat.preview_model import PreviewModel
from tavern_desktop.ui.chat.view import Anchor, ChatView
from tests.gui.surface.chats import change, chat_of, long_chat, new_message, seen
from tests.gui.surface.conftest import Show


@pytest.fixture
def chat() -> Chat:
    return long_chat(300)


@pytest.fixture
def middle(show: Show, chat: Chat) -> ChatView:
    """A view scrolled to the middle of what is mounted."""
    view = show(chat)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    assert not view.at_end
    return view


def wheel(view: ChatView, notches: int) -> None:
    place = view.viewport().rect().center()
    event = QWheelEvent(
        QPointF(place),
        QPointF(view.viewport().mapToGlobal(place)),
        QPoint(),
        QPoint(0, notches * 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_it_opens_at_the_end(show: Show, chat: Chat) -> None:
    view = show(chat)
    assert view.at_end
    last = view.row_rect(99)
    assert last.bottom() < view.viewport().height()
    assert last.bottom() > view.viewport().height() - 30


def test_it_opens_at_the_end_even_before_it_has_a_size(qtbot: QtBot, context: ChatContext, chat: Chat) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.set_chat(chat, context)
    view.resize(760, 500)
    view.show()
    assert view.at_end
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum() > 0


@pytest.mark.parametrize("end", ["wheel", "bar", "page"])
def test_text_that_grows_at_the_end_leaves_the_reader_alone(show: Show, chat: Chat, end: str, qtbot: QtBot) -> None:
    view = show(chat)
    text = "It begins"
    change(chat, 299, mes=text)
    if end == "wheel":
        wheel(view, 2)
    elif end == "bar":
        view.verticalScrollBar().setSliderDown(True)
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 300)
    else:
        qtbot.keyClick(view, Qt.Key.Key_PageUp)
    assert not view.at_end
    before = seen(view)
    for _ in range(50):
        text += " and goes on"
        change(chat, 299, mes=text)
        assert {key: top for key, top in seen(view).items() if key in before} == before


def test_text_that_grows_pulls_the_end_along(show: Show, chat: Chat) -> None:
    view = show(chat)
    text = chat.messages[299].data()["mes"]
    for _ in range(30):
        text += " and goes on and on and on"
        change(chat, 299, mes=text)
        assert view.at_end
        assert view.row_rect(99).bottom() < view.viewport().height()


def test_coming_back_to_the_end_attaches_again(show: Show, chat: Chat) -> None:
    view = show(chat)
    wheel(view, 3)
    chat.insert(300, [new_message("new")])
    assert not view.at_end
    assert view.overlays.unread == 1
    view.go_to_end()
    assert view.at_end
    assert view.overlays.unread == 0
    chat.insert(301, [new_message("another")])
    assert view.row_of(chat.messages[301].key) in view.places.visible_rows()


def test_show_more(middle: ChatView) -> None:
    middle.verticalScrollBar().setValue(0)
    before = seen(middle)
    middle.show_more()
    assert before.items() <= seen(middle).items()
    assert middle.earlier == 100


def test_changes_around_the_reader(middle: ChatView, chat: Chat) -> None:
    before = seen(middle)
    rows = middle.places.visible_rows()
    first, last = 200 + rows[0], 200 + rows[-1]
    change(chat, first - 5, mes="much " * 300)
    assert seen(middle) == before
    change(chat, first - 5, mes="less")
    chat.remove(first - 20, first - 12)
    assert seen(middle) == before
    chat.insert(first - 30, [new_message("word " * 200) for _ in range(4)])
    assert seen(middle) == before
    first, last = first - 5, last - 5
    change(chat, last + 3, mes="below " * 300)
    chat.remove(last + 5, last + 9)
    chat.insert(10, [new_message("far away")])
    assert seen(middle) == before


def test_a_new_width_keeps_the_line(show: Show) -> None:
    long_text = "\n\n".join(f"Paragraph {number} " + "word " * 60 for number in range(40))
    view = show(chat_of(["short", long_text, "short"]))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    line = view._reading_line()
    assert line is not None
    for width in (700, 560, 420, 650, 760):
        view.resize(width, 600)
        document = view.row_view(1).document
        assert document is not None
        top = view.row_rect(1).top() + view.row_view(1).layout.text.top()
        assert abs(top + document.line_top(line.character) - line.y) <= 1


def test_another_text_size_keeps_the_line(show: Show) -> None:
    view = show(chat_of(["short", "\n\n".join("word " * 60 for _ in range(40)), "short"]))
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 3)
    line = view._reading_line()
    assert line is not None
    view.set_text_scale(130)
    document = view.row_view(1).document
    assert document is not None
    top = view.row_rect(1).top() + view.row_view(1).layout.text.top()
    assert abs(top + document.line_top(line.character) - line.y) <= 1


def test_another_theme_moves_nothing(middle: ChatView, context: ChatContext) -> None:
    from dataclasses import replace

    from tavern_desktop.ui.theme import Theme

    before = seen(middle)
    middle.set_context(replace(context, theme=Theme.load("dark")))
    assert seen(middle) == before


def test_the_preview_gives_way_without_a_move(qtbot: QtBot, context: ChatContext, chat: Chat) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(760, 600)
    view.show()
    view.set_preview(PreviewModel([message.raw for message in chat.messages[-150:]], None), context)
    assert view.has_preview
    assert not view.is_editable
    wheel(view, 8)
    assert view.was_scrolled
    before = {300 + key: top for key, top in seen(view).items()}
    view.set_chat(chat, context)
    assert {chat.find(key): top for key, top in seen(view).items()} == before
    assert not view.at_end


def test_the_preview_gives_way_at_the_end(qtbot: QtBot, context: ChatContext, chat: Chat) -> None:
    view = ChatView()
    qtbot.addWidget(view)
    view.resize(760, 600)
    view.show()
    view.set_preview(PreviewModel([message.raw for message in chat.messages[-50:]], 250), context)
    view.set_chat(chat, context)
    assert view.at_end
    assert not view.has_preview


def test_a_reload_keeps_the_place(middle: ChatView, chat: Chat) -> None:
    before = {chat.find(key): top for key, top in seen(middle).items()}
    again = chat_of([message.data() for message in chat.messages])
    again.insert(300, [new_message("added by another program")])
    chat.reset(again.header, again.messages)
    assert {chat.find(key): top for key, top in seen(middle).items()} == before


def test_the_place_is_found_again(middle: ChatView, show: Show, chat: Chat) -> None:
    anchor = middle.anchor()
    assert anchor is not None
    other = show(chat)
    other.restore_anchor(anchor)
    assert seen(other) == seen(middle)
    other.restore_anchor(Anchor(-1, 0))
    assert seen(other) == seen(middle)


def test_a_place_that_is_not_mounted(show: Show, chat: Chat) -> None:
    view = show(chat)
    view.restore_anchor(Anchor(chat.messages[20].key, -10))
    assert view.anchor() == Anchor(chat.messages[20].key, -10)


def test_every_jump_is_exact(show: Show) -> None:
    chat = long_chat(10_000, 5_000, seed=3)
    view = show(chat, mounted=10_000)
    for index in (0, 1, 9_998, 5_000, 1_000, 7_777, 9_999, 3):
        view.scroll_to_index(index)
        row = view.row_of(chat.messages[index].key)
        assert row is not None
        assert view.current_key == chat.messages[index].key
        if view.verticalScrollBar().value() < view.verticalScrollBar().maximum():
            assert view.row_rect(row).top() == (view.header_height() if index == 0 else 0)


def test_the_bar_moves_evenly_over_long_and_short(show: Show, qtbot: QtBot) -> None:
    chat = long_chat(10_000, 5_000, seed=4)
    view = show(chat, mounted=10_000)
    bar = view.verticalScrollBar()
    for share in (10, 50, 90):
        bar.setValue(bar.maximum() * share // 100)
        anchor = view.anchor()
        assert anchor is not None
        row = view.row_of(anchor.key)
        assert row is not None
        assert abs(row / 100 - share) < 3
    for _ in range(200):
        before = bar.value()
        qtbot.keyClick(view, Qt.Key.Key_PageUp)
        # Rows that grow when they are seen push the value along, never by as much as a page the other way.
        assert seen(view)
        assert bar.value() != before
    assert len(view.rows._rows) < 60


def test_the_first_and_the_last_can_be_reached(show: Show, chat: Chat, qtbot: QtBot) -> None:
    view = show(chat, mounted=300)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.row_rect(0).top() == view.header_height()
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.at_end


def test_nothing_is_shown_of_nothing(show: Show) -> None:
    view = show(None)
    view.grab()
    view.scroll_to_index(0)
    view.go_to_end()
    assert view.anchor() is None
    assert show(chat_of([])).places.row_at(0) is None
