"""Alternatives that stay on disk: whatever is done, the file becomes what it would be with all of them in memory."""

from __future__ import annotations

import itertools
import json
import uuid
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tavern_desktop.chat import edits
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.cold_message import ColdMessage
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.merge import merge_three_way
from tavern_desktop.chat.message import Message
from tavern_desktop.session.refusals import Refused
from tavern_desktop.session.undo import UndoStack
from tavern_desktop.storage.cold_source import ColdSource
from tavern_desktop.storage.format import commit_pieces
from tests.unit.chat.merge_sides import Writer, changed_records, encoded, scripts
from tests.unit.chat.odd_records import TEXTS, odd_records
from tests.unit.session.test_undo_all import STEPS, command_of

HEADER = Header(b'{"chat_metadata":{"integrity":"a"}}')


@st.composite
def swiped(draw: st.DrawFn) -> dict[str, Any]:
    """A record with alternatives that may stay on disk, beside whatever else may stand in it."""
    record = draw(odd_records())
    texts = draw(st.lists(TEXTS, min_size=2, max_size=4))
    shown = draw(st.integers(0, len(texts) - 1))
    record |= {"swipes": texts, "swipe_id": shown, "mes": draw(st.sampled_from([texts[shown], "another text"]))}
    info = draw(st.none() | st.lists(st.fixed_dictionaries({"extra": st.just({"n": 1.5})}), max_size=5))
    record.pop("swipe_info", None)
    return record if info is None else record | {"swipe_info": info}


class Side:
    """One of two chats to which the same is done, with ids and times that are the same on both sides."""

    def __init__(self, messages: list[Message]) -> None:
        self.chat = Chat(HEADER, messages)
        self.undo = UndoStack()
        self._loaded = list(messages)
        self._numbers = itertools.count(1)

    def do(self, step: tuple[str, int, int, str]) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(edits, "now", lambda: "2026-01-01T00:00:00.000Z")
            patch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=next(self._numbers)))
            command = command_of(step, [message.key for message in self.chat.messages])
            try:
                if command.do(self.chat):
                    self.undo.add(command)
                    return "changed"
            except Refused as refusal:
                return refusal.sentence
        return "same"

    def merged(self, disk: list[bytes]) -> tuple[list[bytes], list[tuple[str, str | None]]]:
        """Return the chat merged with another version of its file, and what was in conflict."""
        kept = {message.key for message in self.chat.messages}
        deleted = {message.key for message in self._loaded} - kept
        result = merge_three_way(self._loaded, disk, self.chat.messages, deleted)
        return [message.raw for message in result.messages], [(found.kind, found.field) for found in result.conflicts]

    def saved(self) -> bytes:
        return b"".join(commit_pieces(*self.chat.snapshot()))


@settings(max_examples=200)
@given(st.lists(swiped() | odd_records(), max_size=5), st.lists(STEPS, max_size=8), scripts())
def test_whatever_is_done_the_file_is_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, Any]],
    steps: list[tuple[str, int, int, str]],
    elsewhere: list[tuple[str, float, float]],
) -> None:
    raws = [json.dumps(record, separators=(", ", ":")).encode() for record in records]
    source = ColdSource(tmp_path_factory.getbasetemp() / "cold")
    cold, warm = Side(source.read(raws)), Side(Message.read(raws))
    assert cold.saved() == warm.saved()
    for step in steps:
        assert cold.do(step) == warm.do(step)
        assert cold.saved() == warm.saved()
        for one, other in zip(cold.chat.messages, warm.chat.messages, strict=True):
            assert one.data() == other.data()
            assert one.seen_data() == one.data() or isinstance(one, ColdMessage)
    disk = encoded(changed_records(records, elsewhere, Writer(1)))
    assert cold.merged(disk) == warm.merged(disk)
    while cold.undo.undo_label is not None:
        cold.undo.undo(cold.chat)
        warm.undo.undo(warm.chat)
        assert cold.saved() == warm.saved()
    assert [message.raw for message in cold.chat.messages] == raws
