"""Saved stories of Kobold Lite: texts one after another, the user's marked as input."""

from __future__ import annotations

from typing import Any

from tavern_desktop.library.imports.notes import Notes
from tavern_desktop.library.imports.speech import Conversation, Speakers

_INPUT, _OUTPUT = "{{[INPUT]}}", "{{[OUTPUT]}}"
_BETWEEN_OPPONENTS = "||$||"


def fits(data: dict[str, Any]) -> bool:
    """Tell whether this is such a file."""
    return "savedsettings" in data


def read(data: dict[str, Any], speakers: Speakers, notes: Notes) -> list[Conversation]:
    """Return its one conversation."""
    actions = data.get("actions")
    texts = [data.get("prompt"), *(actions if isinstance(actions, list) else [])]
    names = _names(data["savedsettings"], speakers)
    messages = []
    for text in texts:
        if not isinstance(text, str):
            notes.add("left_out", int(text is not None))
            continue
        said = text.replace(_INPUT, "").replace(_OUTPUT, "").strip()
        if said:
            messages.append(names.message(said, by_user=_INPUT in text))
    return [messages]


def _names(settings: Any, speakers: Speakers) -> Speakers:
    """Return who speaks: as the file says where it does."""
    told = settings if isinstance(settings, dict) else {}
    user, opponent = told.get("chatname"), told.get("chatopponent")
    character = opponent.split(_BETWEEN_OPPONENTS)[0].strip() if isinstance(opponent, str) else ""
    return Speakers(
        user.strip() if isinstance(user, str) and user.strip() else speakers.user, character or speakers.character
    )
