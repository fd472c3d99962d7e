"""Entries of lorebooks (world info), read tolerantly from what many programs write (cards and lore §B1, §B3, §B9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tavern_desktop.chat.facts import index_of

BEFORE, AFTER, NOTE_TOP, NOTE_BOTTOM, AT_DEPTH, EXAMPLES_TOP, EXAMPLES_BOTTOM, OUTLET = range(8)
"""Positions of an entry."""

AND_ANY, NOT_ALL, NOT_ANY, AND_ALL = range(4)
"""What secondary keys ask for."""

ROLES = ("system", "user", "assistant")

EXTRA_TEXTS = {
    "matchPersonaDescription": "persona",
    "matchCharacterDescription": "description",
    "matchCharacterPersonality": "personality",
    "matchCharacterDepthPrompt": "depth_prompt",
    "matchScenario": "scenario",
    "matchCreatorNotes": "creator_notes",
}
"""Other texts in which an entry's keys may be looked for, by the field that asks for it."""


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One entry. `source` says what kind of book it is from: "chat", "persona", "character" or "global"."""

    world: str
    uid: int
    source: str
    title: str
    content: str
    keys: tuple[str, ...] = ()
    secondary: tuple[str, ...] = ()
    is_constant: bool = False
    is_selective: bool = True
    logic: int = AND_ANY
    order: int = 100
    position: int = BEFORE
    depth: int = 4
    role: int = 0
    outlet: str = ""
    is_disabled: bool = False
    ignores_budget: bool = False
    probability: float = 100
    excludes_recursion: bool = False
    prevents_recursion: bool = False
    delay_level: int = 0
    scan_depth: int | None = None
    case_sensitive: bool | None = None
    whole_words: bool | None = None
    uses_scoring: bool | None = None
    groups: tuple[str, ...] = ()
    group_override: bool = False
    group_weight: float = 100
    delay: int = 0
    sticky: int = 0
    """For how many messages it stays once it was found; 0 is not at all."""
    cooldown: int = 0
    """For how many messages it rests once it was found."""
    triggers: tuple[str, ...] = ()
    extra_texts: frozenset[str] = frozenset()
    filter_names: tuple[str, ...] = ()
    filter_tags: tuple[str, ...] = ()
    filter_excludes: bool = False
    decorator: str = ""
    """"activate" or "dont_activate" where a line of the content says so."""

    @classmethod
    def of_world(cls, world: str, uid: int, source: str, data: Mapping[str, Any]) -> LoreEntry:
        """Return the entry for a record of a world file."""
        content, decorator = _decorated(_text(data.get("content")))
        chosen = data.get("characterFilter")
        chosen = chosen if isinstance(chosen, dict) else {}
        level = data.get("delayUntilRecursion")
        return cls(
            world,
            uid,
            source,
            _text(data.get("comment")),
            content,
            _texts(data.get("key")),
            _texts(data.get("keysecondary")),
            bool(data.get("constant")),
            data.get("selective") is not False,
            _whole(data.get("selectiveLogic"), AND_ANY),
            _whole(data.get("order"), 100),
            _whole(data.get("position"), BEFORE),
            _whole(data.get("depth"), 4),
            _whole(data.get("role"), 0),
            _text(data.get("outletName")),
            bool(data.get("disable")),
            bool(data.get("ignoreBudget")),
            _number(data.get("probability"), 100) if data.get("useProbability", True) else 100,
            bool(data.get("excludeRecursion")),
            bool(data.get("preventRecursion")),
            1 if level is True else _whole(level, 0),
            index_of(data.get("scanDepth")),
            _maybe(data.get("caseSensitive")),
            _maybe(data.get("matchWholeWords")),
            _maybe(data.get("useGroupScoring")),
            tuple(filter(None, (name.strip() for name in _text(data.get("group")).split(",")))),
            bool(data.get("groupOverride")),
            _number(data.get("groupWeight"), 100),
            _whole(data.get("delay"), 0),
            _whole(data.get("sticky"), 0),
            _whole(data.get("cooldown"), 0),
            _texts(data.get("triggers")),
            frozenset(name for field, name in EXTRA_TEXTS.items() if data.get(field)),
            _texts(chosen.get("names")),
            _texts(chosen.get("tags")),
            bool(chosen.get("isExclude")),
            decorator,
        )


def entries_of_world(world: str, source: str, data: Mapping[str, Any]) -> list[LoreEntry]:
    """Return the entries of a world file; some tools write a list in place of an object."""
    entries = data.get("entries")
    if isinstance(entries, dict):
        pairs: Iterable[tuple[Any, Any]] = entries.items()
    elif isinstance(entries, list):
        pairs = enumerate(entries)
    else:
        return []
    found = []
    for key, entry in pairs:
        if isinstance(entry, dict):
            uid = index_of(entry.get("uid"))
            found.append(LoreEntry.of_world(world, _whole(key, 0) if uid is None else uid, source, entry))
    return found


def entries_of_book(world: str, source: str, book: Mapping[str, Any]) -> list[LoreEntry]:
    """Return the entries of the book in a card (§B9)."""
    entries = book.get("entries")
    entries = list(entries.values()) if isinstance(entries, dict) else entries
    if not isinstance(entries, list):
        return []
    found = []
    for at, entry in enumerate(entries):
        if isinstance(entry, dict):
            uid = index_of(entry.get("id"))
            found.append(LoreEntry.of_world(world, at if uid is None else uid, source, _as_world(entry)))
    return found


def _as_world(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a card's entry with the fields of a world file."""
    more = entry.get("extensions")
    more = more if isinstance(more, dict) else {}
    place = index_of(more.get("position"))
    before = entry.get("position") in (None, "before_char")
    found = {_camel(name): value for name, value in more.items() if name != "position"}
    found |= {
        "key": entry.get("keys"),
        "keysecondary": entry.get("secondary_keys"),
        "comment": entry.get("comment") or entry.get("name"),
        "content": entry.get("content"),
        "constant": entry.get("constant"),
        "selective": bool(entry.get("selective")),
        "order": entry.get("insertion_order"),
        "disable": entry.get("enabled") in (False, "false"),
        "position": place if place is not None else BEFORE if before else AFTER,
    }
    return found


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _decorated(content: str) -> tuple[str, str]:
    """Cut the decorator lines off, known or not; `@@@` counts only behind one that is not known."""
    lines = content.split("\n")
    decorator, was_known = "", True
    while lines and lines[0].startswith("@@"):
        line = lines.pop(0).strip()
        if line.startswith("@@@") and was_known:
            continue
        name = line.lstrip("@")
        was_known = name in ("activate", "dont_activate")
        decorator = decorator or (name if was_known else "")
    return "\n".join(lines), decorator


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    """Return texts; some tools write one text with commas in place of a list (B-33)."""
    if isinstance(value, str):
        value = value.split(",")
    return (
        tuple(filter(None, (item.strip() for item in value if isinstance(item, str))))
        if isinstance(value, list)
        else ()
    )


def _whole(value: object, default: int) -> int:
    found = index_of(value)
    return default if found is None else found


def _number(value: object, default: float) -> float:
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return default
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default


def _maybe(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
