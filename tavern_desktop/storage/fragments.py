"""One piece of a search: recognised in text exactly, and in the bytes of a chat file fast.

Letters match whatever their case, one for one (storage contract §10.4 lower-cases both sides); beyond the contract,
ß and ss are the same, and so are the composed and the decomposed form of a character. In bytes a character may stand
as itself or as a JSON escape. What the bytes let through is a candidate only; the text decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import Literal, NamedTuple

Token = tuple[str, ...]
"""What may stand at one place of the fragment: alternatives, each folded and of one or more characters."""

_KELVIN = "\u212a".encode()
"""Its small letter is an ASCII k: the one character that lowering bytes gets wrong. Nobody writes it as an escape."""
_DOTTED_I, _DOT = "İ", "i\u0307"
_SHARP_S = ("ss", "ß")
_ESCAPED_BY_SOME = frozenset("\"\\/<>&'+")
"""ASCII characters that JSON must or that some programs do write as escapes."""
_SHORT_ESCAPES = frozenset('"\\/')
Form = Literal["utf8", "escaped", "escaped upper", "any"]
"""How what is not ASCII stands in the bytes."""
_HEX = re.compile(r"(?<=\\u)[0-9a-f]{4}")
_SPACE_IN_TEXT = r"[ \t\r\n]+"
_SPACE = r"(?:[ \t]|\\[nrt])+"
LEAST_NEEDLE = 3
"""Bytes from which on looking for a part of a fragment sorts out enough."""
MOST_SEQUENCES = 4
"""Ways to write a fragment that are looked for one by one; what has more is one pattern."""
_RARE = b"jq"  # not z: dates end in Z
_SHARED = 5
"""Bytes of an escape that are enough to look for."""
_PATIENCE = 100
"""Rare bytes in a row that may turn out to be something else before they are taken for common."""


def folded(text: str) -> str:
    """Return `text` with each letter small, one for one: as long as before."""
    return "".join(map(_fold, text))


class _Probe(NamedTuple):
    """One quick way to find candidates: `needle`, or without one `pattern`, if any byte of `gate` is there."""

    needle: bytes
    pattern: re.Pattern[bytes] | None = None
    gate: bytes = b""

    def finder(self, data: bytes, end: int) -> Callable[[int], int]:
        """Return a function that finds the next candidate from a place on, -1 for none."""
        if self.pattern is not None:
            if self.gate and not any(byte in data for byte in self.gate):
                return lambda start: -1
            return _finder_of_pattern(self.pattern, data, end)
        rare = next((at for at, byte in enumerate(self.needle) if byte >= 0x80 or byte in _RARE), -1)
        if rare >= 0:
            return _finder_by_byte(self.needle, rare, data, end)
        return lambda start: data.find(self.needle, start, end)


class Fragment:
    """A text to look for; without `escapes` only where it stands as it is, however JSON would write it.

    Escapes are found where programs use them: for quotes, backslashes, markup and what is not ASCII.
    """

    def __init__(self, text: str, *, exact_case: bool = False, escapes: bool = True) -> None:
        self.text = text
        # What has no capitals needs no folding, and bytes as they are.
        self._exact = exact_case or text.lower() == text.upper() == text
        self._escapes = escapes
        fold = str if self._exact else folded
        forms = dict.fromkeys((fold(text), fold(unicodedata.normalize("NFC", text))))
        sequences = [self._tokens(form) for form in forms]
        self._text = re.compile("|".join(map(self._text_pattern, sequences)))
        self._pattern = self._compiled(sequences, "any")
        self._must_check = False
        self._probes = self._choose_probes([way for tokens in sequences for way in _ways(tokens)])
        self._kelvin = not self._exact and "k" in folded(text)

    def find(self, text: str) -> tuple[int, int] | None:
        """Return (start, end) of the first occurrence in a text, None if there is none."""
        found = self._text.search(text)
        return found.span() if found is not None else None

    def find_all(self, text: str) -> list[tuple[int, int]]:
        """Return (start, end) of every occurrence in a text, not overlapping."""
        return [found.span() for found in self._text.finditer(text)]

    @property
    def needs_lowering(self) -> bool:
        """Whether bytes have to be in lower case to be looked through; if not, they may be."""
        return not self._exact

    @property
    def rarity(self) -> int:
        """How much looking for this in bytes is likely to sort out: larger is better."""
        return min(len(probe.needle) for probe in self._probes)

    def may_be_in(self, prepared: bytes) -> bool:
        """Tell whether a record, prepared as `lines` wants it, may hold the fragment."""
        return self._pattern.search(prepared) is not None

    def lines(self, prepared: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of every line of `prepared` that may hold the fragment, between two line borders.

        `prepared` is a part of a file, in lower case (`bytes.lower`) if `needs_lowering`.
        """
        finders = self._finders(prepared, end)
        nexts = [find(start) for find in finders]
        while (at := min((place for place in nexts if place >= 0), default=-1)) >= 0:
            first = max(prepared.rfind(b"\n", start, at) + 1, start)
            last = prepared.find(b"\n", at, end)
            last = end if last < 0 else last
            if not self._must_check or self._pattern.search(prepared, first, last) is not None:
                yield first, last
            start = last + 1
            nexts = [find(start) if 0 <= place < start else place for find, place in zip(finders, nexts, strict=True)]

    def _finders(self, prepared: bytes, end: int) -> list[Callable[[int], int]]:
        if self._kelvin and _KELVIN in prepared:
            return [_finder_of_pattern(self._pattern, prepared, end)]
        return [probe.finder(prepared, end) for probe in self._probes]

    # -- what the fragment is made of -------------------------------------------------------------------

    def _tokens(self, form: str) -> list[Token]:
        tokens: list[Token] = []
        at = 0
        while at < len(form):
            pair, character = form[at : at + 2], form[at]
            if not self._exact and (pair == "ss" or character == "ß"):
                tokens.append(_SHARP_S)
                at += 1 if character == "ß" else 2
            elif not self._exact and (pair == _DOT or character == _DOTTED_I):
                tokens.append((_DOT, _DOTTED_I))
                at += 1 if character == _DOTTED_I else 2
            else:
                # The small letter of İ is an i and a dot, so what ends in i is also found before that dot.
                ends_in_i = not self._exact and character == "i" and at == len(form) - 1
                tokens.append(("i", _DOTTED_I) if ends_in_i else _normal_forms(character))
                at += 1
        return tokens

    def _choose_probes(self, ways: list[list[Token]]) -> list[_Probe]:
        """Return probes of which one finds whatever is the fragment."""
        needles: dict[bytes, bool] = {}
        probes: list[_Probe] = []
        for tokens in ways:
            for form in self._forms(tokens):
                run = max(self._plain_runs(tokens), key=lambda run: len(self._written(run, form)))
                needle, whole = self._written(run, form), len(run) == len(tokens)
                if form == "escaped" and self._exact:
                    # One look for both ways to write hexadecimal digits: up to the first letter they are the same.
                    shared = _common_start(needle, self._written(run, "escaped upper"))
                    needle, whole = (shared, whole and shared == needle) if len(shared) >= _SHARED else (needle, whole)
                if whole or len(needle) >= LEAST_NEEDLE:
                    needles[needle] = needles.get(needle, True) and whole
                else:
                    gate = self._gate(tokens) if form == "utf8" else b""
                    probes.append(_Probe(b"", self._compiled([tokens], form), gate))
        kept = [one for one in needles if not any(other != one and other in one for other in needles)]
        self._must_check = not all(needles.values())
        return [*map(_Probe, kept), *probes]

    def _forms(self, tokens: list[Token]) -> tuple[Form, ...]:
        """Return how a fragment may be written in bytes."""
        if not self._escapes or all(self._small_cases(text).isascii() for token in tokens for text in token):
            return ("utf8",)
        return ("utf8", "escaped", "escaped upper") if self._exact else ("utf8", "escaped")

    def _small_cases(self, text: str) -> str:
        """Return every character that may stand for those of `text`, but for the Kelvin sign."""
        return text if self._exact else "".join(c for each in text for c in _cases(each))

    def _gate(self, tokens: list[Token]) -> bytes:
        """Return bytes of which one is there wherever the fragment is, nothing where that would not help."""
        for token in tokens:
            cases = [self._small_cases(text[0]) for text in token]
            if not any(case.isascii() for group in cases for case in group):
                return bytes({case.encode("utf-8", "surrogatepass")[0] for group in cases for case in group})
        return b""

    def _plain_runs(self, tokens: list[Token]) -> Iterator[str]:
        """Yield the longest pieces that stand in prepared bytes in one way only."""
        run = ""
        for token in tokens:
            if self._is_plain(token):
                run += token[0]
            else:
                yield run
                run = ""
        yield run

    def _is_plain(self, token: Token) -> bool:
        if len(token) > 1 or len(token[0]) > 1 or token[0].isspace():
            return False
        character = token[0]
        if character.isascii():
            return not (self._escapes and character in _ESCAPED_BY_SOME)
        return self._exact or len(_cases(character)) == 1

    def _written(self, run: str, form: Form) -> bytes:
        if form == "utf8":
            return run.encode("utf-8", "surrogatepass")
        text = "".join(c if c.isascii() else _escape(c) for c in run)
        return (_HEX.sub(lambda unit: unit[0].upper(), text) if form == "escaped upper" else text).encode()

    def _compiled(self, sequences: list[list[Token]], form: Form) -> re.Pattern[bytes]:
        patterns = "|".join(self._bytes_pattern(tokens, form) for tokens in sequences)
        return re.compile(patterns.encode("utf-8", "surrogatepass"))

    def _bytes_pattern(self, tokens: list[Token], form: Form) -> str:
        return "".join(
            _SPACE if token == (" ",) else _any_of(self._in_bytes(text, form) for text in token) for token in tokens
        )

    def _in_bytes(self, text: str, form: Form) -> str:
        return "".join(_any_of(self._spellings(character, form)) for character in text)

    def _spellings(self, character: str, form: Form) -> Iterator[str]:
        # Bytes are prepared by lowering their ASCII letters, so ASCII letters stand for their capitals too.
        cases = [character] if self._exact else _cases(character)
        if form == "any" and character == "k" and not self._exact:
            cases = [character, "\u212a"]
        for case in cases:
            if form != "escaped" or case.isascii():
                yield re.escape(case)
            if self._escapes and (case in _ESCAPED_BY_SOME or (not case.isascii() and form != "utf8")):
                yield "".join(rf"\\u(?i:{unit})" for unit in _units(case))
            if self._escapes and case in _SHORT_ESCAPES:
                yield re.escape(f"\\{case}")

    def _text_pattern(self, tokens: list[Token]) -> str:
        return "".join(_SPACE_IN_TEXT if token == (" ",) else _any_of(map(self._in_text, token)) for token in tokens)

    def _in_text(self, text: str) -> str:
        if self._exact:
            return re.escape(text)
        return "".join(_any_of(map(re.escape, _all_cases(character))) for character in text)


def _finder_of_pattern(pattern: re.Pattern[bytes], data: bytes, end: int) -> Callable[[int], int]:
    def find(start: int) -> int:
        found = pattern.search(data, start, end)
        return found.start() if found is not None else -1

    return find


def _finder_by_byte(needle: bytes, place: int, data: bytes, end: int) -> Callable[[int], int]:
    """Look for the needle's rare byte: single bytes are found ten times faster than words."""
    rare = needle[place : place + 1]

    def find(start: int) -> int:
        at = start + place - 1
        for _ in range(_PATIENCE):
            at = data.find(rare, at + 1, end)
            if at < 0:
                return -1
            if data.startswith(needle, at - place, end):
                return at - place
        return data.find(needle, at - place, end)

    return find


def _common_start(one: bytes, other: bytes) -> bytes:
    length = next((at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]), len(one))
    return one[:length]


def _ways(tokens: list[Token]) -> list[list[Token]]:
    """Return every way to write the tokens where those are few, else the tokens as they are."""
    count = 1
    for token in tokens:
        count *= len(token)
    if count == 1 or count > MOST_SEQUENCES:
        return [tokens]
    return [[(character,) for text in way for character in text] for way in product(*tokens)]


def _any_of(alternatives: Iterable[str]) -> str:
    found = list(dict.fromkeys(alternatives))
    if len(found) > 1 and all(len(one.removeprefix("\\")) == 1 and one.isascii() for one in found):
        return f"[{''.join(found)}]"
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _normal_forms(character: str) -> Token:
    decomposed = unicodedata.normalize("NFD", character)
    return tuple(dict.fromkeys((character, decomposed)))


def _fold(character: str) -> str:
    small = character.casefold()
    if len(small) > 1 or (small.isascii() and not character.isascii()):
        small = character.lower()  # ſ stays, the Kelvin sign is a k
    return small if len(small) == 1 else character


def _all_cases(character: str) -> list[str]:
    """Return every character that folds as this one does."""
    if character.isascii():
        cases = [character.lower(), character.upper()] if character.isalpha() else [character]
        return [*cases, "\u212a"] if character in "kK" else cases
    return _cases(character)


def _cases(character: str) -> list[str]:
    """Return what may stand for a folded character in bytes whose ASCII letters are small, but for the Kelvin sign."""
    if character.isascii() or character.lower() == character.upper() == character.casefold():
        return [character]
    return _same_folding().get(_fold(character), [character])


def _units(character: str) -> list[str]:
    units = character.encode("utf-16-be", "surrogatepass")
    return [units[at : at + 2].hex() for at in range(0, len(units), 2)]


def _escape(character: str) -> str:
    return "".join(rf"\u{unit}" for unit in _units(character))


@cache
def _same_folding() -> dict[str, list[str]]:
    """Return {folded: every character that folds to it}, for letters that have cases."""
    found: dict[str, list[str]] = {}
    for character in map(chr, range(0x80, 0x1F000)):  # beyond, no script has cases
        if character.lower() != character or character.upper() != character:
            found.setdefault(_fold(character), []).append(character)
    for small, characters in found.items():
        if small not in characters:
            characters.append(small)
    return found
