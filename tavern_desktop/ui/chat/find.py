"""Search in an open chat, all of it, mounted or not: a scan over the raw bytes. Free of Qt; runs on any thread.

Of each record only the bytes of its text are looked at, without decoding: that sorts out nearly all. What may match is
decoded to be sure, because JSON writes some characters as escapes. 200 MB take a few tenths of a second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import islice

import orjson

from tavern_desktop.chat import facts, jsontext

_TEXT_START = b'"mes":"'

CHECK_EVERY = 2_000
"""Records between two questions whether the search is still wanted."""


def find_messages(
    raws: Iterable[bytes], needle: str, *, cancelled: Callable[[], bool] | None = None, exact_case: bool = False
) -> list[int]:
    """Return the indices of the records whose text contains `needle`, ascending.

    Case does not matter unless `exact_case`. Returns what was found so far when `cancelled` says so.
    """
    found: list[int] = []
    if not needle:
        return found
    may_match = _filter(needle, exact_case)
    wanted = needle if exact_case else needle.casefold()
    records = enumerate(raws)
    while block := list(islice(records, CHECK_EVERY)):
        if cancelled is not None and cancelled():
            break
        for index, raw in block:
            escaped = _escaped_text(raw)
            if escaped is None or may_match(escaped):
                text = _text(raw, escaped)
                if wanted in (text if exact_case else text.casefold()):
                    found.append(index)
    return found


def find_in_text(text: str, needle: str, *, exact_case: bool = False) -> list[tuple[int, int]]:
    """Return (start, end) of each occurrence of `needle` in `text`, not overlapping."""
    if not needle:
        return []
    if exact_case:
        return _occurrences(text, needle)
    folded = text.casefold()
    if len(folded) == len(text):
        return _occurrences(folded, needle.casefold())
    return _occurrences_of_longer(text, needle.casefold())


def next_hit(hits: Sequence[int], index: int, step: int) -> int | None:
    """Return the hit after (step 1) or before (step -1) message `index`, wrapping around; None if there are none."""
    if not hits:
        return None
    if step > 0:
        return next((hit for hit in hits if hit > index), hits[0])
    return next((hit for hit in reversed(hits) if hit < index), hits[-1])


def _occurrences(text: str, needle: str) -> list[tuple[int, int]]:
    found = []
    at = text.find(needle)
    while at >= 0:
        found.append((at, at + len(needle)))
        at = text.find(needle, at + len(needle))
    return found


def _occurrences_of_longer(text: str, needle: str) -> list[tuple[int, int]]:
    """Some characters fold to several (ß to ss): map the offsets of the folded text back."""
    origin = [at for at, character in enumerate(text) for _ in character.casefold()]
    origin.append(len(text))
    folded = "".join(character.casefold() for character in text)
    return [(origin[start], max(origin[end], origin[start] + 1)) for start, end in _occurrences(folded, needle)]


def _escaped_text(raw: bytes) -> bytes | None:
    """Return the text of a record as it stands between its quotes, None where only decoding can tell."""
    start = raw.find(_TEXT_START)
    # Something that opens before may be an object with a field of the same name.
    if start < 0 or raw.find(b"{", 1, start) >= 0:
        return None
    start += len(_TEXT_START)
    end = raw.find(b'","', start)  # stands in no JSON string: a quote within one has a backslash before it
    return raw[start:end] if end > start else None


def _text(raw: bytes, escaped: bytes | None) -> str:
    if escaped is not None:
        try:
            return str(orjson.loads(b'"%b"' % escaped))
        except orjson.JSONDecodeError:  # a lone surrogate
            pass
    return facts.text(jsontext.decode(raw))


def _filter(needle: str, exact_case: bool) -> Callable[[bytes], bool]:
    """Return a quick test that lets through the bytes of every text that may contain `needle`."""
    piece = max(re.split(r'[\x00-\x1f"\\/\x7f]', needle), key=len)  # JSON writes those in several ways
    if not piece:
        return lambda raw: True
    if exact_case or piece.lower() == piece.upper() == piece.casefold():
        plain, escaped = piece.encode("utf-8", "surrogatepass"), _pattern(piece, _itself)
        return lambda raw: plain in raw or (b"\\u" in raw and escaped.search(raw) is not None)
    if piece.casefold().isascii():
        lowered = piece.casefold().encode()
        return lambda raw: lowered in raw.lower() or b"\\u" in raw or _may_fold_oddly(raw)
    if any(len(character.casefold()) > 1 for character in piece):
        return lambda raw: True
    pattern = _pattern(piece, _all_cases)
    return lambda raw: pattern.search(raw) is not None or _may_fold_oddly(raw)


def _may_fold_oddly(raw: bytes) -> bool:
    """Say whether a text holds a character that folds to several or to an ASCII one: ß, ﬁ, İ, the Kelvin sign."""
    return not raw.isascii() and _odd_characters().search(raw) is not None


def _pattern(piece: str, variants: Callable[[str], Iterable[str]]) -> re.Pattern[bytes]:
    """Return a pattern for every way in which the characters may stand in the bytes."""
    forms = (
        "(?:" + "|".join(form for variant in variants(character) for form in _escapes(variant)) + ")"
        for character in piece
    )
    return re.compile("".join(forms).encode("utf-8", "surrogatepass"))


def _escapes(character: str) -> Iterable[str]:
    units = character.encode("utf-16-be", "surrogatepass")
    yield re.escape(character)
    yield "".join(rf"\\u(?i:{units[at]:02x}{units[at + 1]:02x})" for at in range(0, len(units), 2))


def _itself(character: str) -> Iterable[str]:
    yield character


def _all_cases(character: str) -> Iterable[str]:
    return _same_folding().get(character.casefold(), [character])


@cache
def _same_folding() -> dict[str, list[str]]:
    """Return {folded: every character of the basic plane that folds to it} where there are several."""
    found: dict[str, list[str]] = {}
    for character in map(chr, range(0x10000)):
        found.setdefault(character.casefold(), []).append(character)
    return {folded: characters for folded, characters in found.items() if len(characters) > 1}


@cache
def _odd_characters() -> re.Pattern[bytes]:
    odd = (c for c in map(chr, range(0x80, 0xD800)) if len(c.casefold()) > 1 or c.casefold().isascii())
    ligatures = map(chr, range(0xFB00, 0xFB18))
    return re.compile(b"|".join(character.encode() for character in (*odd, *ligatures)))
