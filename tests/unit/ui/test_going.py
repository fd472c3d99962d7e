"""Numbers and dates that a person types to go to a message."""

from __future__ import annotations

from datetime import datetime

import pytest
from PySide6.QtCore import QLocale

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.preferences import Position
from tavern_desktop.ui.going import find_place
from tavern_desktop.ui.reading_place import index_of

ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom)


def _chat(days: list[int | None]) -> Chat:
    records = []
    for day in days:
        date = {} if day is None else {"send_date": round(datetime(2026, 3, day, 12).timestamp() * 1000)}
        records.append(Message.new({"mes": "x", "message_id": f"msg_{len(records)}"} | date))
    return Chat(Header.new(), records)


@pytest.mark.parametrize(("text", "index"), [("0", 0), ("#3", 3), ("5", 5), (" 4 ".strip(), 4)])
def test_numbers_count_from_nought(text: str, index: int) -> None:
    assert find_place(text, _chat([1] * 6), ENGLISH) == index


def test_numbers_may_be_grouped() -> None:
    assert find_place("1,340", _chat([1] * 1341), ENGLISH) == 1340


@pytest.mark.parametrize("text", ["6", "99", "soon", "", "-1"])
def test_what_leads_nowhere_is_said(text: str) -> None:
    found = find_place(text, _chat([1] * 6), ENGLISH)
    assert isinstance(found, str)
    assert found.endswith(".")


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("2026-03-01", 0),
        ("2026-03-02", 2),
        ("2026-03-03", 3),
        ("2026-03-09", 4),
        ("2 March 2026", 2),
        ("02/03/2026", 2),
    ],
)
def test_dates_lead_to_the_first_message_of_that_day_or_after_it(text: str, index: int) -> None:
    assert find_place(text, _chat([1, 1, 2, 4, 5]), ENGLISH) == index


def test_messages_without_a_date_are_passed_over() -> None:
    assert find_place("2026-03-04", _chat([1, None, None, 4, None, 5]), ENGLISH) == 3


def test_an_empty_chat_has_no_place_to_go() -> None:
    assert isinstance(find_place("0", _chat([]), ENGLISH), str)


def test_the_end_stays_the_end() -> None:
    assert index_of(_chat([1] * 5), Position(0)) is None


def test_a_place_is_found_again_after_the_chat_grew_at_its_end() -> None:
    chat = _chat([1] * 10)
    assert index_of(chat, Position(from_end=3, count=5, message_id="msg_2")) == 2
    assert index_of(chat, Position(from_end=3, count=5)) == 2


def test_a_place_is_found_by_its_id_after_messages_before_it_went() -> None:
    chat = _chat([1] * 10)
    chat.remove(0, 3)
    assert index_of(chat, Position(from_end=3, count=10, message_id="msg_7")) == 3


def test_a_place_whose_message_is_gone_is_about_where_it_was() -> None:
    chat = _chat([1] * 4)
    assert index_of(chat, Position(from_end=1, count=10, message_id="msg_9")) == 3
