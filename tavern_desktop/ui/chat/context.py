"""What the surface is told about the chat it shows: who speaks, what they look like, where pictures lie."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale
from PySide6.QtGui import QColor, QImage, QPixmap

from tavern_desktop.ui.theme import Theme

if TYPE_CHECKING:
    from tavern_desktop.cards.registry import FormDefinition

AVATAR_COLOURS = ("#7a5c8e", "#3f6f73", "#8a6a3d", "#5b6b86", "#86524f", "#5f7a4f", "#6b7280", "#8a5a72")


@dataclass(frozen=True, slots=True)
class Letter:
    """A coloured square with an initial, for who has no picture."""

    letter: str
    colour: QColor

    @classmethod
    def of_name(cls, name: str) -> Letter:
        """Return the same colour for the same name, always."""
        # Not hash(): that one differs from start to start.
        colour = AVATAR_COLOURS[zlib.crc32(name.encode("utf-8", "replace")) % len(AVATAR_COLOURS)]
        return cls(initial(name), QColor(colour))


Avatar = QPixmap | Letter


def initial(name: str) -> str:
    """Return the first letter or digit of a name as a capital, "?" if there is none."""
    return next((character.upper() for character in name if character.isalnum()), "?")


def letter_of(data: dict[str, Any]) -> Avatar:
    """Return the avatar for a message record when nothing is known about pictures."""
    name = data.get("name")
    return Letter.of_name(name if isinstance(name, str) else "")


def run_at_once(work: Callable[[], QImage], done: Callable[[QImage], None]) -> None:
    """Decode a picture where one stands: good enough for tests and small pictures."""
    done(work())


def no_picture(url: str) -> Path | None:
    """Resolve no picture at all: for chats outside a data folder."""
    return None


def no_form(payload: dict[str, Any]) -> FormDefinition | None:
    """Know no form."""
    return None


def no_copy(key: int, card_id: str) -> bool:
    """Take every special message for the only one with its id."""
    return False


def nothing_works(key: int) -> bool:
    """Take every workflow that says it runs for one that was interrupted."""
    return False


@dataclass(frozen=True)
class ChatContext:
    """Given with each chat; a new one replaces it when something of it changes."""

    theme: Theme
    user_name: str = "You"
    char_name: str = ""
    avatar: Callable[[dict[str, Any]], Avatar] = letter_of
    """From a message record to its speaker's picture. Called for rows on screen: has to be quick (cached)."""
    resolve_picture: Callable[[str], Path | None] = no_picture
    """From an address in a message to a file inside the data folder, None for everything else. No network."""
    locale: QLocale = field(default_factory=QLocale)
    is_group: bool = False
    run: Callable[[Callable[[], QImage], Callable[[QImage], None]], None] = run_at_once
    """(work, done): decode a picture off the window's thread and call `done` with it on that thread."""
    can_generate: bool = False
    """There is a model that can go on with the newest reply."""
    writes_past_last: bool = True
    """Whether the control of the newest reply offers one more alternative."""
    shows_speed: bool = False
    """Whether a reply says how fast it was written."""
    form_of: Callable[[dict[str, Any]], FormDefinition | None] = no_form
    """From the payload of a form to the form as this program knows it, None for one that cannot be filled in here."""
    is_copy: Callable[[int, str], bool] = no_copy
    """(message's key, id): whether an earlier special message of the chat has this id. Has to be quick."""
    is_working: Callable[[int], bool] = nothing_works
    """Whether something works now on what a special message shows, by the message's key. Has to be quick."""
    folder: Path | None = None
    """The person's data folder, where files of forms are; None for chats outside one."""
