"""A message is found again after a restart by its id, else by what it says; never is it another one."""

from __future__ import annotations

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.message import Message
from tavern_desktop.session.message_refs import find_message, ref_of
from tavern_desktop.storage.drafts import MessageRef
from tests.unit.session.chats import chat_of, reply, texts, user


def found_in(chat: Chat, ref: MessageRef | None) -> str | None:
    assert ref is not None
    key = find_message(chat, ref)
    return None if key is None else texts(chat)[chat.find(key) or 0]


def test_a_message_without_an_id_is_known_by_what_it_says() -> None:
    chat = chat_of(user("one"), reply("two"), user("three"))
    ref = ref_of(chat, chat.messages[1].key)
    assert found_in(chat_of(user("one"), reply("two"), user("three")), ref) == "two"
    assert found_in(chat_of(user("zero"), user("one"), reply("two")), ref) == "two"
    assert found_in(chat_of(user("one"), reply("other"), user("three")), ref) is None


def test_of_the_same_text_twice_the_nearest_is_meant() -> None:
    chat = chat_of(*[user("yes")] * 9)
    ref = ref_of(chat, chat.messages[4].key)
    again = chat_of(*[user("yes")] * 9)
    assert ref is not None
    assert find_message(again, ref) == again.messages[4].key


def test_an_id_outlives_another_text() -> None:
    chat = chat_of(user("one", message_id="msg_a"), user("two", message_id="msg_b"))
    ref = ref_of(chat, chat.messages[0].key)
    assert found_in(chat_of(user("new"), user("one, changed", message_id="msg_a")), ref) == "one, changed"
    assert found_in(chat_of(user("one"), user("two", message_id="msg_b")), ref) is None


def test_another_spelling_is_the_same_message() -> None:
    chat = chat_of(user("one"))
    ref = ref_of(chat, chat.messages[0].key)
    respelt = Chat(chat.header, [Message.new(user("one"))])
    assert respelt.messages[0].raw != chat.messages[0].raw
    assert found_in(respelt, ref) == "one"


def test_what_is_not_in_the_chat_has_no_ref() -> None:
    assert ref_of(chat_of(user("one")), -1) is None
