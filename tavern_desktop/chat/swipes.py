"""The alternatives of a message: choosing, adding and deleting one, with everything that belongs to it.

A message shows one of its *slots*: `swipes[swipe_id]` is its text, `swipe_info[swipe_id]` its dates and a copy of its
`extra` (chat files §9). Text and side data live in parallel lists and always move together (known failures B-27).
Before the shown slot changes, the message is written back into its slot, so nothing is lost. Slots that a change
does not concern stay as they are, odd ones too.

Every function takes a record and returns another; none changes its argument. `pristine` says that the chat is
still only its greeting (`is_pristine`): then texts are not written back, because the slots hold the greeting with its
macros and the message perhaps with names in their place.
"""

from __future__ import annotations

from typing import Any, Literal

from tavern_desktop.chat import facts
from tavern_desktop.chat.facts import Record

MIRRORED_DATES = ("send_date", "gen_started", "gen_finished")

OF_THE_MESSAGE = ("type", "isSmallSys", "swipeable", "bookmark_link", "branches")
"""Parts of `extra` that say what the message is, kept when the slot shown next has no `extra` recorded."""


def is_pristine(metadata: Record, message_count: int) -> bool:
    """Say whether a chat is still nothing but its greeting (chat files §9.3, §9.4)."""
    return message_count == 1 and not metadata.get("tainted")


def settled(data: Record, *, pristine: bool = False) -> Record:
    """Return the record with its shown slot equal to the message, and a usable `swipe_id`."""
    shown = facts.swipes(data)
    slots = _list(data.get("swipes"))
    info = _list(data.get("swipe_info"))
    at, own = shown.current, shown.texts[shown.current]
    if at == len(slots):
        slots.append(own)
        info[at:] = []
    elif not pristine and facts.slot_text(slots[at]) != own:
        slots[at] = own
    info += [{} for _ in range(len(slots) - len(info))]
    broken_off = not shown.is_recorded and facts.TEXT_FIELD in data and data[facts.TEXT_FIELD] != own
    entry = _object(info[at])
    info[at] = _mirror(data, {}) | entry if broken_off else _mirror(data, entry)
    settled_data = data | {"mes": own, "swipes": slots, "swipe_id": at, "swipe_info": info}
    return _showing(settled_data, at) if broken_off else settled_data


def select(data: Record, index: int, *, pristine: bool = False) -> Record:
    """Return the record showing alternative `index`. Raises IndexError if there is none."""
    shown = facts.swipes(data)
    _check(index, len(shown))
    if index == shown.current and (shown.is_recorded or "swipes" not in data):
        return data
    return _showing(settled(data, pristine=pristine), index)


def add(
    data: Record, text: str, info: Record | None = None, *, send_date: str, show: bool = True, pristine: bool = False
) -> Record:
    """Return the record with one more alternative at the end, shown or not.

    `info` is its side data: `extra`, `gen_started`, `gen_finished`.
    """
    data = settled(data, pristine=pristine)
    slots, side_data = list(data["swipes"]), list(data["swipe_info"])
    entry: Record = {"send_date": send_date} | (info or {})
    entry["extra"] = _of_the_message(data) | facts.extra(entry)
    side_data[len(slots) :] = [entry]
    slots.append(text)
    data = data | {"swipes": slots, "swipe_info": side_data}
    return _showing(data, len(slots) - 1) if show else data


def delete(data: Record, index: int, *, pristine: bool = False) -> Record:
    """Return the record without alternative `index`; of the shown one the next, or else the new last, takes its place.

    Raises IndexError if there is none, ValueError if it is the only one.
    """
    shown = facts.swipes(data)
    _check(index, len(shown))
    if len(shown) < 2:
        raise ValueError("the only alternative cannot be deleted")
    data = settled(data, pristine=pristine)
    for field in ("swipes", "swipe_info", "variables"):
        entries = data.get(field)
        if isinstance(entries, list):  # `variables` is a popular extension's list, one entry for each swipe
            data = data | {field: entries[:index] + entries[index + 1 :]}
    if index == shown.current:
        return _showing(data, min(index, len(data["swipes"]) - 1))
    return data | {"swipe_id": shown.current - (index < shown.current)}


def mirror_current(data: Record) -> Record:
    """Return the record with the side data of its shown slot, if it has any, brought in step with the message."""
    shown, info = facts.swipes(data), _list(data.get("swipe_info"))
    if not shown.is_recorded or shown.current >= len(info) or not isinstance(info[shown.current], dict):
        return data
    info[shown.current] = _mirror(data, info[shown.current])
    return data | {"swipe_info": info}


def left(data: Record) -> int | None:
    """Return the alternative before the shown one, from the first the last; None if there is only one."""
    shown = facts.swipes(data)
    return (shown.current - 1) % len(shown) if len(shown) > 1 else None


def right(data: Record, *, pristine: bool = False) -> int | Literal["generate"] | None:
    """Return the alternative after the shown one; past the last what SillyTavern does there (chat files §9.3)."""
    shown = facts.swipes(data)
    if shown.current + 1 < len(shown):
        return shown.current + 1
    first = 0 if len(shown) > 1 else None
    behavior = facts.extra(data).get("overswipe_behavior")
    if behavior in ("loop", "pristine_greeting"):
        return first
    if behavior in ("regenerate", "edit_generate"):
        return "generate"
    if behavior == "none" or not facts.may_swipe(data):
        return None
    if pristine or facts.is_hidden(data):
        return first
    return "generate"


def _showing(data: Record, index: int) -> Record:
    """Slot → message, for a settled record."""
    info = _list(data.get("swipe_info"))
    entry = _object(info[index] if index < len(info) else None)
    shown = data | {"swipe_id": index, "mes": facts.slot_text(data["swipes"][index])}
    for field in ("gen_started", "gen_finished"):
        if field in entry:
            shown[field] = entry[field]
        else:
            shown.pop(field, None)
    if entry.get("send_date") is not None:
        shown["send_date"] = entry["send_date"]
    recorded = entry.get("extra")
    shown["extra"] = recorded if isinstance(recorded, dict | list) else _of_the_message(data)
    return shown


def _mirror(data: Record, entry: Record) -> Record:
    """Message → the side data of its slot; what the message does not say the slot keeps."""
    mirrored = entry | {field: data[field] for field in MIRRORED_DATES if field in data}
    more = data.get("extra")
    if isinstance(more, dict) or (isinstance(more, list) and more):
        mirrored["extra"] = more
    return mirrored


def _of_the_message(data: Record) -> Record:
    more = facts.extra(data)
    return {field: more[field] for field in OF_THE_MESSAGE if field in more}


def _check(index: int, count: int) -> None:
    if not 0 <= index < count:
        raise IndexError(f"there is no alternative {index} of {count}")


def _list(value: object) -> list[Any]:
    return list(value) if isinstance(value, list) else []


def _object(value: object) -> Record:
    return value if isinstance(value, dict) else {}
