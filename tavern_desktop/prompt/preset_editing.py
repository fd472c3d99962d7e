"""The prompts of a chat preset as a person arranges them, and back into the preset's data (prompt §3.1).

Only what was changed here is written: whatever else another program has put into the file meanwhile stays.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tavern_desktop.chat.facts import index_of
from tavern_desktop.prompt.chat_preset import (
    BUILT_IN,
    GLOBAL_ORDER,
    MARKERS,
    ChatPreset,
    PresetPrompt,
    definitions,
    order_of,
    title_of,
)

Data = dict[str, Any]

EXPORT_VERSION = 1


@dataclass(frozen=True, slots=True)
class Item:
    """A prompt in its place. `data` is its entry as the file has it, {} for a place the file says nothing of.

    `is_listed`: it stands in the order; others are only kept, and are listed once they are switched on.
    """

    identifier: str
    is_on: bool
    data: Mapping[str, Any] = field(default_factory=dict)
    is_listed: bool = True

    @property
    def is_marker(self) -> bool:
        """Whether the program fills the place."""
        return self.identifier in MARKERS

    @property
    def can_be_removed(self) -> bool:
        """Whether it is one of the person's own."""
        return not self.is_marker and self.identifier not in BUILT_IN

    @property
    def name(self) -> str:
        """What it is called."""
        name = self.data.get("name")
        return name if isinstance(name, str) and name.strip() else title_of(self.identifier)

    def prompt(self) -> PresetPrompt:
        """Return it as a prompt uses it."""
        return PresetPrompt.of({**self.data, "identifier": self.identifier}, is_on=self.is_on)


def items_of(data: Mapping[str, Any]) -> list[Item]:
    """Return the prompts of a preset in their order, behind them those that are not in it."""
    defined = definitions(data)
    found = [
        Item(identifier, is_on, defined.get(identifier, {}))
        for identifier, is_on in order_of(data)
        if identifier in defined or identifier in MARKERS or identifier in BUILT_IN
    ]
    there = {item.identifier for item in found}
    return found + [Item(name, False, entry, False) for name, entry in defined.items() if name not in there]


def new_item(name: str, **fields: Any) -> Item:
    """Return a prompt that was not there."""
    identifier = str(uuid.uuid4())
    data = {"identifier": identifier, "name": name, "role": "system", "content": "", "system_prompt": False}
    return Item(identifier, True, {**data, "marker": False, **fields})


def with_items(data: Mapping[str, Any], before: Sequence[Item], now: Sequence[Item]) -> Data:
    """Return a preset's data with what was changed between `before` and `now`."""
    old = {item.identifier: item for item in before}
    new = {item.identifier: item for item in now}
    changed = {
        name: item.data
        for name, item in new.items()
        if item.data and (name not in old or dict(old[name].data) != dict(item.data))
    }
    result = dict(data)
    if changed or old.keys() - new.keys():
        result["prompts"] = _definitions(data, changed, old.keys() - new.keys())
    if _arranged(before) != _arranged(now):
        result["prompt_order"] = _order(data, now, old.keys() - new.keys())
    return result


def exported(items: Sequence[Item]) -> Data:
    """Return prompts in the form in which SillyTavern exports them."""
    order = [{"identifier": item.identifier, "enabled": item.is_on} for item in items if item.is_listed]
    prompts = [dict(item.data) for item in items if item.data]
    return {"version": EXPORT_VERSION, "type": "full", "data": {"prompts": prompts, "prompt_order": order}}


def imported(items: Sequence[Item], data: Mapping[str, Any]) -> list[Item]:
    """Return the prompts with those of an export, or of another preset: of one that is there the texts are replaced,
    the others come behind. Raises ValueError where there are none in it."""
    inner = data.get("data")
    source = inner if isinstance(inner, dict) and "prompts" in inner else data
    found = definitions(source)
    if not found:
        raise ValueError("There are no prompts in it.")
    states = dict(_states(source.get("prompt_order")))
    result = [
        Item(item.identifier, item.is_on, found.pop(item.identifier, item.data), item.is_listed) for item in items
    ]
    return result + [Item(name, states.get(name, True), entry) for name, entry in found.items()]


def own_data(preset: ChatPreset) -> Data:
    """Return the program's own way of putting prompts together as the data of a preset, to begin one with."""
    prompts = []
    for prompt in preset.prompts:
        entry: Data = {"identifier": prompt.identifier, "name": title_of(prompt.identifier), "system_prompt": True}
        entry |= {"marker": True} if prompt.is_marker else {"role": prompt.role, "content": prompt.text}
        prompts.append(entry)
    order = [{"identifier": prompt.identifier, "enabled": True} for prompt in preset.prompts]
    return {
        "prompts": prompts,
        "prompt_order": [{"character_id": GLOBAL_ORDER, "order": order}],
        "new_chat_prompt": preset.new_chat,
        "new_group_chat_prompt": preset.new_group_chat,
        "new_example_chat_prompt": preset.new_example,
        "group_nudge_prompt": preset.group_nudge,
        "continue_nudge_prompt": preset.continue_nudge,
        "impersonation_prompt": preset.impersonation,
        "names_behavior": preset.names,
        "wi_format": preset.lore_form,
        "scenario_format": preset.scenario_form,
        "personality_format": preset.personality_form,
        "continue_prefill": preset.continues_by_prefill,
    }


def _definitions(data: Mapping[str, Any], changed: Mapping[str, Mapping[str, Any]], gone: set[str]) -> list[Any]:
    listed = data.get("prompts")
    left = dict(changed)
    found: list[Any] = []
    for entry in listed if isinstance(listed, list) else ():
        name = entry.get("identifier") if isinstance(entry, dict) else None
        if name in gone:
            continue
        found.append(dict(left.pop(name)) if name in left else entry)
    return found + [dict(entry) for entry in left.values()]


def _order(data: Mapping[str, Any], items: Sequence[Item], gone: set[str]) -> list[Any]:
    """Return the orders with the one that counts as it is now; what another program added to it stays at its end."""
    listed = data.get("prompt_order")
    orders = list(listed) if isinstance(listed, list) else []
    at = next((at for at, entry in enumerate(orders) if _is_global(entry)), None)
    there = orders[at].get("order") if at is not None else None
    entries = {
        entry["identifier"]: entry
        for entry in (there if isinstance(there, list) else ())
        if isinstance(entry, dict) and isinstance(entry.get("identifier"), str)
    }
    wanted = [item for item in items if item.is_listed or item.is_on]
    order = [{**entries.pop(i.identifier, {}), "identifier": i.identifier, "enabled": i.is_on} for i in wanted]
    known = {item.identifier for item in items} | gone
    order += [entry for name, entry in entries.items() if name not in known]
    if at is None:
        return [*orders, {"character_id": GLOBAL_ORDER, "order": order}]
    return [*orders[:at], {**orders[at], "order": order}, *orders[at + 1 :]]


def _is_global(entry: object) -> bool:
    return isinstance(entry, dict) and index_of(entry.get("character_id")) == GLOBAL_ORDER


def _arranged(items: Sequence[Item]) -> list[tuple[str, bool]]:
    return [(item.identifier, item.is_on) for item in items if item.is_listed or item.is_on]


def _states(order: object) -> Sequence[tuple[str, bool]]:
    """Return which prompts are on by an export's order, which is a list of entries or of orders."""
    entries = order if isinstance(order, list) else []
    inner = next((entry.get("order") for entry in entries if _is_global(entry)), None)
    entries = inner if isinstance(inner, list) else entries
    return [
        (entry["identifier"], entry.get("enabled") is not False)
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("identifier"), str)
    ]
