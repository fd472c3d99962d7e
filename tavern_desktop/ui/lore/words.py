"""What people are told of lore: places, secondary keys, roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from tavern_desktop.prompt.lore import AT_DEPTH, OUTLET

PLACES: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Lore", "before the character"),
    QT_TRANSLATE_NOOP("Lore", "after the character"),
    QT_TRANSLATE_NOOP("Lore", "above the author’s note"),
    QT_TRANSLATE_NOOP("Lore", "below the author’s note"),
    QT_TRANSLATE_NOOP("Lore", "in the chat"),
    QT_TRANSLATE_NOOP("Lore", "before the examples"),
    QT_TRANSLATE_NOOP("Lore", "after the examples"),
    QT_TRANSLATE_NOOP("Lore", "where a macro asks for it"),
)
"""By the numbers that files have."""

LOGIC: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Lore", "and one of these"),
    QT_TRANSLATE_NOOP("Lore", "and not all of these"),
    QT_TRANSLATE_NOOP("Lore", "and none of these"),
    QT_TRANSLATE_NOOP("Lore", "and all of these"),
)

ROLES: tuple[object, ...] = (
    QT_TRANSLATE_NOOP("Lore", "as the system"),
    QT_TRANSLATE_NOOP("Lore", "as me"),
    QT_TRANSLATE_NOOP("Lore", "as the character"),
)

SOURCES: Mapping[str, object] = {
    "global": QT_TRANSLATE_NOOP("Lore", "in every chat"),
    "chat": QT_TRANSLATE_NOOP("Lore", "in this chat"),
    "persona": QT_TRANSLATE_NOOP("Lore", "with your persona"),
    "character": QT_TRANSLATE_NOOP("Lore", "with the character"),
}


def tr(text: object) -> str:
    """Return a text in the person's language."""
    return QCoreApplication.translate("Lore", str(text))


def place_words(entry: Mapping[str, Any]) -> str:
    """Return where in the prompt an entry stands."""
    position = entry.get("position", 0)
    if not isinstance(position, int) or not 0 <= position < len(PLACES):
        position = 0
    if position == AT_DEPTH:
        return tr("in the chat, at {depth}").format(depth=entry.get("depth", 4))
    if position == OUTLET:
        return tr("outlet {name}").format(name=entry.get("outletName") or "–")
    return tr(PLACES[position])
