"""Entries of lorebooks that stay for some messages, or rest for some."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tavern_desktop.prompt.lore import LoreEntry
from tavern_desktop.prompt.lore_activation import LoreSettings, Occasion, activate
from tavern_desktop.prompt.lore_timed import METADATA, Timed
from tavern_desktop.prompt.macros import Macros
from tavern_desktop.prompt.tokens import Estimate

EMPTY: dict[str, Any] = {"sticky": {}, "cooldown": {}}


def entry(uid: int = 0, **fields: Any) -> LoreEntry:
    data = {"key": ["kettle"], "content": f"lore {uid}", "comment": f"e{uid}"} | fields
    return LoreEntry.of_world("world", uid, "global", data)


def turn(
    metadata: dict[str, Any], entries: list[LoreEntry], count: int, *texts: str
) -> tuple[list[str], dict[str, Any]]:
    """Return what goes into a prompt from `count` messages, and the metadata once it was sent."""
    timed = Timed.of(metadata, entries, count)
    occasion = Occasion(texts, Macros("Ana", "Mira"), 4000, numbers=range(count, 0, -1), timed=timed)
    active, _ = activate(entries, occasion, LoreSettings(is_recursive=True), Estimate(), random.Random(1))
    sent = [each.entry for each in active]
    return [each.title for each in sent], metadata | timed.changes(metadata, sent)


def record(start: int, end: int, *, protected: bool = False, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "protected": protected, **more}


def test_an_entry_stays_without_its_key_until_its_time_is_over() -> None:
    book = [entry(sticky=2)]
    went, metadata = turn({}, book, 5, "a kettle")
    assert went == ["e0"]
    assert metadata[METADATA] == {"sticky": {"world.0": record(5, 7)}, "cooldown": {}}
    assert turn(metadata, book, 6, "nothing") == (["e0"], metadata)
    went, metadata = turn(metadata, book, 7, "nothing")
    assert (went, metadata[METADATA]) == ([], EMPTY)


def test_an_entry_rests_although_its_key_is_there() -> None:
    book = [entry(cooldown=2)]
    _, metadata = turn({}, book, 5, "a kettle")
    assert turn(metadata, book, 6, "a kettle") == ([], metadata)
    assert turn(metadata, book, 7, "a kettle")[0] == ["e0"]


def test_what_has_stayed_rests_at_once() -> None:
    book = [entry(sticky=2, cooldown=3)]
    before = {METADATA: {"sticky": {"world.0": record(5, 7, hash=12)}, "cooldown": {}}}
    went, metadata = turn(before, book, 7, "a kettle")
    assert went == []
    assert metadata[METADATA]["cooldown"] == {"world.0": record(7, 10, protected=True, hash=12)}
    assert turn(metadata, book, 7, "a kettle")[0] == []  # another reply at the same place
    assert turn(metadata, book, 10, "a kettle")[0] == ["e0"]


def test_what_stays_needs_no_luck_and_wins_in_its_group() -> None:
    before = {METADATA: {"sticky": {"world.1": record(5, 9)}}}
    rivals = [entry(0, group="tea", groupOverride=True), entry(1, group="tea", sticky=4, probability=0)]
    assert turn(before, rivals, 6, "a kettle")[0] == ["e1"]
    late = [entry(1, sticky=4, delayUntilRecursion=True, key=[])]
    assert turn(before, late, 6, "nothing")[0] == ["e1"]


@pytest.mark.parametrize(
    ("stored", "count"),
    [
        ({"world.0": record(5, 9)}, 5),  # the reply was taken back
        ({"world.0": record(5, 9)}, 4),
        ({"world.0": "odd"}, 6),
        ({"world.0": {"end": 9}}, 6),
        ([], 6),
        (None, 6),
    ],
)
def test_what_does_not_hold_is_left_out(stored: Any, count: int) -> None:
    went, metadata = turn({METADATA: {"sticky": stored}}, [entry(sticky=4)], count, "nothing")
    assert went == []
    assert metadata[METADATA].get("sticky") in ({}, stored)


def test_an_entry_that_no_longer_asks_for_it_is_forgotten_and_one_of_another_book_is_kept() -> None:
    before = {METADATA: {"sticky": {"world.0": record(5, 9), "other.3": record(5, 9)}, "mine": 1}}
    _, metadata = turn(before, [entry()], 6, "nothing")
    assert metadata[METADATA] == {"sticky": {"other.3": record(5, 9)}, "cooldown": {}, "mine": 1}


def test_nothing_is_written_where_nothing_has_its_time() -> None:
    assert turn({}, [entry()], 5, "a kettle") == (["e0"], {})


def test_a_delay_counts_all_messages_and_not_only_those_that_are_searched() -> None:
    assert turn({}, [entry(delay=9)], 9, "a kettle")[0] == ["e0"]
    assert turn({}, [entry(delay=9)], 8, "a kettle")[0] == []
