"""Whatever was done in whatever order to whatever messages: undoing all of it restores every byte."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.session import commands
from tavern_desktop.session.commands import Command
from tavern_desktop.session.refusals import CommandRefused
from tavern_desktop.session.undo import UndoStack
from tests.unit.chat.odd_records import TEXTS, odd_records

KINDS = ("edit", "fields", "select", "add", "drop", "delete", "hide", "move", "copy", "insert", "append")
STEPS = st.tuples(st.sampled_from(KINDS), st.integers(0, 20), st.integers(-3, 3), TEXTS)
HEADERS = st.sampled_from([b'{"chat_metadata":{"integrity":"a"}}', b'{ "user_name": "u" }', b'{"chat_metadata":null}'])


def command_of(step: tuple[str, int, int, str], keys: list[int]) -> Command:
    kind, at, number, text = step
    key = keys[at % len(keys)] if keys else -1
    some = [other for position, other in enumerate(keys) if (position + at) % 3 == 0]
    made: dict[str, Any] = {
        "edit": lambda: commands.EditText(key, text),
        "fields": lambda: commands.EditFields(key, {"name": text}, {"model": number}),
        "select": lambda: commands.SelectSwipe(key, number),
        "add": lambda: commands.AddSwipe(key, text, show=number > 0),
        "drop": lambda: commands.DeleteSwipe(key, number),
        "delete": lambda: commands.DeleteMessages(some),
        "hide": lambda: commands.SetHidden(some, number > 0),
        "move": lambda: commands.MoveMessage(key, number),
        "copy": lambda: commands.CopyMessage(key),
        "insert": lambda: commands.InsertMessage(key if number > 0 else None, {"mes": text}),
        "append": lambda: commands.AppendMessage({"mes": text}),
    }
    return made[kind]()  # type: ignore[no-any-return]


@settings(max_examples=200)
@given(HEADERS, st.lists(odd_records(), max_size=5), st.lists(STEPS, max_size=10))
def test_undoing_everything_restores_everything(
    header: bytes, records: list[dict[str, Any]], steps: list[tuple[str, int, int, str]]
) -> None:
    raws = [json.dumps(record, separators=(", ", ":")).encode() for record in records]
    chat = Chat(Header(header), Message.read(raws))
    mirror = Mirror(chat)
    states = [chat.snapshot()]
    undo = UndoStack()
    for step in steps:
        command = command_of(step, [message.key for message in chat.messages])
        try:
            changed = command.do(chat)
        except CommandRefused:
            changed = False
        if changed:
            undo.add(command)
            states.append(chat.snapshot())
        assert chat.snapshot() == states[-1]
    for state in reversed(states[:-1]):
        undo.undo(chat)
        assert chat.snapshot() == state
    assert [message.raw for message in chat.messages] == raws
    assert chat.header.raw == header
    for state in states[1:]:
        undo.redo(chat)
        assert chat.snapshot() == state
    assert mirror.keys == [message.key for message in chat.messages]


class Mirror:
    """A view that knows only what the signals of a chat say."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat
        self.keys = [message.key for message in chat.messages]
        chat.inserted.connect(self._inserted)
        chat.removed.connect(self._removed)
        chat.moved.connect(self._moved)
        chat.changed.connect(self._changed)

    def _inserted(self, first: int, last: int) -> None:
        self.keys[first:first] = [message.key for message in self._chat.messages[first : last + 1]]

    def _removed(self, first: int, last: int) -> None:
        del self.keys[first : last + 1]

    def _moved(self, first: int, last: int, destination: int) -> None:
        moving = self.keys[first : last + 1]
        del self.keys[first : last + 1]
        at = destination if destination < first else destination - len(moving)
        self.keys[at:at] = moving

    def _changed(self, first: int, last: int) -> None:
        assert self.keys[first : last + 1] == [message.key for message in self._chat.messages[first : last + 1]]
