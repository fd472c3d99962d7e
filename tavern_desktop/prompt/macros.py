"""Names and texts that stand for others: `{{user}}`, `{{random::a::b}}`, `{{if …}}` … (prompt §8), `<USER>`, `<BOT>`.

Macros inside others come first. Unknown ones stay as they are: other programs may know them. Names count in any case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tavern_desktop.prompt.macro_text import Call, expand

_ANGLED = re.compile(r"<(user|bot|char)>", re.IGNORECASE)

DEEPEST = 8
"""How often what a macro stands for may hold macros itself; a persona that names itself ends there."""

Value = str | Callable[[], str]
Evaluate = Callable[[Call], "str | None"]
"""Returns what a macro stands for, None for one that is not known."""


@dataclass(frozen=True, slots=True)
class Macros:
    """The macros of one chat. `more` adds values by their names in lower case; `others` knows those with arguments."""

    user: str
    char: str
    persona: str = ""
    more: Mapping[str, Value] = field(default_factory=dict)
    others: Evaluate | None = None

    def fill(self, text: str, *, original: str | None = None) -> str:
        """Return `text` with what its macros stand for.

        `original`: what an override replaces; it stands once, and nothing stands for it where there is none.
        """
        if "{{" not in text and "<" not in text:
            return text
        return _Filling(self, original).fill(text, DEEPEST)


class _Filling:
    """One text being filled."""

    def __init__(self, macros: Macros, original: str | None) -> None:
        self._macros = macros
        self._original = original or ""

    def fill(self, text: str, depth: int) -> str:
        names = {"user": self._macros.user, "bot": self._macros.char, "char": self._macros.char}
        text = _ANGLED.sub(lambda match: names[match[1].lower()], text)
        if "{{" not in text:
            return text
        return expand(text, lambda call: self._value(call, depth))

    def _value(self, call: Call, depth: int) -> str | None:
        if call.name == "original":
            original, self._original = self._original, ""
            return original
        found = self._named(call)
        if found is None or depth <= 0 or ("{{" not in found and "<" not in found):
            return found
        return self.fill(found, depth - 1)

    def _named(self, call: Call) -> str | None:
        macros = self._macros
        if not call.arguments:
            own = {"user": macros.user, "char": macros.char, "persona": macros.persona}.get(call.name)
            value = macros.more.get(call.name) if own is None else own
            if value is not None:
                return value() if callable(value) else value
        return macros.others(call) if macros.others is not None else None
