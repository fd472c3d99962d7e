"""The character in an archive of Backyard AI (.byaf), as a card (cards §A9)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from tavern_desktop.chat import jsontext
from tavern_desktop.chat.jsontext import JsonTextError
from tavern_desktop.library.card_file import CardError

Read = Callable[[str], bytes]
"""Returns a file of the archive. Raises CardError, KeyError."""
Card = dict[str, Any]


class FromByaf(NamedTuple):
    """`picture` is the file in the archive that shows the character, "" for none. `chats` counts those left out."""

    card: Card
    picture: str
    used: int
    chats: int


def card_from(read: Read) -> FromByaf:
    """Return the first character of an archive. Raises CardError."""
    manifest = _json(read, "manifest.json")
    characters, scenarios = _names(manifest.get("characters")), _names(manifest.get("scenarios"))
    if not characters:
        raise CardError("The archive names no character.")
    character = _json(read, characters[0])
    stories = [_json(read, name) for name in scenarios]
    images = [one for one in _list(character.get("images")) if isinstance(one, dict)]
    path = images[0].get("path") if images else None
    picture = _beside(characters[0], path) if isinstance(path, str) else ""
    used = 2 + len(stories) + bool(picture)
    return FromByaf(
        _card(manifest, character, stories), picture, used, sum(bool(one.get("messages")) for one in stories)
    )


def _card(manifest: Card, character: Card, stories: list[Card]) -> Card:
    first = stories[0] if stories else {}
    greetings = [text for story in stories for text in _spoken(story.get("firstMessages"))[:1]]
    author = manifest.get("author")
    data: Card = {
        "name": _text(character.get("displayName")) or _text(character.get("name")),
        "description": _filled(character.get("persona")),
        "scenario": _filled(first.get("narrative")),
        "first_mes": greetings[0] if greetings else "",
        "alternate_greetings": greetings[1:],
        "mes_example": "\n".join(f"<START>\n{text}" for text in _spoken(first.get("exampleMessages"))),
        "system_prompt": _filled(first.get("formattingInstructions")),
        "creator": _text(author.get("name")) if isinstance(author, dict) else "",
        "tags": ["NSFW"] if character.get("isNSFW") is True else [],
    }
    entries = [_entry(item) for item in _list(character.get("loreItems")) if isinstance(item, dict)]
    if entries:
        data["character_book"] = {"name": f"{data['name']}'s Lorebook", "entries": entries, "extensions": {}}
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}


def _entry(item: Card) -> Card:
    keys = [key.strip() for key in _text(item.get("key")).split(",") if key.strip()]
    return {
        "keys": keys,
        "content": _filled(item.get("value")),
        "enabled": True,
        "insertion_order": 100,
        "extensions": {},
    }


def _spoken(messages: Any) -> list[str]:
    return [_filled(one.get("text")) for one in _list(messages) if isinstance(one, dict) and _text(one.get("text"))]


def _filled(value: Any) -> str:
    """Return a text with the macros that cards have."""
    text = re.sub(r"#\{(user|character)\}:", lambda found: f"{{{{{_MACROS[found[1]]}}}}}:", _text(value))
    return re.sub(r"(?<!\{)\{(user|character)\}(?!\})", lambda found: f"{{{{{_MACROS[found[1]]}}}}}", text)


_MACROS = {"user": "user", "character": "char"}


def _beside(file: str, path: str) -> str:
    """Return a path that a file of the archive names, as the archive has it."""
    folder = file.rpartition("/")[0]
    return f"{folder}/{path}" if folder and not path.startswith(f"{folder}/") else path


def _json(read: Read, name: str) -> Card:
    try:
        return jsontext.decode(read(name))
    except KeyError:
        raise CardError(f"The archive is not whole: {name} is missing.") from None
    except JsonTextError:
        raise CardError(f"The archive's {name} is not readable (not JSON).") from None


def _names(value: Any) -> list[str]:
    return [name for name in _list(value) if isinstance(name, str)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
