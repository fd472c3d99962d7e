"""Two versions of one message made into one, field by field (conversation entry 6.3).

Text, swipes and their dates are one unit: mixing them would give a text that is not among its swipes. Where both
sides changed the same thing ours stays and a conflict is named; the other text becomes a further swipe (decision D4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from tavern_desktop.chat.facts import OWN_FIELD, TEXT_FIELD, Record, extra
from tavern_desktop.chat.jsontext import same
from tavern_desktop.chat.message import ID_FIELD

UNIT: Final = (TEXT_FIELD, "swipes", "swipe_id", "swipe_info", "send_date", "gen_started", "gen_finished")
"""The fields that only make sense together."""

CONTENT: Final = "content"
"""Name of the unit in a conflict."""

ABSENT: Final = object()
"""In place of the value of a field that is not there: absence is a value like any other."""

_CARD_STATUS = re.compile(r"^status:[ \t]*[\"']?(\w+)", re.MULTILINE)


def merge_fields(base: Record, disk: Record, memory: Record) -> tuple[Record, list[str]]:
    """Return the merged record, and the names of what both sides changed differently.

    `base` is `{}` for a message that both sides added. Names: `content` first, then fields and `extra.<key>`, sorted.
    No argument is changed; the result shares values with them.
    """
    unit, unit_conflicts = merge_value(_unit(base), _unit(disk), _unit(memory))
    merged: Record = {}
    conflicts: list[str] = []
    for name in memory | disk:
        if name in UNIT:
            value = unit.get(name, ABSENT)
        elif name == "extra" and isinstance(disk.get(name), dict) and isinstance(memory.get(name), dict):
            value, keys = _merge_extra(extra(base), disk[name], memory[name])
            conflicts += [f"extra.{key}" for key in keys]
        else:
            value, in_conflict = merge_value(*(side.get(name, ABSENT) for side in (base, disk, memory)))
            conflicts += [name] if in_conflict and name != ID_FIELD else []
        if value is not ABSENT:
            merged[name] = value
    conflicts.sort()
    if unit_conflicts:
        others = dict(_texts_only_in(disk, base, memory))
        if others or not same(disk.get(TEXT_FIELD), base.get(TEXT_FIELD)):
            conflicts.insert(0, CONTENT)
        if others and _can_have_swipes(merged):
            _append_swipes(merged, others, disk.get("swipe_info"))
    return merged, conflicts


def merge_value(base: Any, disk: Any, memory: Any) -> tuple[Any, bool]:
    """Return the value that was changed, memory's if both were, and whether they were changed differently."""
    if same(disk, base) or same(disk, memory):
        return memory, False
    if same(memory, base):
        return disk, False
    return memory, True


def merge_keys(base: Record, disk: Record, memory: Record) -> tuple[Record, list[str]]:
    """Merge two objects key by key, each value whole. Return the names of the conflicts beside the result."""
    merged: Record = {}
    conflicts: list[str] = []
    for name in memory | disk:
        value, in_conflict = merge_value(*(side.get(name, ABSENT) for side in (base, disk, memory)))
        if value is not ABSENT:
            merged[name] = value
        if in_conflict:
            conflicts.append(name)
    return merged, conflicts


def _merge_extra(base: Record, disk: Record, memory: Record) -> tuple[Record, list[str]]:
    merged, conflicts = merge_keys(base, disk, memory)
    theirs, ours = disk.get(OWN_FIELD), memory.get(OWN_FIELD)
    if OWN_FIELD in conflicts and _card_status(theirs) == "submitted" and _card_status(ours) == "draft":
        merged[OWN_FIELD] = theirs
    return merged, conflicts


def _card_status(value: Any) -> str | None:
    """Return how far the card of a message is filled in: submitted beats draft (structured cards 8)."""
    card = value.get("card") if isinstance(value, dict) else None
    text = card.get("yaml") if isinstance(card, dict) else None
    if not isinstance(text, str):
        return None
    found = _CARD_STATUS.search(text)
    return found[1] if found else "draft"


def _unit(data: Record) -> Record:
    return {name: data[name] for name in UNIT if name in data}


def _texts(data: Record) -> Iterator[tuple[str, int | None]]:
    """Return each text of a record that is not empty, with its index in `swipes`, None where it is not in there."""
    swipes = data.get("swipes")
    for index, text in enumerate(swipes if isinstance(swipes, list) else ()):
        if isinstance(text, str) and text:
            yield text, index
    text = data.get(TEXT_FIELD)
    if isinstance(text, str) and text:
        yield text, None


def _texts_only_in(disk: Record, base: Record, memory: Record) -> Iterator[tuple[str, int | None]]:
    """Return the texts that neither base nor memory has, in disk's order, each once."""
    seen = {text for side in (base, memory) for text, _ in _texts(side)}
    for text, index in _texts(disk):
        if text not in seen:
            seen.add(text)
            yield text, index


def _can_have_swipes(data: Record) -> bool:
    more = extra(data)
    return (
        not data.get("is_user")
        and data.get("role") != "tool"
        and more.get("isSmallSys") is not True
        and more.get("swipeable") is not False
        and isinstance(data.get("swipes", []), list)
    )


def _append_swipes(data: Record, texts: dict[str, int | None], disk_info: Any) -> None:
    """Append texts of disk's to the swipes, not selected; what disk noted about each (`swipe_info`) goes along."""
    if "swipes" in data:
        swipes = list(data["swipes"])
    else:
        text = data.get(TEXT_FIELD)
        swipes = [text if isinstance(text, str) else ""]
        data["swipe_id"] = 0
    count = len(swipes)
    data["swipes"] = swipes + list(texts)
    infos = [info for info in (data.get("swipe_info"), disk_info) if isinstance(info, list)]
    if not infos:
        return
    own = data["swipe_info"][:count] if isinstance(data.get("swipe_info"), list) else []
    own += [{} for _ in range(count - len(own))]
    theirs = disk_info if isinstance(disk_info, list) else []
    data["swipe_info"] = own + [
        theirs[index] if index is not None and index < len(theirs) else {} for index in texts.values()
    ]
