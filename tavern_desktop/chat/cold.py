"""Alternatives that stay on disk: what of a record is kept in memory, and how it becomes whole again (contract §9).

A record is *projected* by putting null for every alternative that is not shown. Null then means "not loaded": whatever
else stands in a slot is live data and wins over what is on disk.
"""

from __future__ import annotations

from typing import Any, Literal

from tavern_desktop.chat.facts import Record

MARK = "tt_swipe_cold"
"""What TauriTavern puts into such a record in memory. Found in a file it is data like any other, and we write none."""

_SLOTS = ("swipes", "swipe_info")

Detail = Literal["shape", "shrunk", "null_slot"]


class ColdSwipeError(ValueError):
    """A record that cannot be made whole; `detail` as storage errors name it."""

    def __init__(self, detail: Detail) -> None:
        super().__init__(f"cold_swipe/{detail}")
        self.detail: Detail = detail


def is_eligible(data: Record) -> bool:
    """Say whether alternatives of this record may stay on disk (C1); that it is not the last one is not asked here.

    Side data for which there is no alternative makes a record odd, too: the next alternative takes its place.
    """
    texts, info, shown = data.get("swipes"), data.get("swipe_info", []), data.get("swipe_id")
    return (
        isinstance(texts, list)
        and len(texts) > 1
        and type(shown) is int
        and 0 <= shown < len(texts)
        and all(isinstance(text, str) for text in texts)
        and isinstance(info, list)
        and len(info) <= len(texts)
        and None not in info
        and MARK not in data
    )


def projected(data: Record) -> Record:
    """Return an eligible record without the alternatives that are not shown."""
    kept = data["swipe_id"]
    return data | {
        field: [slot if index == kept else None for index, slot in enumerate(data[field])]
        for field in _SLOTS
        if field in data
    }


def completed(live: Record, source: Record) -> Record:
    """Return the live record with what it lacks taken from the record on disk, slot by slot.

    Raises ColdSwipeError where that would lose something, as after alternatives were deleted without loading them.
    """
    fields = [field for field in _SLOTS if field in source or isinstance(live.get(field), list)]
    _refuse(live, source, fields)
    return live | {field: _filled(live[field], source.get(field, [])) for field in fields}


def _refuse(live: Record, source: Record, fields: list[str]) -> None:
    """Raise for the first problem: shape before shrunk before null slots, texts before their side data (C8)."""
    if any(not isinstance(live.get(field), list) for field in fields):
        raise ColdSwipeError("shape")
    pairs = [(live[field], source.get(field, [])) for field in fields]
    if any(len(slots) < len(recorded) for slots, recorded in pairs):
        raise ColdSwipeError("shrunk")
    if any(None in slots[len(recorded) :] for slots, recorded in pairs):
        raise ColdSwipeError("null_slot")


def _filled(slots: list[Any], recorded: list[Any]) -> list[Any]:
    filled = [old if slot is None else slot for slot, old in zip(slots, recorded, strict=False)]
    return filled + slots[len(recorded) :]
