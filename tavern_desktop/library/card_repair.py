"""A card as it ought to be: values of the wrong kind made right, everything unknown left where it is (B-33).

Pure. What was changed is told in short lines for people.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tavern_desktop.library.card_file import card_data

Card = dict[str, Any]
Notes = list[str]

TEXTS = (
    "name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes", "system_prompt",
    "post_history_instructions", "creator", "character_version",
)  # fmt: skip
"""Fields of `data` that are texts; the first six are also at the top of the card."""
SHARED = TEXTS[:6]

OLD_NAMES = {
    "char_name": "name",
    "char_persona": "description",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
    "world_scenario": "scenario",
}
"""What the oldest kind of card calls its fields."""

DEPTH, ORDER, TALKATIVENESS = 4, 100, 0.5


def repaired(card: Card, file_name: str) -> tuple[Card, Notes]:
    """Return the card with values of the right kinds, and what was adjusted; itself where nothing was.

    A card without a name gets that of its file (B-34).
    """
    notes: Notes = []
    if not card_data(card).get("name") and "char_name" in card:
        card = {OLD_NAMES.get(field, field): value for field, value in card.items()}
        notes.append("It is of the oldest kind; its fields got today's names.")
    data = dict(card_data(card))
    for field in TEXTS:
        if field in data:
            _fix(data, field, _text, notes)
    if not str(data.get("name") or "").strip():
        data["name"] = file_name
        notes.append(f"It has no name; it is called {file_name}, after its file.")
    for field in ("alternate_greetings", "group_only_greetings"):
        if field in data:
            _fix(data, field, _texts, notes)
    if "tags" in data:
        _fix(data, "tags", _words, notes)
    if "extensions" in data:
        _fix(data, "extensions", _object, notes)
        data["extensions"] = _extensions(data["extensions"], notes)
    if data.get("character_book") is not None:
        data["character_book"] = _book(data["character_book"], notes)
    if not notes:
        return card, notes
    return (card | {"data": data} if card_data(card) is not card else data), notes


def in_present_form(card: Card) -> Card:
    """Return the card with its fields both in `data` and at its top, as SillyTavern writes it (cards §A2, §A6)."""
    is_new = card_data(card) is not card
    data = dict(card["data"]) if is_new else {field: card[field] for field in (*TEXTS, *_KEPT) if field in card}
    for field in TEXTS:
        data.setdefault(field, "")
    if not is_new and not data["creator_notes"]:
        data["creator_notes"] = card.get("creatorcomment") or ""
    for field in ("alternate_greetings", "tags"):
        data.setdefault(field, [])
    extensions = {"talkativeness": TALKATIVENESS, "fav": False} | data.get("extensions", {})
    data["extensions"] = extensions
    top = {field: data[field] for field in (*SHARED, "tags")}
    top |= {"talkativeness": extensions["talkativeness"], "fav": extensions["fav"]}
    own = {"creatorcomment": data["creator_notes"], "avatar": "none"}
    return own | {name: value for name, value in card.items() if name != "json_data"} | top | {"data": data}


_KEPT = ("alternate_greetings", "tags", "extensions", "character_book")


def _fix(holder: Card, field: str, make: Callable[[Any], Any], notes: Notes, where: str = "") -> None:
    """Give a field the kind of value that `make` returns, and note it where that is another one."""
    made = make(holder[field])
    if made is not holder[field] and made != holder[field]:
        holder[field] = made
        notes.append(f"{where}{field}: was {_kind(holder, made)}")


def _kind(holder: Card, made: Any) -> str:
    if isinstance(made, str):
        return "no text, now one."
    if isinstance(made, list):
        return f"no list of texts, now one of {len(made)}."
    if isinstance(made, bool):
        return f"no yes or no, now {'yes' if made else 'no'}."
    return "of another kind, now empty." if isinstance(made, dict) else f"no number, now {made}."


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return "" if value is None or isinstance(value, dict | bool) else str(value)


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return value if all(isinstance(item, str) for item in value) else [_text(item) for item in value]
    return [value] if isinstance(value, str) and value else []


def _words(value: Any) -> list[str]:
    if isinstance(value, str):
        return [word.strip() for word in value.split(",") if word.strip()]
    return _texts(value)


def _object(value: Any) -> Card:
    return value if isinstance(value, dict) else {}


def _yes(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return value.strip().lower() in ("true", "1", "yes") if isinstance(value, str) else bool(value)


def _number(default: float) -> Callable[[Any], Any]:
    def number(value: Any) -> Any:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        try:
            made = float(value)
        except (TypeError, ValueError):
            return default
        if not math.isfinite(made):
            return default
        return int(made) if made.is_integer() else made

    return number


def _extensions(found: Card, notes: Notes) -> Card:
    extensions = dict(found)
    # Numbers written as texts are SillyTavern's own habit here, and read by everybody.
    if "talkativeness" in extensions and not _is_number(extensions["talkativeness"]):
        _fix(extensions, "talkativeness", _number(TALKATIVENESS), notes)
    if "fav" in extensions and extensions["fav"] not in ("true", "false"):
        _fix(extensions, "fav", _yes, notes)
    prompt = extensions.get("depth_prompt")
    if prompt is not None:
        prompt = dict(_object(prompt))
        for field, make in (("prompt", _text), ("depth", _number(DEPTH)), ("role", _role)):
            if field in prompt:
                _fix(prompt, field, make, notes, "Character's note: ")
        extensions["depth_prompt"] = prompt
    return extensions


def _is_number(value: Any) -> bool:
    return bool(_number(-1.0)(value) != -1.0)


def _role(value: Any) -> Any:
    return value if value in ("system", "user", "assistant", 0, 1, 2) else "system"


def _book(found: Any, notes: Notes) -> Card:
    book: Card = {"entries": found} if isinstance(found, list) else dict(_object(found))
    entries = book.get("entries")
    if isinstance(entries, dict):
        entries = list(entries.values())
        notes.append("Lorebook: its entries were no list, now one.")
    sound = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    if isinstance(entries, list) and len(sound) < len(entries):
        notes.append(f"Lorebook: {len(entries) - len(sound)} entries that are none were left out.")
    return book | {"entries": [_entry(entry, number, notes) for number, entry in enumerate(sound)]}


_ENTRY: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("keys", _words),
    ("secondary_keys", _words),
    ("content", _text),
    ("comment", _text),
    ("enabled", _yes),
    ("constant", _yes),
    ("selective", _yes),
    ("insertion_order", _number(ORDER)),
    ("extensions", _object),
)


def _entry(found: Card, number: int, notes: Notes) -> Card:
    entry = dict(found)
    for field, make in _ENTRY:
        if entry.get(field) is not None:
            _fix(entry, field, make, notes, f"Lorebook entry {number + 1}: ")
    return entry
