"""What merging promises for any edits on both sides: nothing that either side wrote is ever missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.chat import edits
from tavern_desktop.chat.merge import merge_copies, merge_messages, merge_three_way
from tavern_desktop.chat.merge_save import outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tests.unit.chat.merge_sides import (
    Record,
    Writer,
    changed_messages,
    changed_records,
    encoded,
    scripts,
    texts_in,
    texts_of,
)

Sides = tuple[Writer, list[Record], list[Message]]


@st.composite
def chats(draw: st.DrawFn) -> Sides:
    """A chat as read: with dates and swipes, with an id, or with nothing but texts."""
    writer = Writer(draw(st.integers(0, 1000)))
    kinds = draw(st.lists(st.sampled_from(["whole", "bare", "stamped", "user"]), max_size=8))
    records: list[Record] = []
    for kind in kinds:
        if kind == "bare":
            records.append(writer.bare_record())
        elif kind == "stamped":
            records.append(edits.created(writer.record()).data())
        elif kind == "user":
            records.append({"name": "Jo", "is_user": True, "send_date": f"day {len(records)}", "mes": writer.text()})
        else:
            records.append(writer.record())
    return writer, records, Message.read(encoded(records))


def _raws(messages: list[Message] | tuple[Message, ...]) -> list[bytes]:
    return [message.raw for message in messages]


def _users_texts(records: list[Record]) -> set[str]:
    """Texts of the messages that cannot have swipes: the losing one of two stands in History only (D4)."""
    return texts_of(record for record in records if record.get("is_user"))


@given(chats(), scripts(), scripts())
def test_nothing_that_either_side_wrote_is_missing(sides: Sides, ours: list, theirs: list) -> None:
    writer, records, base = sides
    memory, deleted = changed_messages(base, ours, writer)
    disk = changed_records(records, theirs, writer)
    result = merge_three_way(base, encoded(disk), memory, deleted)
    known = texts_of(records)
    assert texts_in(memory) - known <= texts_in(result.messages)
    assert texts_of(disk) - known - _users_texts(disk) <= texts_in(result.messages)
    assert {message.key for message in memory} - {message.key for message in base} <= {m.key for m in result.messages}


@given(chats(), scripts(), scripts(with_deletions=False))
def test_what_nobody_deleted_is_there(sides: Sides, ours: list, theirs: list) -> None:
    writer, records, base = sides
    ours = [step for step in ours if step[0] != "delete"]
    memory, _ = changed_messages(base, ours, writer)
    kept = changed_records(records, [step for step in theirs if step[0] != "edit"], writer)
    result = merge_three_way(base, encoded(kept), memory, ())
    assert {message.key for message in memory} <= {message.key for message in result.messages}
    assert not [conflict for conflict in result.conflicts if conflict.kind != "order"]


@given(chats(), scripts(), scripts())
def test_merging_twice_is_merging_once(sides: Sides, ours: list, theirs: list) -> None:
    writer, records, base = sides
    memory, deleted = changed_messages(base, ours, writer)
    disk = encoded(changed_records(records, theirs, writer))
    once = merge_three_way(base, disk, memory, deleted).messages
    assert merge_three_way(base, disk, once, deleted).messages == once


@given(chats(), scripts())
def test_an_unchanged_file_leaves_memory_as_it_is(sides: Sides, ours: list) -> None:
    writer, records, base = sides
    memory, deleted = changed_messages(base, ours, writer)
    result = merge_three_way(base, encoded(records), memory, deleted)
    assert result.messages == tuple(memory)
    assert not result.conflicts
    assert not result.change_count


@given(chats(), scripts())
def test_an_unchanged_memory_takes_the_file_byte_for_byte(sides: Sides, theirs: list) -> None:
    writer, records, base = sides
    disk = encoded(changed_records(records, theirs, writer))
    result = merge_three_way(base, disk, base, ())
    assert _raws(result.messages) == disk
    assert not result.conflicts


@given(chats(), scripts(), scripts())
def test_edits_made_while_a_merge_was_saved_are_merged_in(sides: Sides, ours: list, typed_on: list) -> None:
    writer, records, snapshot = sides
    disk, _ = changed_messages(snapshot, [step for step in ours if step[0] != "delete"], writer)
    live, deleted = changed_messages(snapshot, typed_on, writer)
    result = merge_messages(snapshot, disk, live, deleted)
    known = texts_of(records)
    written = texts_in(live) - known
    assert written <= texts_in(result.messages)
    assert texts_in(disk) - known - _users_texts([m.data() for m in disk]) <= texts_in(result.messages)


@given(chats(), scripts(), scripts())
def test_copies_without_a_common_version_are_united(sides: Sides, ours: list, theirs: list) -> None:
    writer, records, base = sides
    mine, _ = changed_messages(base, ours, writer)
    copy = changed_records(records, theirs, writer)
    texts = texts_in(merge_copies(mine, encoded(copy)).messages)
    assert texts_in(mine) <= texts
    assert texts_of(copy) - _users_texts(copy) <= texts


@given(chats(), st.lists(scripts(), min_size=1, max_size=4), st.integers(0, 4), scripts())
def test_another_program_that_loaded_an_earlier_state_takes_nothing_of_ours(
    sides: Sides, publishes: list[list], loaded: int, theirs: list
) -> None:
    """It saves its copy, with changes of its own, over everything that we published since it loaded the chat."""
    writer, _, base = sides
    states, memory = States(base), list(base)
    versions = [list(base)]
    for script in publishes:
        memory, deleted = changed_messages(memory, script, writer)
        states.record(memory, deleted)
        versions.append(memory)
    seen = [message.data() for message in versions[min(loaded, len(publishes))]]
    disk = changed_records(seen, theirs, writer)
    result = outside_version(states, encoded(disk), memory).merge(memory, states.deleted)
    overwritten = texts_of(seen) - texts_of(disk)
    written = texts_in(memory) - texts_of(seen)
    if not overwritten:  # an edit of theirs may be one of what we published, or beside it: History has both
        assert written <= texts_in(result.messages)
    assert texts_of(disk) - texts_of(seen) - _users_texts(disk) <= texts_in(result.messages)
    assert {m.key for m in memory} - {m.key for v in versions[: loaded + 1] for m in v} <= {
        m.key for m in result.messages
    }
