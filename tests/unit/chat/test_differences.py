"""Two versions of a chat, compared message by message."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat.differences import Difference, Kind, compare
from tavern_desktop.chat.message import Message
from tests.unit.chat.merge_sides import Writer, changed_messages, scripts

ADDED, REMOVED, EDITED, MOVED = Kind.ADDED, Kind.REMOVED, Kind.EDITED, Kind.MOVED


def messages(count: int) -> list[Message]:
    writer = Writer(1)
    return [Message.new(writer.record()) for _ in range(count)]


def edited(message: Message, text: str = "other") -> Message:
    return message.with_data(message.data() | {"mes": text})


def told(difference: Difference) -> list[tuple[int, int, str]]:
    """The rows with their kinds, or how many messages are alike."""
    return [
        (row.before, row.after, "+".join(sorted(kind.value for kind in row.kinds)) or str(row.length))
        for row in difference.rows
    ]


def test_equal_versions_are_one_run() -> None:
    chat = messages(5)
    assert told(compare(chat, list(chat))) == [(0, 0, "5")]
    assert told(compare([], [])) == []


def test_what_was_added_removed_and_edited_stands_in_its_place() -> None:
    chat = messages(6)
    new = Message.new({"mes": "new"})
    later = [chat[0], edited(chat[1]), chat[2], new, chat[4], chat[5]]
    difference = compare(chat, later)
    assert told(difference) == [
        (0, 0, "1"),
        (1, 1, "edited"),
        (2, 2, "1"),
        (3, -1, "removed"),
        (-1, 3, "added"),
        (4, 4, "2"),
    ]
    assert difference.counts == {ADDED: 1, REMOVED: 1, EDITED: 1, MOVED: 0}
    assert difference.sides(difference.rows[3]) == (chat[3], None)
    assert difference.sides(difference.rows[1]) == (chat[1], later[1])


def test_a_new_first_message_is_no_part_of_what_follows() -> None:
    chat = messages(3)
    new = Message.new({"mes": "new"})
    assert told(compare(chat, [new, *chat[:2]])) == [(-1, 0, "added"), (0, 1, "2"), (2, -1, "removed")]


def test_of_two_that_changed_places_the_fewer_moved() -> None:
    chat = messages(9)
    later = [*chat[:2], *chat[4:8], *chat[2:4], chat[8]]
    assert told(compare(chat, later)) == [
        (0, 0, "6"),
        (2, 6, "moved"),
        (3, 7, "moved"),
        (8, 8, "1"),
    ]


def test_a_message_may_be_moved_and_edited() -> None:
    chat = messages(4)
    later = [chat[1], chat[2], edited(chat[0]), chat[3]]
    difference = compare(chat, later)
    assert told(difference) == [(1, 0, "2"), (0, 2, "edited+moved"), (3, 3, "1")]
    assert (difference.counts[MOVED], difference.counts[EDITED]) == (1, 1)


def test_another_spelling_is_no_edit() -> None:
    chat = [Message(1, b'{"mes":"one","n":1}'), Message(2, b'{"mes":"two"}')]
    assert told(compare(chat, [Message(1, b'{"n": 1, "mes": "one"}'), chat[1]])) == [(0, 0, "2")]


def test_kinds_are_chosen() -> None:
    chat = messages(4)
    later = [edited(chat[0]), *chat[2:], Message.new({"mes": "new"})]
    difference = compare(chat, later)
    assert [row.kinds for row in difference.filtered([ADDED, REMOVED])] == [{REMOVED}, {ADDED}]
    assert difference.filtered([MOVED]) == []


@given(scripts(), scripts(), st.integers(0, 8))
def test_nothing_is_missing_and_nothing_is_told_twice(first: object, second: object, count: int) -> None:
    writer = Writer(2)
    chat, _ = changed_messages([Message.new(writer.record()) for _ in range(count)], first, writer)  # type: ignore[arg-type]
    later, _ = changed_messages(chat, second, writer)  # type: ignore[arg-type]
    difference = compare(chat, later)
    keys = [message.key for message in later]
    before, after = [], []
    for row in difference.rows:
        mine, theirs = difference.sides(row)
        if not row.kinds:
            run = later[row.after : row.after + row.length]
            after += run
            before += [message for message in chat if message.key in {one.key for one in run}]
            assert all(one in chat for one in run)
            continue
        before += [mine] if mine is not None else []
        after += [theirs] if theirs is not None else []
        assert (mine is None) == (row.kinds == {ADDED})
        assert (theirs is None) == (row.kinds == {REMOVED})
        assert theirs is not None or mine is None or mine.key not in keys
        if mine is not None and theirs is not None:
            assert mine.key == theirs.key
            assert (mine.raw != theirs.raw) == (EDITED in row.kinds)
    assert after == later
    assert sorted(before) == sorted(chat)
    moved = [row for row in difference.rows if MOVED in row.kinds]
    assert bool(moved) == ([m.key for m in chat if m.key in keys] != [k for k in keys if k in {m.key for m in chat}])
