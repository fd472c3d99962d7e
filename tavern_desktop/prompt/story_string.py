"""Story strings: a small and safe part of Handlebars, filled in piece by piece (prompt §5.1).

`{{field}}`, `{{#if field}} … {{else}} … {{/if}}`, `{{#unless field}} … {{/unless}}`, comments and `~`. Nothing else of
the language runs; what is no field is left for the macros. Each piece keeps where it comes from, so that a person can
see which part of the text is the description and which the lore.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_TAG = re.compile(r"\{\{\{[^{}]*\}\}\}|\{\{!--.*?--\}\}|\{\{!.*?\}\}|\{\{[^{}]*\}\}", re.DOTALL)
_INNER = re.compile(r"\{{2,3}(?P<left>~?)\s*(?P<word>.*?)\s*(?P<right>~?)\}{2,3}", re.DOTALL)
_BLOCK = re.compile(r"#(?P<kind>if|unless)\s+(?P<field>[\w.]+)")
_ALONE_BEFORE = re.compile(r"(?:^|(?<=\n))[ \t]*\Z")
_ALONE_AFTER = re.compile(r"\A[ \t]*(?:\r?\n|\Z)")

MOST_NESTED = 30
TRIM = "\x00trim\x00"
"""Stands where line breaks on both sides go."""


class Piece(NamedTuple):
    """A part of the text. `field` is the name of what it comes from, "" for the template's own words."""

    field: str
    text: str


def rendered(template: str, fields: Mapping[str, str]) -> list[Piece]:
    """Return the pieces of a template whose fields are given; a field's name counts in any case.

    A block that is never closed reaches to the end.
    """
    known = {name.lower(): name for name in fields}
    return _Rendering(_tokens(template), fields, known).run()


def trimmed(pieces: list[Piece]) -> list[Piece]:
    """Return the pieces without the line breaks around each `TRIM`, and without those the text begins with."""
    found: list[Piece] = []
    cuts = True
    for field, text in pieces:
        for at, part in enumerate(text.split(TRIM)):
            if at:
                _cut_end(found)
                cuts = True
            kept = part.lstrip("\r\n") if cuts else part
            cuts = cuts and not kept
            if kept:
                found.append(Piece(field, kept))
    return found


def _cut_end(pieces: list[Piece]) -> None:
    while pieces:
        field, text = pieces.pop()
        if kept := text.rstrip("\r\n"):
            pieces.append(Piece(field, kept))
            return


class _Token(NamedTuple):
    word: str
    """What stands in a tag; "" for plain text."""
    text: str
    """The text, or the tag as it is written."""


def _tokens(template: str) -> list[_Token]:
    """Return texts and tags; a block's tag that stands alone on its line takes the line with it."""
    found: list[_Token] = []
    at = 0
    cuts_blanks = False
    for match in _TAG.finditer(template):
        inner = _INNER.fullmatch(match[0])
        if inner is None or match.start() < at:
            continue
        word = inner["word"]
        text = template[at : match.start()]
        end = match.end()
        if cuts_blanks:
            text = text.lstrip()
        if inner["left"]:
            text = text.rstrip()
        elif _is_block(word) and (after := _ALONE_AFTER.match(template[end:])):
            line = _ALONE_BEFORE.search(template[: match.start()])
            if line is not None:
                text = text[: max(0, len(text) - len(line[0]))]
                end += after.end()
        cuts_blanks = bool(inner["right"])
        found.append(_Token("", text))
        if not word.startswith("!"):
            found.append(_Token(word or " ", match[0]))
        at = end
    rest = template[at:]
    found.append(_Token("", rest.lstrip() if cuts_blanks else rest))
    return found


def _is_block(word: str) -> bool:
    return word.startswith(("#", "/", "!")) or word == "else"


class _Rendering:
    def __init__(self, tokens: list[_Token], fields: Mapping[str, str], known: Mapping[str, str]) -> None:
        self._tokens, self._fields, self._known = tokens, fields, known
        self._at = 0

    def run(self) -> list[Piece]:
        return self._until("", 0, shows=True)

    def _until(self, kind: str, depth: int, *, shows: bool) -> list[Piece]:
        """Render up to the end of a block of this kind, or to its `else`."""
        found: list[Piece] = []
        while self._at < len(self._tokens):
            word, text = self._tokens[self._at]
            if kind and word in ("else", f"/{kind}"):
                return found
            self._at += 1
            block = _BLOCK.fullmatch(word)
            if block is not None and depth < MOST_NESTED:
                found += self._block(block["kind"], block["field"], depth, shows=shows)
            elif shows and (piece := self._piece(word, text)) is not None:
                found.append(piece)
        return found

    def _block(self, kind: str, field: str, depth: int, *, shows: bool) -> list[Piece]:
        is_there = bool(self._value(field))
        first = shows and (is_there if kind == "if" else not is_there)
        found = self._until(kind, depth + 1, shows=first)
        if self._word() == "else":
            self._at += 1
            found += self._until(kind, depth + 1, shows=shows and not first)
        self._at += 1
        return found

    def _word(self) -> str:
        return self._tokens[self._at].word if self._at < len(self._tokens) else ""

    def _piece(self, word: str, text: str) -> Piece | None:
        if not word:
            return Piece("", text) if text else None
        if word.lower() == "trim":
            return Piece("", TRIM)
        name = self._known.get(word.lower())
        if name is None:
            return Piece("", text)
        value = self._fields[name]
        return Piece(name, value) if value else None

    def _value(self, field: str) -> str:
        name = self._known.get(field.lower())
        return self._fields[name] if name is not None else ""
