"""Messages and whole versions of a chat, brought back by commands."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session.commands import DeleteMessages, EditText, MoveMessage
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.restoring import RestoreMessages, RestoreVersion, Wanted
from tests.unit.chat.merge_sides import Writer, changed_messages, scripts
from tests.unit.session.chats import HEADER, chat_of, texts, user


def a_chat(count: int = 8) -> Chat:
    return chat_of(*(user(f"text {number}") for number in range(count)))


def wanted(version: Iterable[Message], texts: Iterable[int], places: Iterable[int] = ()) -> Wanted:
    return Wanted(list(version), frozenset(texts), frozenset(places))


def keys(chat: Chat) -> list[int]:
    return [message.key for message in chat.messages]


def test_deleted_messages_come_back_where_they_were() -> None:
    chat = a_chat()
    before = list(chat.messages)
    DeleteMessages(keys(chat)[2:6]).do(chat)
    restore = RestoreMessages(wanted(before, [2, 4, 5]))
    assert restore.do(chat)
    assert texts(chat) == ["text 0", "text 1", "text 2", "text 4", "text 5", "text 6", "text 7"]
    assert restore.label == "Restore 3 messages"
    restore.undo(chat)
    assert texts(chat) == ["text 0", "text 1", "text 6", "text 7"]
    restore.do(chat)
    assert [message.raw for message in chat.messages[2:5]] == [before[index].raw for index in (2, 4, 5)]


def test_an_earlier_text_comes_back_byte_for_byte() -> None:
    chat = a_chat()
    before = list(chat.messages)
    key = before[3].key
    EditText(key, "another").do(chat)
    restore = RestoreMessages(wanted(before, [3]))
    assert restore.do(chat)
    assert (chat.messages[3].raw, restore.label) == (before[3].raw, "Restore message")
    restore.undo(chat)
    assert texts(chat)[3] == "another"
    assert not RestoreMessages(wanted(chat.messages, [3])).do(chat)


def test_what_came_meanwhile_stays() -> None:
    chat = a_chat(4)
    before = list(chat.messages)
    DeleteMessages([before[0].key, before[3].key]).do(chat)
    chat.insert(0, Message.read([b'{"mes":"top"}']))
    chat.insert(3, Message.read([b'{"mes":"end"}']))
    RestoreMessages(wanted(before, [0, 3])).do(chat)
    assert texts(chat) == ["text 0", "top", "text 1", "text 2", "text 3", "end"]


def test_a_moved_message_is_moved_back_and_places_no_other() -> None:
    chat = a_chat(6)
    before = list(chat.messages)
    MoveMessage(before[1].key, 4).do(chat)
    DeleteMessages([before[2].key]).do(chat)
    RestoreMessages(wanted(before, [2])).do(chat)
    assert texts(chat) == ["text 0", "text 2", "text 3", "text 4", "text 5", "text 1"]
    restore = RestoreMessages(wanted(before, [1], [1]))
    assert restore.do(chat)
    assert texts(chat) == [f"text {number}" for number in range(6)]
    restore.undo(chat)
    assert texts(chat)[-1] == "text 1"


def test_messages_of_two_versions_at_once() -> None:
    chat = a_chat(3)
    first = list(chat.messages)
    DeleteMessages([first[1].key]).do(chat)
    chat.insert(2, Message.read([b'{"mes":"later"}']))
    second = list(chat.messages)
    DeleteMessages([second[2].key]).do(chat)
    restore = RestoreMessages(wanted(first, [1]), wanted(second, [2]))
    restore.do(chat)
    assert (texts(chat), restore.label) == (["text 0", "text 1", "text 2", "later"], "Restore 2 messages")


def test_a_text_that_nobody_has_cannot_come_back() -> None:
    chat = a_chat(3)
    lost = Message(-1, b"")
    with pytest.raises(CommandRefused):
        RestoreMessages(wanted([*chat.messages, lost], [3])).do(chat)
    assert len(chat) == 3


def test_a_whole_version_comes_back_and_the_chat_stays_the_same_one() -> None:
    chat = a_chat()
    before = list(chat.messages)
    header = Header(b'{"chat_metadata":{"integrity":"other","note_prompt":"x"},"user_name":"unused"}')
    DeleteMessages(keys(chat)[1:7]).do(chat)
    EditText(before[0].key, "edited").do(chat)
    restore = RestoreVersion(header, before)
    assert restore.do(chat)
    assert chat.messages == before
    assert chat.header.metadata() == {"integrity": Header(HEADER).integrity(), "note_prompt": "x"}
    restore.undo(chat)
    assert texts(chat) == ["edited", "text 7"]
    assert not RestoreVersion(chat.header, list(chat.messages)).do(chat)


def test_of_a_whole_version_texts_that_nobody_has_stay_as_they_are() -> None:
    chat = a_chat(3)
    version = [Message(chat.messages[0].key, b""), Message(-1, b""), chat.messages[2]]
    RestoreVersion(chat.header, version).do(chat)
    assert texts(chat) == ["text 0", "text 2"]


@given(scripts(), st.integers(0, 8), st.data())
def test_everything_brought_back_is_the_whole_version_beside_what_is_new(
    script: object, count: int, data: st.DataObject
) -> None:
    writer = Writer(3)
    before = [Message.new(writer.record()) for _ in range(count)]
    after, _ = changed_messages(before, script, writer)  # type: ignore[arg-type]
    chat = Chat(Header(HEADER), after)
    chosen = data.draw(st.sets(st.integers(0, count - 1))) if count else set()
    restore = RestoreMessages(wanted(before, chosen)) if chosen else RestoreVersion(chat.header, before)
    restore.do(chat)
    now = {message.key: message.raw for message in chat.messages}
    if not chosen:
        assert chat.messages == before
    assert all(now[before[index].key] == before[index].raw for index in chosen)
    assert chosen == set() or {message.key for message in after} <= now.keys()
    restore.undo(chat)
    assert chat.messages == after
