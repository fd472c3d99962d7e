"""The fields of a character's card as a person edits them: read, changed, and written back (cards §A3, §A6)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import CardError, card_data, json_in_png
from tavern_desktop.library.card_repair import DEPTH, SHARED, TALKATIVENESS, TEXTS, in_present_form
from tavern_desktop.library.card_text import V2, Card, with_card
from tavern_desktop.storage.publish import change_small_file

ROLES = ("system", "user", "assistant")
"""Who a character's note is said by; older cards have numbers in this order."""


class CardFields(msgspec.Struct, frozen=True):
    """What a card says, as texts and plain values; "" where it says nothing."""

    name: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    creator_notes: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""
    creator: str = ""
    character_version: str = ""
    nickname: str = ""
    alternate_greetings: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    talkativeness: float = TALKATIVENESS
    favourite: bool = False
    note: str = ""
    """The character's note: said in the chat, `note_depth` messages before its end, by `note_role`."""
    note_depth: int = DEPTH
    note_role: str = "system"
    world: str = ""
    """The lorebook that goes with the character, by its name in `worlds/`."""


EDITABLE = frozenset(CardFields.__struct_fields__) - {"name"}
"""A name is changed with the files that are called after it (`character_files.rename_files`)."""


def fields_of(card: Card) -> CardFields:
    """Return what a card says; a value of the wrong kind counts as none."""
    data = card_data(card)
    extensions = _object(data.get("extensions"))
    note = _object(extensions.get("depth_prompt"))
    texts = {name: value for name in (*TEXTS, "nickname") if isinstance(value := data.get(name), str)}
    if not texts.get("creator_notes") and isinstance(card.get("creatorcomment"), str):
        texts["creator_notes"] = card["creatorcomment"]
    return CardFields(
        **texts,
        alternate_greetings=_texts(data.get("alternate_greetings")),
        tags=_texts(data.get("tags")),
        talkativeness=_number(extensions.get("talkativeness", card.get("talkativeness")), TALKATIVENESS),
        favourite=extensions.get("fav", card.get("fav")) in (True, "true"),
        note=_text(note.get("prompt")),
        note_depth=int(_number(note.get("depth"), DEPTH)),
        note_role=_role(note.get("role")),
        world=_text(extensions.get("world")),
    )


def with_fields(card: Card, changes: Mapping[str, Any]) -> Card:
    """Return the card with some fields of `CardFields` changed, in `data` and where it repeats them at its top.

    All else is kept. A card of the oldest form gets today's (§A6).
    """
    card = {**V2, **in_present_form(card)} if card_data(card) is card else dict(card)
    data: Card = dict(card["data"])
    extensions = dict(_object(data.get("extensions")))
    for name, value in changes.items():
        if name in TEXTS or name == "nickname":
            data[name] = value
        elif name in ("alternate_greetings", "tags"):
            data[name] = list(value)
        elif name == "favourite":
            extensions["fav"] = card["fav"] = value
        elif name in ("talkativeness", "world"):
            extensions[name] = value
        elif name in _NOTE:
            extensions["depth_prompt"] = _object(extensions.get("depth_prompt")) | {_NOTE[name]: value}
    if changes.keys() & _IN_EXTENSIONS:
        data["extensions"] = extensions
    for name in changes.keys() & {*SHARED, "tags"}:
        card[name] = data[name]
    if "creator_notes" in changes:
        card["creatorcomment"] = changes["creator_notes"]
    if "talkativeness" in changes:
        card["talkativeness"] = changes["talkativeness"]
    return card | {"data": data}


def write_fields(path: Path, changes: Mapping[str, Any]) -> bool:
    """Change fields of the card at `path` as it stands there now; return whether anything was changed.

    Of the picture only the card's own chunks are written anew. Raises CardError, OSError, StorageError.
    """
    return change_small_file(path, lambda data: _rewritten(data, changes))


def change_picture(path: Path, picture: bytes) -> None:
    """Give the card at `path` another picture, a PNG. Raises CardError, OSError, StorageError; then it is as it was."""
    change_small_file(path, lambda data: with_card(picture, card_of(data)))


def card_of(data: bytes) -> Card:
    """Return the card in the bytes of a PNG, numbers to the letter. Raises CardError."""
    try:
        return jsontext.decode(json_in_png(io.BytesIO(data)))
    except JsonTextError:
        raise CardError("The picture's character card is not readable (not JSON).") from None


def _rewritten(data: bytes, changes: Mapping[str, Any]) -> bytes | None:
    card = card_of(data)
    changed = with_fields(card, changes)
    return None if jsontext.same(changed, card) else with_card(data, changed)


_NOTE = {"note": "prompt", "note_depth": "depth", "note_role": "role"}
_IN_EXTENSIONS = frozenset({"favourite", "talkativeness", "world", *_NOTE})


def _object(value: Any) -> Card:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _number(value: Any, default: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return default
    return number if abs(number) < 1e6 else default


def _role(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(ROLES):
        return ROLES[value]
    return value if value in ROLES else "system"
