"""What the person has set and what is to come back at the next start."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from tavern_desktop.session.sections import Section
from tavern_desktop.storage.own_folders import OwnFolders

KEPT_POSITIONS = 2000


class Settings(msgspec.Struct, frozen=True):
    """What the settings dialog and the first start decide. None means: not decided, or as the system has it."""

    data_root: str | None = None
    user: str | None = None
    theme: Literal["system", "light", "dark"] = "system"
    text_size: int = 100
    """Percent."""
    mounted_count: int | None = None
    """Messages shown at first and by each *Show more*; None takes SillyTavern's `chat_truncation`, else 100."""
    enter_sends: bool = True
    writes_past_last: bool = True
    """Whether going past the last alternative of the newest reply has another one written."""
    shows_speed: bool = False
    """Whether replies say how many tokens a second they were written with."""
    notices: Literal["off", "names", "text"] = "names"
    """What the desktop tells of a reply that came while no window was in front."""
    spelling: bool = True
    """Whether the spelling of what is being written is checked."""
    spelling_languages: tuple[str, ...] = ()
    """Languages it is checked in, as dictionaries are called; empty for the system's and English."""
    unseen_on_disk: bool = False
    """Whether alternatives that are not shown stay on disk in long chats, instead of in memory."""


class WindowState(msgspec.Struct, frozen=True):
    """How the windows were left. The bytes are Qt's own."""

    geometry: bytes = b""
    state: bytes = b""
    splitter: bytes = b""
    library_shown: bool = True
    inspector_shown: bool = False


class Position(msgspec.Struct, frozen=True):
    """Where a person left a chat: the message at the top of the view and how much of it was above the edge.

    Counted from the newest message, because chats grow at the end; `message_id` and `count` (messages at that
    time) find the place again when the chat has changed.
    """

    from_end: int
    pixels: int = 0
    message_id: str = ""
    count: int = 0


class RootState(msgspec.Struct, frozen=True):
    """What is remembered of one data root. Chats are named by their path relative to the user folder."""

    last_chat: str | None = None
    library_tab: int = 0
    pinned: tuple[str, ...] = ()
    positions: dict[str, Position] = {}
    warned_long: tuple[str, ...] = ()
    """Chats of which it was said that they grow too long for SillyTavern."""


class Preferences:
    """All settings of this program on this computer."""

    def __init__(self, folders: OwnFolders) -> None:
        self._folders = folders
        self.settings = Section(folders.config / "settings.json", Settings)
        self.window = Section(folders.config / "window.json", WindowState)
        self._roots: dict[Path, Section[RootState]] = {}

    def root(self, root: Path) -> Section[RootState]:
        """Return what is remembered of a data root. Raises StorageError where we cannot keep anything for it."""
        if root not in self._roots:
            self._roots[root] = Section(self._folders.for_root(root).data / "state.json", RootState)
        return self._roots[root]

    def keep_position(self, root: Path, chat: str, position: Position) -> None:
        """Remember where a chat was left; the longest untouched are forgotten. Raises StorageError."""
        self.root(root).put("positions", chat, position, KEPT_POSITIONS)

    def problems(self) -> list[str]:
        """Return, once, what was wrong with the files read so far."""
        found: list[str] = []
        sections: list[Section[Any]] = [self.settings, self.window, *self._roots.values()]
        for section in sections:
            found += section.problems
            section.problems.clear()
        return found
