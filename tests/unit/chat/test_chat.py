"""The open chat: its list, its index of keys and its signals always tell the same story."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message

HEADER = Header(b"{}")


def messages(count: int) -> list[Message]:
    return Message.read(b'{"mes":"%d"}' % number for number in range(count))


class Mirror:
    """An observer that rebuilds the list from the signals alone, as a view does."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.shown = list(chat.messages)
        self.announced: tuple[str, tuple[int, ...]] | None = None
        pairs: list[tuple[Any, str]] = [
            (chat.about_to_insert, "insert"),
            (chat.about_to_remove, "remove"),
            (chat.about_to_move, "move"),
            (chat.about_to_reset, "reset"),
        ]
        self.slots: list[Callable[..., object]] = []
        for signal, name in pairs:
            self._connect(signal, self._announcement(name))
        self._connect(chat.inserted, self._inserted)
        self._connect(chat.removed, self._removed)
        self._connect(chat.moved, self._moved)
        self._connect(chat.changed, self._changed)
        self._connect(chat.was_reset, self._reset)

    def _connect(self, signal: Any, slot: Callable[..., object]) -> None:
        self.slots.append(slot)
        signal.connect(slot)

    def _announcement(self, name: str) -> Callable[..., None]:
        def announced(*place: int) -> None:
            assert self.announced is None
            assert self.shown == self.chat.messages  # nothing has happened yet
            self.announced = (name, place)

        return announced

    def _was_announced(self, name: str, *place: int) -> None:
        assert self.announced == (name, place)
        self.announced = None

    def _inserted(self, first: int, last: int) -> None:
        self._was_announced("insert", first, last)
        self.shown[first:first] = self.chat.messages[first : last + 1]

    def _removed(self, first: int, last: int) -> None:
        self._was_announced("remove", first, last)
        del self.shown[first : last + 1]

    def _moved(self, first: int, last: int, destination: int) -> None:
        self._was_announced("move", first, last, destination)
        moving = self.shown[first : last + 1]
        rest = [*self.shown[:first], *self.shown[last + 1 :]]
        at = destination if destination <= first else destination - len(moving)
        self.shown = [*rest[:at], *moving, *rest[at:]]

    def _changed(self, first: int, last: int) -> None:
        self.shown[first : last + 1] = self.chat.messages[first : last + 1]

    def _reset(self) -> None:
        self._was_announced("reset")
        self.shown = list(self.chat.messages)


def assert_consistent(chat: Chat) -> None:
    assert [chat.find(message.key) for message in chat.messages] == list(range(len(chat)))


@pytest.mark.parametrize("index", [0, 1, 3])
def test_inserting_puts_messages_before_the_index(index: int) -> None:
    chat, new = Chat(HEADER, messages(3)), messages(2)
    before = list(chat.messages)
    mirror = Mirror(chat)
    chat.insert(index, new)
    assert chat.messages == [*before[:index], *new, *before[index:]] == mirror.shown
    assert_consistent(chat)


def test_nothing_inserted_or_replaced_is_nothing_said() -> None:
    chat = Chat(HEADER, messages(1))
    chat.changed.connect(lambda *_: pytest.fail("nothing changed"))
    chat.about_to_insert.connect(lambda *_: pytest.fail("nothing comes"))
    chat.insert(1, [])
    chat.replace(0, [])


@pytest.mark.parametrize(("first", "last"), [(0, 0), (1, 2), (2, 3), (0, 3)])
def test_removing_takes_the_range_and_forgets_its_keys(first: int, last: int) -> None:
    chat = Chat(HEADER, messages(4))
    before = list(chat.messages)
    assert_consistent(chat)
    mirror = Mirror(chat)
    chat.remove(first, last)
    assert chat.messages == [*before[:first], *before[last + 1 :]] == mirror.shown
    assert all(chat.find(message.key) is None for message in before[first : last + 1])
    assert_consistent(chat)


@pytest.mark.parametrize(
    ("first", "last", "destination", "order"),
    [(0, 0, 2, "1023"), (0, 0, 4, "1230"), (3, 3, 0, "3012"), (1, 2, 0, "1203"), (1, 2, 4, "0312")],
)
def test_moving_keeps_keys_and_tells_the_index_from_before(first: int, last: int, destination: int, order: str) -> None:
    chat = Chat(HEADER, messages(4))
    before = list(chat.messages)
    mirror = Mirror(chat)
    chat.move(first, last, destination)
    assert chat.messages == [before[int(digit)] for digit in order] == mirror.shown
    assert_consistent(chat)


def test_the_list_keeps_its_identity_through_a_reset() -> None:
    chat = Chat(HEADER, messages(3))
    held, gone = chat.messages, chat.messages[0]
    assert_consistent(chat)
    chat.reset(Header(b'{"x":1}'), messages(2))
    assert chat.messages is held
    assert (len(chat), chat.header, chat.find(gone.key)) == (2, Header(b'{"x":1}'), None)
    assert_consistent(chat)


def test_a_snapshot_is_not_touched_by_what_comes_later() -> None:
    chat = Chat(HEADER, messages(2))
    header, held = chat.snapshot()
    before = tuple(chat.messages)
    chat.remove(0, 0)
    chat.set_header(Header(b'{"x":1}'))
    assert (header, held) == (HEADER, before)


def test_setting_the_header_is_told() -> None:
    chat = Chat(HEADER)
    told: list[Header] = []
    chat.header_changed.connect(lambda: told.append(chat.header))
    chat.set_header(Header(b'{"x":1}'))
    assert told == [Header(b'{"x":1}')]


STEPS = st.lists(
    st.tuples(st.sampled_from(["insert", "remove", "move", "replace", "reset"]), *[st.integers(0, 9)] * 3), max_size=12
)


@given(STEPS, st.booleans())
def test_whoever_follows_the_signals_sees_the_same_list(steps: list[tuple[str, int, int, int]], looks: bool) -> None:
    """`looks`: whether keys are looked up between the steps, which builds the index that later steps keep up."""
    chat = Chat(HEADER, messages(3))
    mirror = Mirror(chat)
    for name, one, other, third in steps:
        _step(chat, name, one, other, third)
        assert mirror.shown == chat.messages
        assert mirror.announced is None
        if looks:
            assert_consistent(chat)
    assert_consistent(chat)


def _step(chat: Chat, name: str, one: int, other: int, third: int) -> None:
    size = len(chat)
    if name == "insert":
        chat.insert(one % (size + 1), messages(other % 3))
    elif name == "reset":
        chat.reset(HEADER, messages(one % 4))
    elif size:
        first, last = sorted((one % size, other % size))
        if name == "remove":
            chat.remove(first, last)
        elif name == "replace":
            chat.replace(first, [message.with_data({"mes": str(third)}) for message in chat.messages[first : last + 1]])
        elif name == "move":
            outside = [*range(first), *range(last + 2, size + 1)]
            if outside:
                chat.move(first, last, outside[third % len(outside)])


def test_a_message_is_found_wherever_it_went() -> None:
    chat = Chat(Header.new(), Message.read([b'{"mes":"%d"}' % number for number in range(1000)]))
    keys = [message.key for message in chat.messages]
    chat.remove(100, 399)
    chat.move(0, 0, 600)
    arrived = Message.new({"mes": "new"})
    chat.insert(300, [arrived])
    for index, message in enumerate(chat.messages):
        assert chat.find(message.key) == index
    assert chat.find(keys[200]) is None
    assert chat.find(arrived.key) == 300
