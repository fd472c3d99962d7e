"""How macros are written: finding them in a text, nested ones first, with their arguments and their blocks."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

_HEAD = re.compile(r"\s*(?P<name>//|[A-Za-z_][\w+-]*|/if|else)\s*(?P<rest>.*)", re.DOTALL)
_FALSE = frozenset({"", "false", "off", "0"})
_TRIM = "\x00trim\x00"
_AROUND_TRIM = re.compile(rf"[\r\n]*{_TRIM}[\r\n]*")

MOST_NESTED = 30
"""Levels of macros within macros; what is deeper stays as it stands."""


class Call(NamedTuple):
    """A macro as it is used. `place` is where it stands in its text, `text` the whole of that."""

    name: str
    arguments: tuple[str, ...]
    place: int
    text: str


Evaluate = Callable[[Call], "str | None"]


def expand(text: str, evaluate: Evaluate) -> str:
    """Return `text` with its macros evaluated, inner ones first; what `evaluate` does not know stays."""
    expanded = _Expansion(text, evaluate).run()
    return _AROUND_TRIM.sub("", expanded) if _TRIM in expanded else expanded


class _Expansion:
    def __init__(self, text: str, evaluate: Evaluate) -> None:
        self._text = text
        self._evaluate = evaluate

    def run(self) -> str:
        result, at = self._until(0, 0, ends=())
        return result + self._text[at:]

    def _until(self, at: int, depth: int, ends: tuple[str, ...]) -> tuple[str, int]:
        """Expand from `at` to one of `ends` or the end of the text; return that, and where the end begins."""
        text = self._text
        parts: list[str] = []
        while at < len(text):
            opening = text.find("{{", at)
            closing = text.find("}}", at) if "}}" in ends else -1
            if closing >= 0 and (opening < 0 or closing < opening):
                return "".join([*parts, text[at:closing]]), closing
            if opening < 0 or depth > MOST_NESTED:
                break
            parts.append(text[at:opening])
            if block_end := self._block_end(opening, ends):
                return "".join(parts), block_end
            piece, at = self._macro(opening, depth)
            parts.append(piece)
        return "".join([*parts, text[at:]]), len(text)

    def _block_end(self, opening: int, ends: tuple[str, ...]) -> int | None:
        """Return `opening` where a word stands there that ends the block being read."""
        lowered = self._text[opening : opening + 12].lower().replace(" ", "")
        return opening if any(end != "}}" and lowered.startswith("{{" + end + "}}") for end in ends) else None

    def _macro(self, opening: int, depth: int) -> tuple[str, int]:
        inner, closing = self._until(opening + 2, depth + 1, ("}}",))
        if closing >= len(self._text):  # never closed: no macro
            return self._text[opening : opening + 2] + inner, closing
        after = closing + 2
        head = _HEAD.fullmatch(inner)
        if head is None:
            return f"{{{{{inner}}}}}", after
        name, rest = head["name"].lower(), head["rest"]
        if name == "//":
            return "", after
        if name == "trim" and not rest:
            return _TRIM, after
        if name == "if":
            block = self._if(rest.strip(), after, depth)
            if block is not None:
                return block
        value = self._evaluate(Call(name, _arguments(rest), opening, self._text))
        return (f"{{{{{inner}}}}}" if value is None else value), after

    def _if(self, condition: str, at: int, depth: int) -> tuple[str, int] | None:
        """Read a block up to its end; None where it has none, so that it is no block."""
        if "/if" not in self._text[at:].lower():
            return None
        yes, at = self._until(at, depth + 1, ("else", "/if"))
        no = ""
        if self._is_else(at):
            no, at = self._until(self._text.index("}}", at) + 2, depth + 1, ("/if",))
        if at >= len(self._text):
            return None
        return (yes if self._is_true(condition) else no), self._text.index("}}", at) + 2

    def _is_else(self, at: int) -> bool:
        return self._text[at : at + 12].lower().replace(" ", "").startswith("{{else}}")

    def _is_true(self, condition: str) -> bool:
        negated = condition.startswith("!")
        word = condition[1:].strip() if negated else condition
        value = self._evaluate(Call(word.lower(), (), 0, self._text)) if word else ""
        return ((word if value is None else value).strip().lower() not in _FALSE) is not negated


def _arguments(rest: str) -> tuple[str, ...]:
    """Return the arguments behind a name: after `::` each, after one `:` or a blank a single one."""
    if rest.startswith("::"):
        return tuple(part.strip() for part in rest[2:].split("::"))
    if rest.startswith(":"):
        return (rest[1:].strip(),)
    return (rest.strip(),) if rest.strip() else ()
