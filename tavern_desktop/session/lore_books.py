"""The lorebooks of a chat: which are in force, and where each comes from; what the card has of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tavern_desktop.library.card_fields import card_of, write_fields
from tavern_desktop.library.card_file import CardError, card_data
from tavern_desktop.library.characters import SUFFIX
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.settings_file import read_settings
from tavern_desktop.library.worlds import create_world, entries_of_card_book, world_names
from tavern_desktop.prompt.lore_sources import books_in_force

BOOK_OF_CHAT = "world_info"
"""In a chat's metadata: the lorebook that belongs to it."""


@dataclass(frozen=True, slots=True)
class Books:
    """`in_force`: names with their source, "global", "chat", "persona" or "character". `missing` have no file.

    `in_card`: how many entries the character's card holds that are in no file of their own.
    """

    in_force: tuple[tuple[str, str], ...] = ()
    missing: frozenset[str] = frozenset()
    all_names: tuple[str, ...] = ()
    in_card: int = 0


def books_of(root: DataRoot, metadata: Mapping[str, Any], stem: str, persona_id: str) -> Books:
    """Return the lorebooks for a chat with the character `stem`, "" for none. Off the owner. Raises StorageError."""
    card = _card(root, stem)
    names = tuple(world_names(root))
    found = books_in_force(read_settings(root), metadata, card, stem, persona_id)
    own = card.get("character_book")
    has_file = any(source == "character" and name in names for name, source in found.items())
    in_card = 0 if has_file or not isinstance(own, dict) else sum(1 for _ in entries_of_card_book(own))
    return Books(tuple(found.items()), frozenset(found) - set(names), names, in_card)


def book_from_card(root: DataRoot, stem: str) -> str:
    """Make the book in a character's card a file of its own, which goes with the character; return its name.

    Raises CardError, StorageError, OSError.
    """
    card = _card(root, stem)
    own = card.get("character_book")
    if not isinstance(own, dict):
        raise CardError("The card has no lorebook.")
    name = own.get("name")
    called = name if isinstance(name, str) and name.strip() else f"{card.get('name') or stem}'s Lorebook"
    world = create_world(root, called, entries_of_card_book(own))
    write_fields(root.characters / f"{stem}{SUFFIX}", {"world": world.name})
    return world.name


def _card(root: DataRoot, stem: str) -> dict[str, Any]:
    if not stem:
        return {}
    try:
        return card_data(card_of((root.characters / f"{stem}{SUFFIX}").read_bytes()))
    except (CardError, OSError):
        return {}
