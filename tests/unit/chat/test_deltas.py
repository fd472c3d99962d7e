"""Deltas: whatever is done to a chat can be told again forward and taken back, byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import deltas
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.delta_net import between, between_records, composed, equal_places
from tavern_desktop.chat.deltas import UNKNOWN, Delta, DeltaMismatch, Edit, Head, Insert, Move, Remove, digest
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.recorder import Recorder

TEXTS = st.sampled_from([b"a", b"b", b"a" * 40 + b"b", b"b" * 40 + b"a" * 40, b"ab" * 50 + b"c" + b"ab" * 50])
State = tuple[bytes, list[bytes]]


def state_of(chat: Chat) -> State:
    return chat.header.raw, [message.raw for message in chat.messages]


def applied(delta: Delta, state: State, *, back: bool = False) -> State:
    records = list(state[1])
    return deltas.apply(delta, state[0], records, back=back), records


@st.composite
def mutations(draw: st.DrawFn) -> Callable[[Chat], None]:
    """Something that is done to a chat; the numbers are taken modulo what the chat has."""
    kind = draw(st.sampled_from(["insert", "remove", "replace", "move", "reset", "header", "header"]))
    at, count, to = (draw(st.integers(0, 8)) for _ in range(3))
    texts = draw(st.lists(TEXTS, max_size=4))

    def mutate(chat: Chat) -> None:
        size = len(chat)
        first = at % size if size else 0
        last = min(first + count, size - 1)
        if kind == "insert":
            chat.insert(at % (size + 1), Message.read(texts))
        elif kind == "remove" and size:
            chat.remove(first, last)
        elif kind == "replace" and size:
            old = chat.messages[first : first + len(texts)]
            chat.replace(first, [Message(one.key, raw) for one, raw in zip(old, texts, strict=False)])
        elif kind == "move" and size:
            places = [place for place in range(size + 1) if not first <= place <= last + 1]
            if places:
                chat.move(first, last, places[to % len(places)])
        elif kind == "reset":
            kept = chat.messages[::-1][: at % (size + 1)]
            chat.reset(Header(b'{"n":%d}' % at), [*Message.read(texts), *kept])
        elif kind == "header":
            chat.set_header(Header(b'{"chat_metadata":{"n":%d}}' % at))

    return mutate


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[State], list[Delta]]:
    """The states that a chat had, and what was recorded between them."""
    chat = Chat(Header(b"{}"), Message.read(draw(st.lists(TEXTS, max_size=6))))
    recorder = Recorder(chat)
    states, recorded = [state_of(chat)], []
    for group in draw(st.lists(st.lists(mutations(), min_size=1, max_size=3), max_size=6)):
        for mutate in group:
            mutate(chat)
        pending = recorder.take()
        if pending is not None:
            recorded.append(pending.delta())
            states.append(state_of(chat))
    return states, recorded


@given(stories())
def test_every_change_leads_forward_and_back(story: tuple[list[State], list[Delta]]) -> None:
    states, recorded = story
    for before, delta, after in zip(states, recorded, states[1:], strict=False):
        assert applied(delta, before) == after
        assert applied(delta, after, back=True) == before
        assert (len(before[1]), len(after[1])) == (delta.count, delta.count_after)


@given(stories(), st.data())
def test_one_delta_stands_for_many(story: tuple[list[State], list[Delta]], data: st.DataObject) -> None:
    states, recorded = story
    if not recorded:
        return
    first = data.draw(st.integers(0, len(recorded) - 1))
    last = data.draw(st.integers(first, len(recorded) - 1))
    net = composed(recorded[first : last + 1])
    assert applied(net, states[first]) == states[last + 1]
    assert applied(net, states[last + 1], back=True) == states[first]
    if states[first] == states[last + 1] and not any(delta.moved for delta in recorded):
        assert not net.edited
    places = deltas.trace(net)
    assert len(places) == net.count_after
    assert sum(place is None for place in places) == net.added


@given(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=8))
def test_between_records_that_only_equality_tells_apart(old: list[bytes], new: list[bytes]) -> None:
    delta = between_records([*map(digest, old)], [*map(digest, new)], old.__getitem__, new.__getitem__)
    assert applied(delta, (b"", old)) == (b"", new)
    assert applied(delta, (b"", new), back=True) == (b"", old)
    places = equal_places(old, new)
    found = [place for place in places if place is not None]
    assert found == sorted(set(found))


@given(st.permutations(range(6)))
def test_between_by_key_names_moves(order: list[int]) -> None:
    old = Message.read(b"%d" % number for number in range(6))
    new = [old[number] for number in order]
    delta = between(Header(b""), old, Header(b""), new)
    assert (delta.added, delta.removed, delta.edited) == (0, 0, 0)
    assert deltas.trace(delta) == order
    assert applied(delta, (b"", [message.raw for message in old]))[1] == [message.raw for message in new]


def test_one_moved_message_is_one_move() -> None:
    old = Message.read(b"%d" % number for number in range(10))
    for first, destination in ((0, 10), (7, 2), (2, 7), (9, 0)):
        chat = Chat(Header(b""), old)
        chat.move(first, first, destination)
        delta = between(Header(b""), old, Header(b""), chat.messages)
        assert len(delta.ops) == 1
        assert isinstance(delta.ops[0], Move)


def test_messages_keep_their_keys() -> None:
    messages = Message.read([b"one", b"two", b"three"])
    keys = [message.key for message in messages]
    delta = Delta(3, (Edit.between(0, b"one", b"uno"), Remove(1, (b"two",)), Insert(2, (b"four",))))
    header = Header(b"{}")
    assert deltas.apply_to_messages(delta, header, messages) is header
    assert [message.raw for message in messages] == [b"uno", b"three", b"four"]
    assert [message.key for message in messages[:2]] == [keys[0], keys[2]]


@pytest.mark.parametrize(
    ("delta", "back"),
    [
        (Delta(1), False),
        (Delta(2, (Edit.between(0, b"another", b"text"),)), False),
        (Delta(2, (Edit.between(0, b"one of old", b"one of new"),)), True),
        (Delta(2, (Edit.between(2, b"one", b"two"),)), False),
        (Delta(2, (Remove(1, (b"three",)),)), False),
        (Delta(2, (Remove(1, (b"two", b"three")),)), False),
        (Delta(1, (Insert(1, (b"three",)),)), True),
        (Delta(2, (Insert(3, (b"three",)),)), False),
        (Delta(2, (Move(1, 2, 0),)), False),
    ],
)
def test_what_does_not_fit_is_refused(delta: Delta, back: bool) -> None:
    with pytest.raises(DeltaMismatch):
        deltas.apply(delta, b"{}", [b"one", b"two"], back=back)


def test_an_edit_notices_a_text_that_differs_elsewhere() -> None:
    edit = Edit.between(0, b"a word in a text", b"a term in a text")
    with pytest.raises(DeltaMismatch):
        edit.edited(b"a word in a book")
    with pytest.raises(DeltaMismatch):
        edit.edited(b"a term in a book", back=True)


def test_a_text_that_nobody_knows_is_carried_along() -> None:
    """Another program changed a message while the chat was closed: versions before it can still be reached."""
    old = [b"one", b"two", b"three"]
    known = {digest(b"three"): b"three"}
    new = [b"one", b"zwei"]
    outside = between_records(
        [*map(digest, old)], [*map(digest, new)], lambda index: known.get(digest(old[index]), UNKNOWN), new.__getitem__
    )
    assert applied(outside, (b"", new), back=True) == (b"", [b"one", UNKNOWN, b"three"])
    edit = Delta(3, (Edit.between(1, b"ten", b"two"),))
    assert applied(edit, (b"", [b"one", UNKNOWN, b"three"]), back=True) == (b"", [b"one", UNKNOWN, b"three"])
    assert applied(outside, (b"", old)) == (b"", new)


def test_what_is_put_back_did_not_happen() -> None:
    chat = Chat(Header(b"{}"), Message.read([b"one", b"two", b"three"]))
    recorder = Recorder(chat)
    messages = chat.messages[1:]
    chat.remove(1, 2)
    chat.insert(1, messages)
    chat.replace(0, [Message(chat.messages[0].key, b"eins")])
    pending = recorder.take()
    assert pending is not None
    assert [type(op) for op in pending.delta().ops] == [Edit]
    assert recorder.take() is None


def test_many_records_are_not_one_operation() -> None:
    messages = Message.read(b'{"mes":"%d"}' % number for number in range(2500))
    chat = Chat(Header(b"{}"), messages)
    recorder = Recorder(chat)
    chat.remove(100, 2399)
    pending = recorder.take()
    assert pending is not None
    delta = pending.delta()
    assert len(delta.ops) == 3
    assert (delta.removed, delta.count_after) == (2300, 200)
    before = b"{}", [message.raw for message in messages]
    assert applied(delta, before) == state_of(chat)
    assert applied(delta, state_of(chat), back=True) == before
    net = between(Header(b"{}"), chat.messages, Header(b"{}"), messages)
    assert applied(net, state_of(chat)) == before


def test_a_header_that_somebody_changed_unseen() -> None:
    """What it was is not known, and so not told; the messages can be reached all the same."""
    ours = Delta(1, (Head.between(b'{"n":1}', b'{"n":2}'), Insert(1, (b"two",))))
    theirs = between_records([b"one", b"two"], [b"one"], [b"one", b"two"].__getitem__, [b"one"].__getitem__, b'{"n":9}')
    later = Delta(1, (Head.between(b'{"n":9}', b'{"n":8}'), Edit.between(0, b"one", b"uno")))
    state = b'{"n":8}', [b"uno"]
    for delta, expected in ((later, b'{"n":9}'), (theirs, b'{"n":9}'), (ours, b'{"n":9}')):
        state = applied(delta, state, back=True)
        assert state[0] == expected
    assert state[1] == [b"one"]
    net = composed([ours, theirs, later])
    assert applied(net, (b'{"n":8}', [b"uno"]), back=True) == (b'{"n":8}', [b"one"])
    assert applied(composed([theirs, later]), (b'{"n":8}', [b"uno"]), back=True)[1] == [b"one", b"two"]
