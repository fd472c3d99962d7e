"""Names and texts that stand for others: `{{user}}`, `{{char}}`, `{{persona}}`, `{{original}}`, `<USER>`, `<BOT>`.

Unknown macros stay as they are: other programs may know them. Names are matched in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_MACRO = re.compile(r"\{\{\s*([a-z_][a-z0-9_]*)\s*\}\}|<(user|bot|char)>", re.IGNORECASE)
_ANGLED = {"user": "user", "bot": "char", "char": "char"}

DEEPEST = 8
"""How often what a macro stands for may hold macros itself; a persona that names itself ends there."""


@dataclass(frozen=True, slots=True)
class Macros:
    """The values of one chat. `more` adds others, by their names in lower case."""

    user: str
    char: str
    persona: str = ""
    more: Mapping[str, str | Callable[[], str]] = field(default_factory=dict)

    def fill(self, text: str, *, original: str | None = None) -> str:
        """Return `text` with what its macros stand for.

        `original`: what an override replaces; without it `{{original}}` stands for nothing.
        """
        if "{{" not in text and "<" not in text:
            return text
        return self._fill(text, original, DEEPEST)

    def _fill(self, text: str, original: str | None, depth: int) -> str:
        used_original = False

        def value(match: re.Match[str]) -> str:
            nonlocal used_original
            name = _ANGLED[match[2].lower()] if match[2] else match[1].lower()
            if name == "original":
                first, used_original = not used_original, True
                return (original or "") if first else ""
            found = self._value(name)
            if found is None:
                return match[0]
            return self._fill(found, original, depth - 1) if depth > 0 and found != text else found

        return _MACRO.sub(value, text)

    def _value(self, name: str) -> str | None:
        if name in ("user", "char", "persona"):
            return {"user": self.user, "char": self.char, "persona": self.persona}[name]
        value = self.more.get(name)
        return value() if callable(value) else value
