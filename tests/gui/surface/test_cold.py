"""Messages whose unseen alternatives are on disk look like any other, and looking at them reads nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.header import Header
from tavern_desktop.session.commands import EditText, SelectSwipe
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.ui.chat.find import find_messages
from tests.gui.surface.chats import long_chat, record
from tests.gui.surface.conftest import Show


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The records that are read back from disk."""
    found: list[int] = []
    original = ColdSource.record

    def counted(source: ColdSource, number: int) -> bytes:
        found.append(number)
        return original(source, number)

    monkeypatch.setattr(ColdSource, "record", counted)
    return found


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    whole = long_chat(200)
    for at in range(0, 200, 2):
        text = whole.messages[at].data()["mes"]
        data = record(text, at, swipes=["another", text, "a third"], swipe_id=1)
        whole.messages[at] = whole.messages[at].with_data(data)
    cold = ColdSource(tmp_path).read([message.raw for message in whole.messages])
    assert sum(isinstance(message, ColdMessage) for message in cold) == 100
    return Chat(Header.new(), cold)


def test_showing_scrolling_finding_and_editing_read_nothing(show: Show, chat: Chat, reads: list[int]) -> None:
    view = show(chat, mounted=200)
    view.grab()
    for part in range(10):
        view.verticalScrollBar().setValue(view.verticalScrollBar().maximum() * part // 10)
        view.grab()
    row = view.row_of(chat.messages[2].key)
    assert row is not None
    shown = view.record(row)
    assert (shown.swipe, shown.swipe_count, shown.text) == (1, 3, chat.messages[2].seen_data()["mes"])
    assert len(find_messages([message.seen for message in chat.messages], shown.text)) >= 1
    EditText(chat.messages[2].key, "edited").do(chat)
    assert view.record(row).text == "edited"
    assert reads == []


def test_a_row_is_made_once_as_long_as_its_message_says_the_same(show: Show, chat: Chat) -> None:
    view = show(chat)
    row = view.places.visible_rows()[0]
    assert view.row_view(row) is view.row_view(row)
    assert view.row_view(row + 1) is view.row_view(row + 1)


def test_another_alternative_is_read_when_it_is_chosen(show: Show, chat: Chat, reads: list[int]) -> None:
    view = show(chat, mounted=200)
    key = chat.messages[2].key
    SelectSwipe(key, 2).do(chat)
    row = view.row_of(key)
    assert row is not None
    assert (view.record(row).text, view.record(row).swipe) == ("a third", 2)
    assert set(reads) == {1}
