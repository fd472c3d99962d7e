"""A chat that we changed, as SillyTavern's page opened it and saved it again: nobody edited it, though much differs.

Recorded once from SillyTavern 1.19.0 in Chromium: `before` is what we wrote, `after` what its page made of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tavern_desktop.chat.alignment import align
from tavern_desktop.chat.chat import Chat
from tavern_desktop.chat.header import Header
from tavern_desktop.chat.identity import effective_ids
from tavern_desktop.chat.merge import MergeResult, merge_three_way
from tavern_desktop.chat.merge_save import outside_version
from tavern_desktop.chat.message import Message
from tavern_desktop.chat.states import States
from tavern_desktop.session.commands import AddSwipe, AppendMessage, Command, EditText, SetHidden

RECORDED = Path(__file__).parents[2] / "vectors" / "sillytavern-1.19.0"


def records(name: str) -> list[bytes]:
    return (RECORDED / name).read_bytes().split(b"\n")[1:]


BEFORE, AFTER = records("before.jsonl"), records("after.jsonl")


def data(raws: list[bytes]) -> list[dict[str, Any]]:
    return [message.data() for message in Message.read(raws)]


def differing() -> list[int]:
    pairs = zip(data(BEFORE), data(AFTER), strict=True)
    return [index for index, (before, after) in enumerate(pairs) if before != after]


def test_it_respells_what_nobody_edited() -> None:
    assert differing() == [0, 2, 3, 5, 6, 7, 11, 15, 18, 19]


@pytest.mark.parametrize(("base", "other"), [(BEFORE, AFTER), (AFTER, BEFORE)], ids=["there", "back"])
def test_alignment_pairs_every_message(base: list[bytes], other: list[bytes]) -> None:
    found = align(base, other)
    assert found.pairs == [(index, index) for index in range(len(BEFORE))]
    assert not found.deleted
    assert not found.inserted


def test_ids_survive() -> None:
    identities = effective_ids(BEFORE)
    assert identities == effective_ids(AFTER)
    assert len(set(identities) - {None}) == 8


def test_a_merge_shows_no_conflict_and_takes_what_it_wrote() -> None:
    base = Message.read(BEFORE)
    result = merge_three_way(base, AFTER, base, ())
    assert result.conflicts == ()
    assert [message.data() for message in result.messages] == data(AFTER)
    assert [message.key for message in result.messages] == [message.key for message in base]
    assert (result.added_by_disk, result.deleted_by_disk) == ((), ())


def test_what_we_went_on_writing_meanwhile_is_in_no_conflict_with_it() -> None:
    base = Message.read(BEFORE)
    chat = Chat(Header.new(), base)
    keys = [message.key for message in base]
    commands: list[Command] = [EditText(keys[index], f"ours {index}") for index in (2, 3, 5, 6, 11, 20)]
    commands += [AddSwipe(keys[19], "one more"), SetHidden([keys[18]], True), AppendMessage({"mes": "new"})]
    for command in commands:
        command.do(chat)
    result = merge_three_way(base, AFTER, chat.messages, ())
    assert result.conflicts == ()
    merged = [message.data() for message in result.messages]
    assert [merged[index]["mes"] for index in (2, 3, 5, 6, 11, 20)] == [f"ours {n}" for n in (2, 3, 5, 6, 11, 20)]
    assert merged[19]["swipes"] == ["The last light goes out.", "one more"]
    assert merged[18]["is_system"]
    assert merged[-1]["mes"] == "new"


def test_a_greeting_whose_names_it_filled_in_is_kept_beside_ours() -> None:
    base = Message.read(BEFORE)
    chat = Chat(Header.new(), base)
    EditText(base[0].key, "ours").do(chat)
    result = merge_three_way(base, AFTER, chat.messages, ())
    assert [(conflict.kind, conflict.key, conflict.field) for conflict in result.conflicts] == [
        ("field", base[0].key, "content")
    ]
    filled_in = data(AFTER)[0]["mes"]
    assert result.messages[0].data()["swipes"] == ["ours", filled_in]


def test_our_states_know_it_for_the_newest() -> None:
    base = Message.read(BEFORE)
    states = States(base)
    outside = outside_version(states, AFTER, base)
    result: MergeResult = outside.merge(base, frozenset())
    assert not outside.is_collapse
    assert (result.conflicts, result.restored, result.change_count) == ((), (), len(differing()))
