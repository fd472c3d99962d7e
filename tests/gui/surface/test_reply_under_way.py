"""A reply that is being written: the reader stays where they are (B-49), and its row offers nothing yet."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.ui.chat.list_model import ChatListModel
from tavern_desktop.ui.chat.rows import MAX_SHOWN
from tavern_desktop.ui.chat.view import ChatView
from tests.gui.surface.chats import click, drag, long_chat, new_message, part_point, record, seen
from tests.gui.surface.conftest import Show
from tests.gui.surface.test_staying_put import wheel

WAYS_UP = ["wheel", "bar", "page", "selection"]


@pytest.fixture
def chat() -> Chat:
    return long_chat(100)


class Reply:
    """A reply in a view's chat, written by the test."""

    def __init__(self, view: ChatView, chat: Chat) -> None:
        assert isinstance(view.records, ChatListModel)
        self._chat, self._model = chat, view.records
        self._message = new_message("")
        self._after = chat.messages[-1].key
        self.text = ""

    def grow(self, text: str, **extra: object) -> None:
        """Let more come."""
        self.text += text
        self._message = self.said(**extra)
        self._model.show_live(self._message.key, self._message.raw, self._after)

    def land(self, **extra: object) -> int:
        """Let it be in the chat; return its key."""
        self._model.land_live()
        self._chat.insert(len(self._chat), [self.said(**extra)])
        self._model.end_live()
        return self._message.key

    def said(self, **extra: object) -> Message:
        """Return the message as far as it has come."""
        return self._message.with_data(record(self.text) | {"extra": extra})


def _go_up(view: ChatView, how: str, qtbot: QtBot) -> None:
    if how == "wheel":
        wheel(view, 2)
    elif how == "bar":
        view.verticalScrollBar().setSliderDown(True)
        view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 300)
    elif how == "page":
        qtbot.keyClick(view, Qt.Key.Key_PageUp)
    else:
        wheel(view, 1)
        drag(view, QPoint(120, 300), QPoint(300, 200))


@pytest.mark.parametrize("how", WAYS_UP)
def test_who_reads_further_up_is_left_alone(show: Show, chat: Chat, how: str, qtbot: QtBot) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    for _ in range(50):
        reply.grow("word by word ")
    assert view.at_end
    _go_up(view, how, qtbot)
    assert not view.at_end
    before = seen(view)
    for _ in range(450):
        reply.grow("and another ")
        assert {key: top for key, top in seen(view).items() if key in before} == before
    reply.land(tavern_desktop={"stopped": "user"})
    assert {key: top for key, top in seen(view).items() if key in before} == before
    assert not view.at_end


def test_another_width_leaves_the_line_being_read_where_it_is(show: Show, chat: Chat, qtbot: QtBot) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    reply.grow("word by word " * 200)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 700)
    line = view._reading_line()
    view.resize(600, 600)
    assert line is None or view._line_top(line) == line.y
    top = seen(view)
    reply.grow("and another " * 50)
    assert {key: y for key, y in seen(view).items() if key in top} == top


def test_the_end_is_followed_also_past_what_was_sent_meanwhile(show: Show, chat: Chat) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    reply.grow("It begins")
    chat.insert(len(chat), [new_message("sent meanwhile")])
    view.go_to_end()
    for _ in range(60):
        reply.grow(" and goes on and on and on")
        assert view.at_end
    reply.land(tavern_desktop={"stopped": "user"})
    assert view.at_end
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_the_end_is_followed_where_a_reply_lands_shorter_and_with_rows_of_tools(show: Show, chat: Chat) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    reply.grow("Let me look." + "\n\nAnd somebody else goes on." * 12)
    assert view.at_end
    reply.text = "Let me look."
    calls = [{"id": "c", "type": "function", "function": {"name": "depth", "arguments": "{}"}}]
    landed = reply.said().with_data(reply.said().data() | {"tool_calls": calls})
    rows = [new_message("4 feet") for _ in range(12)]
    assert isinstance(view.records, ChatListModel)
    view.records.land_live()
    chat.insert(len(chat), [landed, *rows])
    view.records.end_live()
    assert view.at_end
    assert view.verticalScrollBar().value() == view.verticalScrollBar().maximum()
    Reply(view, chat).grow("Four feet.")
    assert view.at_end


def test_its_row_has_no_controls_until_it_is_in_the_chat(show: Show, chat: Chat) -> None:
    view = show(chat)
    view.set_context(replace(view.context, can_generate=True))
    reply = Reply(view, chat)
    reply.grow("It begins")
    row = view.places.row_count - 1
    layout = view.row_view(row).layout
    assert layout.swipes is None
    assert layout.strip.isEmpty()
    assert not view.begin_edit(view.key(row))
    key = reply.land()
    layout = view.row_view(row).layout
    assert layout.swipes is not None
    assert not layout.strip.isEmpty()
    assert view.begin_edit(key)


def test_what_it_thinks_is_folded_and_timed(show: Show, chat: Chat) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    row = view.places.row_count
    reply.grow("", reasoning="Hm.", reasoning_duration=2100)
    assert [(fold.label, fold.is_open) for fold in view.row_view(row).layout.folds] == [("Thinking… 2 s", False)]
    reply.grow("Yes.", reasoning="Hm. So.", reasoning_duration=3000)
    assert [fold.label for fold in view.row_view(row).layout.folds] == ["Thought for 3 s"]
    reply.land(reasoning="Hm. So.", reasoning_duration=3000)
    assert [fold.label for fold in view.row_view(row).layout.folds] == ["Thought for 3 s"]


@pytest.mark.parametrize(("who", "note"), [("user", "Stopped"), ("error", "Broke off"), ("odd", "Not whole")])
def test_a_part_says_so_and_the_newest_can_go_on(show: Show, chat: Chat, who: str, note: str, qtbot: QtBot) -> None:
    view = show(chat)
    view.set_context(replace(view.context, can_generate=True))
    reply = Reply(view, chat)
    reply.grow("It begins")
    key = reply.land(tavern_desktop={"stopped": who})
    layout = view.row_view(view.places.row_count - 1).layout
    assert layout.note_text == note
    with qtbot.waitSignal(view.continue_requested) as wanted:
        click(view, part_point(view, key, "continue"))
    assert wanted.args == [key]
    chat.insert(len(chat), [new_message("something newer")])
    older = view.row_view(view.places.row_count - 2).layout
    assert older.note_text == note
    assert older.note_button.isEmpty()


def test_speed_is_shown_beside_the_time_where_that_is_wanted(show: Show) -> None:
    times = {"gen_started": "2026-03-01T10:00:00.000Z", "gen_finished": "2026-03-01T10:00:05.000Z"}
    chat = long_chat(3)
    said = record("Fast.") | times | {"extra": {"token_count": 48, "time_to_first_token": 1000}}
    chat.insert(3, [Message.new(said)])
    view = show(chat)
    assert "tokens/s" not in view.row_view(3).layout.time_text
    view.set_context(replace(view.context, shows_speed=True))
    assert view.row_view(3).layout.time_text.endswith("12.0 tokens/s")
    assert "tokens/s" not in view.row_view(2).layout.time_text


def test_a_very_long_one_is_shown_to_its_end_and_its_document_goes_on(show: Show, chat: Chat) -> None:
    view = show(chat)
    reply = Reply(view, chat)
    reply.grow("A paragraph.\n\n" * (MAX_SHOWN // 14))
    row = view.places.row_count - 1
    reply.grow("one more. ")
    document = view.row_view(row).document
    assert document is not None
    for _ in range(200):
        reply.grow("and one more. ")
    assert len(reply.text) > MAX_SHOWN
    assert view.row_view(row).document is document
    assert document.toPlainText().rstrip().endswith("and one more.")
    reply.land()
    assert view.row_view(row).document is document
