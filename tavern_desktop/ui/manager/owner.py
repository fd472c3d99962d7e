"""Whose chats are managed: a character's or a group's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tavern_desktop.ui.library.data import LibraryData


@dataclass(frozen=True)
class Owner:
    """`character` is the stem of a card, `group` a group's id; one of them is ""."""

    name: str
    character: str = ""
    group: str = ""
    avatar: str = ""

    def current(self, library: LibraryData) -> str:
        """Return the title of the chat that the card or the group's record names, "" for none."""
        if self.group:
            return next((group.chat for group in library.groups if group.id == self.group), "")
        character = library.character(self.character)
        return character.chat if character is not None else ""


def owner_of_character(library: LibraryData, stem: str) -> Owner:
    """Return a character as an owner of chats, under the name of its card."""
    character = library.character(stem)
    return Owner(character.name, stem, avatar=character.avatar) if character is not None else Owner(stem, stem)


def owner_of_group(library: LibraryData, group_id: str) -> Owner:
    """Return a group as an owner of chats."""
    name = next((group.name for group in library.groups if group.id == group_id), group_id)
    return Owner(name, group=group_id)


def owner_of_chat(library: LibraryData, file: str) -> Owner | None:
    """Return who a chat in the lists belongs to, None for one that is nobody's."""
    row = library.row(file)
    if row is None or not (row.character or row.group):
        return None
    return owner_of_group(library, row.group) if row.group else owner_of_character(library, row.character)
