"""Pointing, clicking and selecting text with the mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import (
    change,
    character_point,
    chat_of,
    click,
    drag,
    long_chat,
    mouse,
    part_point,
    record,
    seen,
)
from tests.gui.surface.conftest import Show

CODE = "```python\nx = 1\n```"
MESSAGES = [
    record("First *message* here.", 0),
    record("Second one, with a [link](https://example.com/x).\n\nAnd a second paragraph.", 1),
    record(
        "Third: " + CODE.replace("```python", "\n\n```python"),
        2,
        swipes=["a", "b", "c"],
        swipe_id=1,
        extra={"reasoning": "because", "reasoning_duration": 8000},
    ),
]
MESSAGES[2]["swipes"][1] = MESSAGES[2]["mes"]


@pytest.fixture
def chat() -> Chat:
    return chat_of(MESSAGES)


@pytest.fixture
def view(show: Show, chat: Chat) -> ChatView:
    return show(chat)


@pytest.fixture
def keys(chat: Chat) -> list[int]:
    return [message.key for message in chat.messages]


def test_a_drag_selects_across_messages(view: ChatView, keys: list[int]) -> None:
    before = seen(view)
    drag(view, character_point(view, keys[0], 6), character_point(view, keys[1], 10))
    assert view.selected_text() == "message here.\n\nSecond one"
    assert view.selected_markdown() == "*message* here.\n\nSecond one"
    assert seen(view) == before


def test_a_drag_backwards_selects_the_same(view: ChatView, keys: list[int]) -> None:
    drag(view, character_point(view, keys[1], 10), character_point(view, keys[0], 6))
    assert view.selected_text() == "message here.\n\nSecond one"


def test_copying_gives_markdown_and_html(view: ChatView, keys: list[int], qtbot: QtBot) -> None:
    drag(view, character_point(view, keys[0], 6), character_point(view, keys[2], 7))
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.text().startswith("*message* here.\n\nSecond one, with a [link](https://example.com/x).")
    assert "<em>message</em>" in copied.html()
    assert '<a href="https://example.com/x">link</a>' in copied.html()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    copied = QGuiApplication.clipboard().mimeData()
    assert copied.hasFormat("text/markdown")
    assert not copied.hasHtml()


def test_from_the_middle_of_a_paragraph_into_code(view: ChatView, keys: list[int]) -> None:  # known failure B-63
    drag(view, character_point(view, keys[2], 2), character_point(view, keys[2], 10))
    assert view.selected_markdown() == "ird:\n\n```python\nx =\n```"


def test_a_double_click_selects_a_word_and_extends_by_words(view: ChatView, keys: list[int]) -> None:
    start, end = character_point(view, keys[1], 2), character_point(view, keys[1], 8)
    mouse(view, QEvent.Type.MouseButtonDblClick, start)
    assert view.selected_text() == "Second"
    mouse(view, QEvent.Type.MouseMove, end)
    assert view.selected_text() == "Second one"
    mouse(view, QEvent.Type.MouseButtonRelease, end)


def test_a_third_click_selects_the_message(view: ChatView, keys: list[int]) -> None:
    point = character_point(view, keys[0], 2)
    click(view, point)
    mouse(view, QEvent.Type.MouseButtonDblClick, point)
    mouse(view, QEvent.Type.MouseButtonRelease, point)
    click(view, point)
    assert view.selected_text() == "First message here."
    assert view.selected_markdown() == "First *message* here."


def test_shift_click_extends(view: ChatView, keys: list[int]) -> None:
    drag(view, character_point(view, keys[0], 0), character_point(view, keys[0], 5))
    click(view, character_point(view, keys[1], 6), Qt.KeyboardModifier.ShiftModifier)
    assert view.selected_text() == "First message here.\n\nSecond"


def test_a_plain_click_selects_nothing_and_makes_current(view: ChatView, keys: list[int], qtbot: QtBot) -> None:
    drag(view, character_point(view, keys[0], 0), character_point(view, keys[0], 5))
    with qtbot.waitSignal(view.current_changed):
        click(view, character_point(view, keys[1], 6))
    assert view.selected_text() == ""
    assert view.current_key == keys[1]
    assert view.currentIndex().row() == 1


def test_the_selection_follows_its_messages(view: ChatView, chat: Chat, keys: list[int]) -> None:
    drag(view, character_point(view, keys[1], 0), character_point(view, keys[1], 6))
    chat.remove(0, 0)
    assert view.selected_text() == "Second"
    chat.remove(0, 0)
    assert view.selected_text() == ""


def test_dragging_beyond_the_edge_scrolls_along(show: Show, qtbot: QtBot) -> None:
    chat = long_chat(60)
    view = show(chat)
    end = view.verticalScrollBar().value()
    last = chat.messages[-1].key
    mouse(view, QEvent.Type.MouseButtonPress, character_point(view, last, 0))
    mouse(view, QEvent.Type.MouseMove, QPoint(200, -300))
    qtbot.waitUntil(lambda: view.verticalScrollBar().value() < end - 2_000)
    mouse(view, QEvent.Type.MouseButtonRelease, QPoint(200, -300))
    rested = view.verticalScrollBar().value()
    QApplication.processEvents()
    assert view.verticalScrollBar().value() == rested
    assert view.selected_text().count("\n\n") > 5


@pytest.mark.parametrize(("part", "name"), [("edit", "edit"), ("copy", "copy_message"), ("hide", "hide")])
def test_the_strip_asks_for_actions(view: ChatView, keys: list[int], qtbot: QtBot, part: str, name: str) -> None:
    with qtbot.waitSignal(view.action_requested) as asked:
        click(view, part_point(view, keys[1], part))
    assert asked.args == [name, keys[1]]


def test_a_hidden_message_can_be_unhidden(view: ChatView, chat: Chat, keys: list[int], qtbot: QtBot) -> None:
    change(chat, 1, is_system=True)
    with qtbot.waitSignal(view.action_requested) as asked:
        click(view, part_point(view, keys[1], "hide"))
    assert asked.args == ["unhide", keys[1]]


def test_the_strip_lies_within_its_message_and_on_screen(show: Show) -> None:
    chat = chat_of(["short", "long " * 3_000, "short"])
    view = show(chat)
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() // 2)
    place = view.row_rect(1)
    assert place.top() < -200
    strip = view.row_view(1).layout.strip_at(-place.top()).translated(place.topLeft())
    assert view.viewport().rect().contains(strip)
    for top in range(0, place.height(), 50):
        assert view.row_view(1).layout.card.contains(view.row_view(1).layout.strip_at(top))


@pytest.mark.parametrize(("part", "step"), [("swipe_left", -1), ("swipe_right", 1)])
def test_the_swipe_control(view: ChatView, keys: list[int], qtbot: QtBot, part: str, step: int) -> None:
    swipes = view.row_view(2).layout.swipes
    assert swipes is not None
    assert swipes.text == "2 / 3"
    with qtbot.waitSignal(view.swipe_requested) as asked:
        click(view, part_point(view, keys[2], part))
    assert asked.args == [keys[2], step]


def test_pressing_here_and_releasing_there_does_nothing(view: ChatView, keys: list[int], qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(view.action_requested):
        mouse(view, QEvent.Type.MouseButtonPress, part_point(view, keys[1], "edit"))
        mouse(view, QEvent.Type.MouseButtonRelease, part_point(view, keys[1], "copy"))


def test_a_swipe_leaves_the_control_under_the_pointer(view: ChatView, chat: Chat, keys: list[int]) -> None:
    before = view.row_rect(2).top()
    change(chat, 2, mes="very long " * 300, swipe_id=2)
    assert view.row_rect(2).top() == before


def test_reasoning_unfolds_downwards(view: ChatView, keys: list[int]) -> None:
    before, height = view.row_rect(2).top(), view.row_rect(2).height()
    click(view, part_point(view, keys[2], "fold:reasoning"))
    assert view.row_rect(2).top() == before
    assert view.row_rect(2).height() > height
    click(view, part_point(view, keys[2], "fold:reasoning"))
    assert view.row_rect(2).height() == height


def test_details_fold(show: Show) -> None:
    chat = chat_of(["<details><summary>More</summary>\n\nInside\n\n</details>"])
    view = show(chat)
    key = chat.messages[0].key
    height = view.row_rect(0).height()
    click(view, part_point(view, key, "link"))
    assert view.row_rect(0).height() > height
    document = view.row_view(0).document
    assert document is not None
    assert "Inside" in document.text()


def test_a_link_is_only_reported(view: ChatView, keys: list[int], qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.link_activated) as clicked:
        click(view, part_point(view, keys[1], "link"))
    assert clicked.args == ["https://example.com/x"]


def test_code_is_copied_exactly(view: ChatView, keys: list[int]) -> None:
    click(view, part_point(view, keys[2], "code:0"))
    assert QGuiApplication.clipboard().text() == "x = 1"


def test_the_pointer_says_what_a_click_would_do(view: ChatView, keys: list[int]) -> None:
    for part, shape in (
        ("link", Qt.CursorShape.PointingHandCursor),
        ("text", Qt.CursorShape.IBeamCursor),
        ("edit", Qt.CursorShape.PointingHandCursor),
        ("card", Qt.CursorShape.ArrowCursor),
    ):
        view.mouse.point_at(part_point(view, keys[1], part))
        assert view.viewport().cursor().shape() == shape
        assert view.mouse.hovered == keys[1]
    view.mouse.leave()
    assert view.mouse.hovered is None


def test_the_menu_is_of_the_message_under_the_pointer(view: ChatView, keys: list[int], qtbot: QtBot) -> None:
    point = character_point(view, keys[0], 3)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, view.viewport().mapToGlobal(point))
    with qtbot.waitSignal(view.menu_requested):
        QApplication.sendEvent(view.viewport(), event)
    assert view.current_key == keys[0]
    with qtbot.waitSignal(view.menu_requested):
        click(view, part_point(view, keys[2], "more"))
    assert view.current_key == keys[2]


def test_the_time_tells_the_whole_date_and_the_number(view: ChatView, keys: list[int]) -> None:
    hit = view.hit_test(part_point(view, keys[1], "time"))
    assert hit is not None
    tip = view.mouse._tip(hit)
    assert "2026" in tip
    assert tip.endswith("#1")


def test_show_more_by_its_button(show: Show, qtbot: QtBot) -> None:
    view = show(long_chat(250))
    view.verticalScrollBar().setValue(0)
    assert view.overlays.more.text() == "Show 100 more · 150 earlier"
    qtbot.mouseClick(view.overlays.more, Qt.MouseButton.LeftButton)
    assert view.earlier == 50
    view.verticalScrollBar().setValue(0)
    assert view.overlays.more.text() == "Show 50 more · 50 earlier"
    qtbot.mouseClick(view.overlays.more, Qt.MouseButton.LeftButton)
    assert not view.overlays.more.isVisible()


def test_the_button_to_the_end(show: Show, qtbot: QtBot) -> None:
    view = show(long_chat(100))
    assert not view.overlays.end.isVisible()
    view.verticalScrollBar().setValue(100)
    assert view.overlays.end.isVisible()
    qtbot.mouseClick(view.overlays.end, Qt.MouseButton.LeftButton)
    assert view.at_end
    assert not view.overlays.end.isVisible()
