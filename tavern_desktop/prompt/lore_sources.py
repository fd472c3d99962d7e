"""Which lorebooks are in force in a chat, and their entries in the order in which they are considered (§B2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.settings_file import power_user
from tavern_desktop.library.worlds import world_path
from tavern_desktop.prompt.lore import LoreEntry, entries_of_book, entries_of_world
from tavern_desktop.prompt.lore_activation import LoreSettings
from tavern_desktop.storage.errors import StorageError

EVENLY, CHARACTER_FIRST, GLOBAL_FIRST = range(3)

Record = Mapping[str, Any]


def lore_settings(settings: Record) -> LoreSettings:
    """Return SillyTavern's settings of world info, its defaults where it does not say."""
    own = _object(settings.get("world_info_settings"))

    def whole(name: str, default: int) -> int:
        value = own.get(f"world_info_{name}")
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def switch(name: str) -> bool:
        return own.get(f"world_info_{name}") is True

    percent = whole("budget", 25)
    return LoreSettings(
        depth=whole("depth", 2),
        budget_percent=25 if percent > 100 else percent,
        budget_cap=whole("budget_cap", 0),
        is_recursive=switch("recursive"),
        most_passes=whole("max_recursion_steps", 0),
        min_activations=whole("min_activations", 0),
        widest=whole("min_activations_depth_max", 0),
        case_sensitive=switch("case_sensitive"),
        whole_words=switch("match_whole_words"),
        uses_scoring=switch("use_group_scoring"),
    )


def includes_names(settings: Record) -> bool:
    """Say whether speakers' names are searched too."""
    return _object(settings.get("world_info_settings")).get("world_info_include_names") is not False


def lore_candidates(
    root: DataRoot, settings: Record, metadata: Record, card: Record, stem: str, persona_id: str
) -> list[LoreEntry]:
    """Return all entries of the books in force. A book that cannot be read has none.

    `card` is the speaker's card's data, `stem` its file's name without ending.
    """
    sources = books_in_force(settings, metadata, card, stem, persona_id)
    by_source: dict[str, list[LoreEntry]] = {"chat": [], "persona": [], "character": [], "global": []}
    for name, source in sources.items():
        by_source[source] += entries_of_world(name, source, read_world(root, name))
    extensions = _object(card.get("extensions"))
    if not isinstance(extensions.get("world"), str) or extensions["world"] not in sources:
        # A book that came with the card and was never made a file of its own.
        by_source["character"] += entries_of_book(stem, "character", _object(card.get("character_book")))
    strategy = _object(settings.get("world_info_settings")).get("world_info_character_strategy")
    character, everywhere = _sorted(by_source["character"]), _sorted(by_source["global"])
    rest = _sorted([*character, *everywhere]) if strategy == EVENLY else [*character, *everywhere]
    if strategy == GLOBAL_FIRST:
        rest = [*everywhere, *character]
    return [*_sorted(by_source["chat"]), *_sorted(by_source["persona"]), *rest]


def read_world(root: DataRoot, name: str) -> Record:
    """Return a world file, {} where there is none that can be read."""
    try:
        data = orjson.loads(world_path(root, name).read_bytes())
    except (OSError, StorageError, orjson.JSONDecodeError):
        return {}
    return data if isinstance(data, dict) else {}


def books_in_force(settings: Record, metadata: Record, card: Record, stem: str, persona_id: str) -> dict[str, str]:
    """Return the books in force and in which role; one in several roles counts once, in the strongest (§B2)."""
    info = _object(_object(settings.get("world_info_settings")).get("world_info"))
    user = power_user(settings)
    persona = _object(_object(user.get("persona_descriptions")).get(persona_id)).get("lorebook")
    own = [_object(card.get("extensions")).get("world"), *_extra_books(info, stem)]
    chosen = info.get("globalSelect")
    by_strength = (
        ("global", chosen if isinstance(chosen, list) else []),
        ("chat", [metadata.get("world_info")]),
        ("persona", [persona if persona is not None else user.get("persona_description_lorebook")]),
        ("character", own),
    )
    found: dict[str, str] = {}
    for source, names in by_strength:
        for name in names:
            if isinstance(name, str) and name:
                found.setdefault(name, source)
    return found


def _extra_books(info: Record, stem: str) -> list[Any]:
    lore = info.get("charLore")
    entries = [entry for entry in lore if isinstance(entry, dict)] if isinstance(lore, list) else []
    return [book for entry in entries if entry.get("name") == stem for book in entry.get("extraBooks") or []]


def _sorted(entries: list[LoreEntry]) -> list[LoreEntry]:
    return sorted(entries, key=lambda entry: -entry.order)


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
