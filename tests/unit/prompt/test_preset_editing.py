"""Arranging the prompts of a preset: what was changed is written, everything else stays."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tavern_desktop.prompt.chat_preset import ChatPreset
from tavern_desktop.prompt.chat_slots import default_preset
from tavern_desktop.prompt.preset_editing import Item, exported, imported, items_of, new_item, own_data, with_items
from tavern_desktop.prompt.scene import Wording
from tests.unit.prompt.scenarios import data, prompt_entry

OWN = prompt_entry("own-1", "Mine.", injection_depth=3, extra_field={"kept": 1})


def preset() -> dict[str, Any]:
    return data("main", "chatHistory", "own-1", off=("own-1",), more=(OWN,), unknown=[1, 2])


def names(items: list[Item]) -> list[str]:
    return [item.identifier for item in items if item.is_listed]


def test_prompts_come_in_their_order_and_behind_them_those_that_are_not_in_it() -> None:
    items = items_of(preset())
    assert names(items) == ["main", "chatHistory", "own-1"]
    assert [item.is_on for item in items[:3]] == [True, True, False]
    assert {item.identifier for item in items[3:]} >= {"nsfw", "jailbreak"}
    assert [item.can_be_removed for item in items[:3]] == [False, False, True]


def test_nothing_changed_is_nothing_written() -> None:
    before = preset()
    items = items_of(before)
    assert with_items(before, items, items) == before


def test_a_new_place_and_a_switch_go_into_the_order_that_counts() -> None:
    before = preset()
    before["prompt_order"].insert(0, {"character_id": 100000, "order": [{"identifier": "main", "enabled": True}]})
    items = items_of(before)
    moved = [replace(items[2], is_on=True), *items[:2], *items[3:]]
    after = with_items(before, items, moved)
    assert after["prompt_order"][0] == before["prompt_order"][0]
    assert after["prompt_order"][1]["order"] == [
        {"identifier": "own-1", "enabled": True},
        {"identifier": "main", "enabled": True},
        {"identifier": "chatHistory", "enabled": True},
    ]
    assert after["prompts"] is before["prompts"]


def test_a_changed_text_leaves_its_other_fields_and_all_other_prompts() -> None:
    before = preset()
    items = items_of(before)
    changed = [replace(item, data={**item.data, "content": "New."}) if item.data is OWN else item for item in items]
    after = with_items(before, items, changed)
    assert after["prompts"][-1] == {**OWN, "content": "New."}
    assert after["prompts"][:-1] == before["prompts"][:-1]
    assert after["prompt_order"] is before["prompt_order"]
    assert after["unknown"] == [1, 2]


def test_what_another_program_wrote_meanwhile_stays() -> None:
    before = preset()
    items = items_of(before)
    theirs = copy.deepcopy(before)
    theirs["prompts"][0]["content"] = "Theirs."
    theirs["prompts"].append(prompt_entry("theirs", "Theirs too."))
    theirs["prompt_order"][0]["order"].append({"identifier": "theirs", "enabled": True, "x": 1})
    mine = [new_item("Newest", content="Ours."), *[item for item in items if item.identifier != "own-1"]]
    after = with_items(theirs, items, mine)
    assert after["prompts"][0]["content"] == "Theirs."
    texts = [prompt["content"] for prompt in after["prompts"]]
    assert "Mine." not in texts
    assert {"Theirs too.", "Ours."} <= set(texts)
    order = after["prompt_order"][0]["order"]
    assert [entry["identifier"] for entry in order] == [mine[0].identifier, "main", "chatHistory", "theirs"]
    assert order[-1] == {"identifier": "theirs", "enabled": True, "x": 1}


def test_an_export_is_taken_in_again() -> None:
    items = items_of(preset())
    told = exported([replace(items[2], data={**OWN, "content": "Changed."}), new_item("Other")])
    found = imported(items, told)
    assert next(item for item in found if item.identifier == "own-1").data["content"] == "Changed."
    assert found[-1].name == "Other"
    assert found[-1].is_on
    from_preset = imported(items_of(data("main")), preset())
    assert ("own-1", False) in [(item.identifier, item.is_on) for item in from_preset]
    for nothing in ({}, {"data": []}, {"prompts": {}}, {"prompts": [1, {"name": "x"}]}):
        with pytest.raises(ValueError, match="no prompts"):
            imported(items, nothing)


def test_the_program_s_own_way_as_a_preset_is_its_own_way() -> None:
    own = default_preset(Wording())
    read = ChatPreset.of("", own_data(own))
    assert [(p.identifier, p.text, p.is_on) for p in read.prompts] == [
        (p.identifier, p.text, p.is_on) for p in own.prompts
    ]
    assert (read.new_chat, read.group_nudge, read.names) == (own.new_chat, own.group_nudge, own.names)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, JSON)
def test_odd_presets_are_read_and_come_back_as_they_were(prompts: Any, order: Any) -> None:
    odd = {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}, order]}
    items = items_of(odd)
    assert with_items(odd, items, items) == odd
    added = with_items(odd, items, [*items, new_item("x")])
    assert [item.name for item in items_of(added)].count("x") == 1
    ChatPreset.of("odd", odd)
