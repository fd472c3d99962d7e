"""Every change of a chat can be taken back, byte for byte, and done again."""

from __future__ import annotations

import pytest

from tavern_desktop.chat import edits
from tavern_desktop.chat.chat import Chat
from tavern_desktop.session import commands
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import CommandRefused, UndoRefused
from tests.unit.session.chats import HEADER, chat_of, reply, texts, user


@pytest.fixture
def chat() -> Chat:
    return chat_of(user("u0"), reply("a1", "b1"), user("u2"), reply("a3"), reply("a4", is_system=True))


def key(chat: Chat, index: int) -> int:
    return chat.messages[index].key


def is_tainted(chat: Chat) -> bool:
    return chat.header.metadata().get("tainted") is True


def test_editing_follows_the_message_when_others_go(chat: Chat) -> None:
    edit = commands.EditText(key(chat, 3), "edited")
    commands.DeleteMessages([key(chat, 0), key(chat, 1)]).do(chat)
    assert edit.do(chat)
    assert texts(chat) == ["u2", "edited", "a4"]
    assert chat.messages[1].data()["swipes"] == ["edited"]
    assert is_tainted(chat)


def test_a_text_that_came_while_the_message_was_edited_is_kept_too(chat: Chat) -> None:
    """Another program's text came into the message after the editor was opened on it."""
    mine = commands.EditText(key(chat, 1), "mine", began_with="a1")
    commands.EditText(key(chat, 1), "theirs").do(chat)
    before = chat.snapshot()
    assert mine.do(chat)
    assert texts(chat)[1] == "mine"
    assert chat.messages[1].data()["swipes"] == ["mine", "b1", "theirs"]
    mine.undo(chat)
    assert chat.snapshot() == before


@pytest.mark.parametrize("since", ["a1", "mine"])
def test_where_nothing_else_came_an_edit_adds_no_alternative(chat: Chat, since: str) -> None:
    commands.EditText(key(chat, 1), since).do(chat)
    commands.EditText(key(chat, 1), "mine", began_with="a1").do(chat)
    assert chat.messages[1].data()["swipes"] == ["mine", "b1"]


def test_what_was_prepared_for_many_is_taken_unless_it_changed_since(chat: Chat) -> None:
    hide = commands.SetHidden([message.key for message in chat.messages], True)
    hide.prepare(chat.messages)
    commands.EditText(key(chat, 1), "edited meanwhile").do(chat)
    commands.DeleteMessages([key(chat, 0)]).do(chat)
    assert hide.do(chat)
    assert texts(chat) == ["edited meanwhile", "u2", "a3", "a4"]
    assert all(message.data()["is_system"] for message in chat.messages)
    hide.undo(chat)
    assert [message.data().get("is_system", False) for message in chat.messages] == [False, False, False, True]


def test_what_changes_nothing_is_nothing(chat: Chat) -> None:
    before = chat.snapshot()
    for command in (
        commands.EditText(key(chat, 0), "u0"),
        commands.SelectSwipe(key(chat, 1), 0),
        commands.SetHidden([key(chat, 4)], True),
        commands.MoveMessage(key(chat, 0), -1),
        commands.MoveMessage(key(chat, 4), 3),
    ):
        assert not command.do(chat)
        assert chat.snapshot() == before


def test_alternatives(chat: Chat) -> None:
    this = key(chat, 1)
    commands.SelectSwipe(this, 1).do(chat)
    assert not is_tainted(chat)
    assert chat.messages[1].data()["extra"] == {"reasoning": "about b1"}
    commands.AddSwipe(this, "c1").do(chat)
    assert (texts(chat)[1], is_tainted(chat)) == ("c1", True)
    commands.DeleteSwipe(this, 0).do(chat)
    assert chat.messages[1].data()["swipes"] == ["b1", "c1"]
    assert texts(chat)[1] == "c1"


def test_deleting_a_message_and_deleting_an_alternative_are_two_things(chat: Chat) -> None:
    alone = key(chat, 3)
    with pytest.raises(CommandRefused, match="only alternative"):
        commands.DeleteSwipe(alone, 0).do(chat)
    commands.DeleteMessages([key(chat, 1)]).do(chat)
    assert texts(chat) == ["u0", "u2", "a3", "a4"]


@pytest.mark.parametrize(
    ("index", "command"),
    [
        (0, lambda this: commands.AddSwipe(this, "x")),
        (1, lambda this: commands.SelectSwipe(this, 2)),
        (1, lambda this: commands.DeleteSwipe(this, -1)),
        (None, lambda this: commands.EditText(this, "x")),
        (None, lambda this: commands.DeleteMessages([this])),
        (None, lambda this: commands.SetHidden([this], True)),
        (None, lambda this: commands.MoveMessage(this, 1)),
        (None, lambda this: commands.CopyMessage(this)),
        (None, lambda this: commands.InsertMessage(this, user("x"))),
    ],
)
def test_what_cannot_be_done_changes_nothing(chat: Chat, index: int | None, command) -> None:  # type: ignore[no-untyped-def]
    before = chat.snapshot()
    this = -1 if index is None else key(chat, index)
    with pytest.raises(CommandRefused):
        command(this).do(chat)
    assert chat.snapshot() == before


def test_hiding_leaves_out_what_the_flag_means_something_else_for() -> None:
    chat = chat_of(user("u"), reply("a"), reply("note", is_system=True, extra={"type": "comment"}))
    keys = [message.key for message in chat.messages]
    commands.SetHidden(keys, True).do(chat)
    assert [message.data()["is_system"] for message in chat.messages] == [True, True, True]
    commands.SetHidden(keys, False).do(chat)
    assert [message.data()["is_system"] for message in chat.messages] == [False, False, True]
    assert not is_tainted(chat)


def test_deleting_from_here_and_scattered_ones(chat: Chat) -> None:
    commands.DeleteMessages([key(chat, 0), key(chat, 2), key(chat, 4), -1]).do(chat)
    assert texts(chat) == ["a1", "a3"]
    commands.DeleteMessages.from_here(chat, key(chat, 1)).do(chat)
    assert texts(chat) == ["a1"]


def test_moving(chat: Chat) -> None:
    this = key(chat, 1)
    commands.MoveMessage(this, 2).do(chat)
    assert texts(chat) == ["u0", "u2", "a3", "a1", "a4"]
    commands.MoveMessage(this, -99).do(chat)
    assert texts(chat) == ["a1", "u0", "u2", "a3", "a4"]


def test_new_messages(chat: Chat) -> None:
    commands.AppendMessage(edits.new_user_message("end", "Ana")).do(chat)
    commands.InsertMessage(None, edits.new_user_message("top", "Ana")).do(chat)
    commands.InsertMessage(key(chat, 1), edits.new_user_message("second", "Ana")).do(chat)
    commands.CopyMessage(key(chat, 3)).do(chat)
    assert texts(chat) == ["top", "u0", "second", "a1", "a1", "u2", "a3", "a4", "end"]
    ids = [message.data().get("message_id") for message in chat.messages]
    assert ids[4].startswith("msg_")
    assert ids[3] is None
    assert len({message.key for message in chat.messages}) == len(chat)


def test_a_pristine_greeting_keeps_its_macros_until_the_chat_begins() -> None:
    chat = chat_of(reply("Hello {{user}}", "Good day {{user}}", mes="Hello Ana"))
    commands.SelectSwipe(key(chat, 0), 1).do(chat)
    assert chat.messages[0].data()["swipes"] == ["Hello {{user}}", "Good day {{user}}"]
    assert not is_tainted(chat)


def test_taking_back_gives_the_bytes_back_and_the_mark_in_the_header(chat: Chat) -> None:
    before = chat.snapshot()
    edit = commands.EditText(key(chat, 1), "edited")
    edit.do(chat)
    edit.undo(chat)
    assert chat.snapshot() == before
    assert chat.header.raw == HEADER
    edit.do(chat)
    assert texts(chat)[1] == "edited"


def test_a_header_changed_since_keeps_its_mark_and_does_not_stop_the_undo(chat: Chat) -> None:
    edit = commands.EditText(key(chat, 1), "edited")
    edit.do(chat)
    chat.set_header(chat.header.with_metadata(chat.header.metadata() | {"note_prompt": "n"}))
    edit.undo(chat)
    assert texts(chat)[1] == "a1"
    assert is_tainted(chat)


def outside_edit(chat: Chat, index: int) -> None:
    message = chat.messages[index]
    chat.replace(index, [message.with_data(message.data() | {"mes": "from elsewhere"})])


def test_what_was_edited_elsewhere_since_is_not_taken_back(chat: Chat) -> None:
    edit = commands.EditText(key(chat, 1), "edited")
    edit.do(chat)
    outside_edit(chat, 1)
    before = chat.snapshot()
    with pytest.raises(UndoRefused, match="Edit message"):
        edit.undo(chat)
    assert chat.snapshot() == before


def test_what_was_added_and_edited_elsewhere_since_is_not_taken_away(chat: Chat) -> None:
    add = commands.AppendMessage(user("end"))
    add.do(chat)
    outside_edit(chat, 5)
    with pytest.raises(UndoRefused):
        add.undo(chat)


def test_what_came_back_elsewhere_is_not_put_back_twice(chat: Chat) -> None:
    gone = chat.messages[1]
    delete = commands.DeleteMessages([gone.key])
    delete.do(chat)
    chat.insert(0, [gone])
    with pytest.raises(UndoRefused):
        delete.undo(chat)


def test_a_deleted_message_comes_back_beside_the_neighbour_that_is_left(chat: Chat) -> None:
    delete = commands.DeleteMessages([key(chat, 2)])
    delete.do(chat)
    chat.remove(1, 1)
    delete.undo(chat)
    assert texts(chat) == ["u0", "u2", "a3", "a4"]


def test_with_no_neighbour_left_it_does_not_come_back(chat: Chat) -> None:
    delete = commands.DeleteMessages([key(chat, 2)])
    delete.do(chat)
    chat.remove(1, 2)
    with pytest.raises(UndoRefused):
        delete.undo(chat)


def test_doing_again_what_was_changed_elsewhere_is_refused(chat: Chat) -> None:
    edit = commands.EditText(key(chat, 1), "edited")
    edit.do(chat)
    edit.undo(chat)
    outside_edit(chat, 1)
    with pytest.raises(UndoRefused, match="done again"):
        edit.do(chat)


@pytest.mark.parametrize(
    ("make", "label"),
    [
        (lambda: commands.DeleteMessages([1]), "Delete message"),
        (lambda: commands.DeleteMessages([1, 2]), "Delete 2 messages"),
        (lambda: commands.SetHidden([1, 2], True), "Hide 2 messages"),
        (lambda: commands.SetHidden([1], False), "Unhide message"),
        (lambda: commands.MoveMessage(1, -1), "Move message up"),
        (lambda: commands.EditFields(1, {}, label="Rename"), "Rename"),
    ],
)
def test_labels_name_what_is_taken_back(make, label: str) -> None:  # type: ignore[no-untyped-def]
    command: Command = make()
    assert command.label == label


def test_a_copy_that_another_program_made_gets_an_id_of_its_own_when_it_is_changed() -> None:
    chat = chat_of(user("u0", message_id="msg_1"), user("u0", message_id="msg_1"), user("u1", message_id="msg_2"))
    for message in tuple(chat.messages):
        commands.EditText(message.key, "changed").do(chat)
    first, copy, other = (message.data()["message_id"] for message in chat.messages)
    assert (first, other) == ("msg_1", "msg_2")
    assert copy.startswith("msg_")
    assert copy not in (first, other)
