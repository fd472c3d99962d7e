"""The states a file may come from, and telling which one it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import edits, states
from tavern_desktop.chat.ancestor import choose_base
from tavern_desktop.chat.merge import MergeResult
from tavern_desktop.chat.merge_save import is_same_chat, outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import MOST_PUBLISHES, States, difference
from tests.unit.chat.merge_sides import Record, Writer, changed_messages, encoded, scripts, with_text


class Open:
    """A chat that is open here: loaded with some messages, published after each change."""

    def __init__(self, count: int = 5) -> None:
        self.writer = Writer(1)
        self.loaded: list[Record] = [self.writer.record() for _ in range(count)]
        self.memory = Message.read(encoded(self.loaded))
        self.states = States(self.memory)

    def send(self) -> Message:
        sent = edits.created(self.writer.record())
        self.memory = [*self.memory, sent]
        self.states.record(self.memory)
        return sent

    def edit(self, index: int) -> None:
        edited = edits.rewritten(self.memory[index], with_text(self.memory[index].data(), self.writer.text()))
        self.memory = [*self.memory[:index], edited, *self.memory[index + 1 :]]
        self.states.record(self.memory)

    def delete(self, index: int) -> None:
        gone = self.memory[index]
        self.memory = [message for message in self.memory if message is not gone]
        self.states.record(self.memory, [gone.key])

    def follow(self, disk: list[Record]) -> None:
        """Become what another program wrote: what is there goes on, and messages may come behind it."""
        known = {message.raw: message for message in self.memory}
        self.memory = [known.get(raw) or Message.read([raw])[0] for raw in encoded(disk)]
        self.states.record(self.memory, is_theirs=True)

    def merge(self, disk: list[Record]) -> MergeResult:
        version = outside_version(self.states, encoded(disk), self.memory)
        result = version.merge(self.memory, self.states.deleted)
        self.memory = list(result.messages)
        self.states.record(self.memory, merged=version.version)
        return result

    def records(self) -> list[Record]:
        return [message.data() for message in self.memory]


@pytest.fixture
def chat() -> Open:
    return Open()


def test_what_others_wrote_and_took_back_is_not_ours_to_restore(chat: Open) -> None:
    reply, another = chat.writer.record(), chat.writer.record()
    chat.follow([*chat.loaded, reply])
    result = chat.merge([*chat.loaded, another])
    assert [message.data() for message in result.messages] == [*chat.loaded, another]
    assert not result.restored
    assert len(result.deleted_by_disk) == 1


def test_what_we_wrote_is_restored_whatever_was_followed_since(chat: Open) -> None:
    sent = chat.send()
    chat.follow([*chat.records(), chat.writer.record()])
    result = chat.merge(chat.loaded)
    assert sent.key in result.restored
    assert sent in result.messages


def test_followed_before_we_wrote_it_goes_and_ours_comes_back(chat: Open) -> None:
    theirs = chat.writer.record()
    chat.follow([*chat.loaded, theirs])
    sent = chat.send()
    result = chat.merge(chat.loaded)
    assert [message.data() for message in result.messages] == [*chat.loaded, sent.data()]
    assert result.restored == (sent.key,)


def test_a_save_over_our_newest_message_brings_it_back(chat: Open) -> None:
    sent = chat.send()
    result = chat.merge([*chat.loaded, theirs := chat.writer.record()])
    assert [message.data()["mes"] for message in result.messages[-2:]] == [theirs["mes"], sent.data()["mes"]]
    assert result.restored == (sent.key,)
    assert not result.conflicts


def test_a_program_that_saves_over_us_again_and_again_never_wins(chat: Open) -> None:
    """Known failure B-16, with SillyTavern as the other window: it never sees what we write."""
    theirs = list(chat.loaded)
    ours: list[Message] = []
    for _ in range(5):
        ours.append(chat.send())
        theirs.append(chat.writer.record())
        result = chat.merge(list(theirs))
        assert {message.key for message in ours} <= {message.key for message in result.messages}
        assert {record["mes"] for record in theirs} <= {message.data()["mes"] for message in result.messages}
    assert len(chat.memory) == 15


def test_a_deletion_there_after_a_reload_holds(chat: Open) -> None:
    sent = chat.send()
    chat.states = States(chat.memory)
    result = chat.merge(chat.records()[:-1])
    assert result.deleted_by_disk == (sent.key,)
    assert not result.restored


def test_a_deletion_of_what_was_there_before_we_published_holds(chat: Open) -> None:
    chat.send()
    result = chat.merge([record for index, record in enumerate(chat.records()) if index != 1])
    assert len(result.deleted_by_disk) == 1
    assert len(result.messages) == 5


def test_an_edit_of_ours_that_was_saved_over_comes_back(chat: Open) -> None:
    chat.edit(2)
    result = chat.merge([*chat.loaded, chat.writer.record()])
    assert result.messages[2] == chat.memory[2]
    assert result.restored == (chat.memory[2].key,)
    assert not result.conflicts


def test_a_deletion_of_ours_that_was_saved_over_holds(chat: Open) -> None:
    chat.delete(2)
    result = chat.merge([*chat.loaded, chat.writer.record()])
    assert len(result.messages) == 5
    assert chat.loaded[2]["mes"] not in {message.data()["mes"] for message in result.messages}


def test_fields_that_the_other_program_adds_by_itself_do_not_make_an_edit_look_seen() -> None:
    chat = Open(0)
    chat.loaded = [{"name": "Mira", "is_user": False, "mes": "old", "send_date": "1"}]
    chat.memory = Message.read(encoded(chat.loaded))
    chat.states = States(chat.memory)
    chat.edit(0)
    sent = chat.send()
    disk = [chat.loaded[0] | {"swipes": ["old"], "swipe_id": 0, "swipe_info": [{}]}]
    result = chat.merge(disk)
    assert result.messages[0].data()["mes"] == chat.memory[0].data()["mes"] != "old"
    assert result.messages[-1] == sent


def test_an_edit_there_of_what_we_edited_does_not_hide_that_our_message_was_saved_over(chat: Open) -> None:
    """Both edited message 3 and both went on: their save shows neither our edit nor our message."""
    chat.edit(2)
    chat.edit(2)
    sent = chat.send()
    disk = [*chat.loaded, chat.writer.record()]
    disk[2] = with_text(disk[2], "theirs")
    result = chat.merge(disk)
    assert sent in result.messages
    assert {chat.memory[2].data()["mes"], "theirs"} <= set(result.messages[2].data()["swipes"])


def test_after_twenty_publishes_the_oldest_state_and_its_deletions_are_forgotten(chat: Open) -> None:
    chat.delete(0)
    deleted = chat.states.deleted
    for _ in range(MOST_PUBLISHES - 1):
        chat.send()
    assert chat.states.deleted == deleted
    assert choose_base(chat.states, encoded(chat.loaded)).state.number == 0
    chat.send()
    assert not chat.states.deleted
    assert choose_base(chat.states, encoded(chat.loaded)).state.number > 0


def test_a_deletion_is_remembered_as_long_as_a_version_of_others_that_lacks_it(chat: Open) -> None:
    chat.delete(0)
    theirs = [*chat.loaded, chat.writer.record()]
    chat.merge(theirs)
    for _ in range(MOST_PUBLISHES - 1):
        chat.send()
    result = chat.merge([*theirs, chat.writer.record()])
    assert not result.conflicts
    assert chat.loaded[0]["mes"] not in {message.data()["mes"] for message in result.messages}


def test_a_publish_that_changed_nothing_makes_no_state(chat: Open) -> None:
    chat.states.record(list(chat.memory))
    assert chat.states.newest.number == 0


def test_a_touch_is_told_from_a_change(chat: Open) -> None:
    assert is_same_chat(chat.states, encoded(chat.loaded))
    assert not is_same_chat(chat.states, encoded(chat.loaded[:-1]))


class _Spool:
    def __init__(self) -> None:
        self.texts: list[bytes] = []

    def put(self, raw: bytes) -> int:
        self.texts.append(raw)
        return len(self.texts) - 1

    def get(self, number: int) -> bytes:
        return self.texts[number]


def test_texts_too_many_for_memory_go_to_the_spool_and_are_found_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_BYTES", 500)
    chat = Open(10)
    spool = _Spool()
    chat.states = States(chat.memory, spool)
    before = list(chat.memory)
    for index in range(10):
        chat.edit(index)
    assert len(spool.texts) > 5
    assert sum(change.size() for change in chat.states.changes()) <= 500
    base = choose_base(chat.states, encoded(chat.loaded))
    assert [message.raw for message in base.messages] == [message.raw for message in before]


def test_without_a_spool_the_oldest_states_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(states, "MOST_BYTES", 500)
    chat = Open(10)
    for index in range(10):
        chat.edit(index)
    assert sum(change.size() for change in chat.states.changes()) <= 500
    assert choose_base(chat.states, encoded(chat.records())).state is chat.states.newest


@given(st.integers(0, 1000), st.integers(0, 8), st.lists(scripts(), min_size=1, max_size=5))
def test_every_state_that_is_remembered_can_be_gone_back_to(seed: int, count: int, publishes: list[list]) -> None:
    writer = Writer(seed)
    memory = Message.read(encoded(writer.record() for _ in range(count)))
    kept = States(memory)
    versions = {0: memory}
    for script in publishes:
        memory, deleted = changed_messages(memory, script, writer)
        kept.record(memory, deleted)
        versions[kept.newest.number] = memory
    state, path = kept.newest, []
    while True:
        found = kept.go_back(path)
        assert [(m.key, m.raw) for m in found] == [(m.key, m.raw) for m in versions[state.number]]
        if not state.parents:
            break
        state, change = state.parents[0]
        path.append(change)


def test_a_change_costs_what_changed_not_what_there_is() -> None:
    writer = Writer(7)
    before = Message.read(encoded(writer.record() for _ in range(1000)))
    after = list(before)
    after[500] = edits.rewritten(after[500], writer.record())
    change = difference(before, [*after, edits.created(writer.record())])
    assert change is not None
    assert list(change.edited) == [before[500].key]
    assert not change.removed
    assert len(change.keys_before) + len(change.keys_after) <= 1
