"""Who speaks in a chat, and what they look like: from a message record to a picture or a letter."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QPixmap

from tavern_desktop.chat import facts
from tavern_desktop.library.data_root import DataRoot
from tavern_desktop.library.personas import Persona
from tavern_desktop.library.pictures import resolve_picture
from tavern_desktop.ui.avatars import Avatars
from tavern_desktop.ui.chat.context import Avatar, Letter

SIDE = 36
"""Logical pixels of an avatar in the surface at normal text size."""


class Speakers:
    """Answers for one chat. Asked while painting, so every file is looked for once."""

    def __init__(
        self, root: DataRoot, avatars: Avatars, character: str, persona: Persona, ratio: Callable[[], float]
    ) -> None:
        """`character` is the picture file of the chat's character, "" for none; `ratio` the screen's scale."""
        self._root = root
        self._avatars = avatars
        self._character = character
        self._persona = persona
        self._ratio = ratio
        self._files: dict[str, Path | None] = {}

    def avatar(self, data: dict[str, Any]) -> Avatar:
        """Return the picture beside a message, or the letter while or where there is none."""
        picture = self._avatars.picture(self._file(data), SIDE, self._ratio())
        return picture if picture is not None else Letter.of_name(facts.name(data))

    def portrait(self, side: int) -> QPixmap | None:
        """Return the picture of the chat's character at another size."""
        return self._avatars.picture(self._character, side, self._ratio())

    def picture(self, url: str) -> Path | None:
        """Return the file in the data folder that an address in a message means."""
        if url not in self._files:
            self._files[url] = resolve_picture(self._root, url)
        return self._files[url]

    def _file(self, data: dict[str, Any]) -> Path | str | None:
        forced = data.get("force_avatar")
        if isinstance(forced, str) and forced:
            return self.picture(forced)
        kind = facts.kind(data)
        if kind == "user":
            return self._persona.avatar
        if kind in ("narrator", "comment", "tool", "notice", "special"):
            return None
        original = data.get("original_avatar")
        if isinstance(original, str) and original and os.path.basename(original) == original:
            return self.picture(f"characters/{original}")
        return self._character
