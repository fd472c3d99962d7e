"""Whether the keys of an entry are found in a text (cards and lore §B4)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tavern_desktop.prompt.js_regex import compiled, split_regex
from tavern_desktop.prompt.lore import AND_ALL, AND_ANY, NOT_ALL, NOT_ANY, LoreEntry
from tavern_desktop.prompt.macros import Macros

START = "\x01"
"""Begins every message in the text that is searched, so that a pattern can tie itself to a message's start."""

KEPT = 16
"""Texts that are kept lowered: there is one for each scan depth."""

_NO_WORD = r"(?:^|(?<=[^0-9A-Za-z_]))"
_NO_WORD_AFTER = r"(?=[^0-9A-Za-z_]|$)"


@dataclass(frozen=True, slots=True)
class Match:
    """What was found: the primary keys that matched, and how many secondary ones."""

    keys: tuple[str, ...]
    secondary: int = 0


@dataclass
class Matcher:
    """Looks for keys with the settings of all books where an entry has none of its own."""

    macros: Macros
    case_sensitive: bool = False
    whole_words: bool = False
    _lowered: dict[str, str] = field(default_factory=dict)

    def match(self, entry: LoreEntry, text: str) -> Match | None:
        """Return how an entry's keys are found in a text, None if they ask for something else."""
        found = tuple(key for key in entry.keys if self.has(entry, key, text))
        if not found:
            return None
        if not entry.is_selective or not entry.secondary:
            return Match(found)
        count = sum(self.has(entry, key, text) for key in entry.secondary)
        fits = {
            AND_ANY: count > 0,
            AND_ALL: count == len(entry.secondary),
            NOT_ANY: count == 0,
            NOT_ALL: count < len(entry.secondary),
        }
        return Match(found, count) if fits.get(entry.logic, count > 0) else None

    def has(self, entry: LoreEntry, key: str, text: str) -> bool:
        """Say whether a key of an entry is found in a text."""
        pattern = split_regex(key)
        if pattern is not None:
            expression = compiled(*pattern)
            return expression is not None and expression.search(text) is not None
        needle = self.macros.fill(key).strip()
        if not needle:
            return False
        sensitive = self.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        if not sensitive:
            needle, text = needle.lower(), self._lower(text)
        whole = self.whole_words if entry.whole_words is None else entry.whole_words
        if not whole or " " in needle:
            return needle in text
        return needle in text and re.search(_NO_WORD + re.escape(needle) + _NO_WORD_AFTER, text) is not None

    def _lower(self, text: str) -> str:
        """Lower a text once for all keys."""
        found = self._lowered.get(text)
        if found is None:
            if len(self._lowered) > KEPT:
                self._lowered.clear()
            found = self._lowered[text] = text.lower()
        return found
