"""Role-play reading of asterisks that CommonMark would not pair: `* He nods *`, `*He nods *`.

Only for showing: the stored text is never altered. Arithmetic (`2 * 3 = 6`) and list items stay what they are, and an
asterisk that nobody closes is an asterisk.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_MASKED = re.compile(r"(`+)(?:.*?)\1(?!`)|\]\([^)\n]*\)|<[^<>\n]*>|\\.", re.DOTALL)
_STARS = re.compile(r"\*+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LETTER = re.compile(r"[^\W\d_]")


class _Star(NamedTuple):
    at: int
    opens: bool
    """It touches what follows, as in " *He"."""
    closes: bool
    """It touches what precedes, as in "nods* ". Neither: it stands loose."""


def loose_pairs(text: str) -> dict[int, int]:
    """Return {opening: closing} offsets of the asterisks that belong together only by role-play habit.

    Pairs that CommonMark makes by itself are not in it. `text` is the content of one paragraph.
    """
    if "* " not in text and " *" not in text:
        return {}
    masked = _MASKED.sub(lambda match: "x" * len(match.group()), text)
    pairs: dict[int, int] = {}
    start = 0
    for line in masked.split("\n"):
        for opening, closing in _pairs_of_line(line):
            pairs[start + opening] = start + closing
        start += len(line) + 1
    return pairs


def is_loose_narration(line: str) -> bool:
    """Say whether a line that looks like a list item is narration instead: `* He nods *`."""
    stripped = line.strip()
    return stripped.startswith("* ") and 0 in loose_pairs(stripped)


def _pairs_of_line(line: str) -> list[tuple[int, int]]:
    """Pair from left to right; a pair counts only when one of its ends stands loose."""
    pairs = []
    opened: _Star | None = None
    stars = _single_stars(line)
    for number, star in enumerate(stars):
        if opened is None:
            opened = star if star.opens or _may_open(line, star) else None
        elif star.closes:
            if not opened.opens and _is_narration(line, opened.at, star.at):
                pairs.append((opened.at, star.at))
            opened = None
        elif star.opens:
            opened = star
        elif opened.opens and _closes_later(stars[number + 1 :]):
            continue  # the opening one has a better end
        elif _is_narration(line, opened.at, star.at):
            pairs.append((opened.at, star.at))
            opened = None
        elif not opened.opens:
            opened = star if _may_open(line, star) else None
    return pairs


def _closes_later(stars: list[_Star]) -> bool:
    """Say whether an asterisk that touches what precedes comes before the next that opens."""
    return next((star.closes for star in stars if star.opens or star.closes), False)


def _single_stars(line: str) -> list[_Star]:
    found = []
    for match in _STARS.finditer(line):
        if len(match.group()) == 1:
            before, after = line[: match.start()][-1:].strip(), line[match.end() : match.end() + 1].strip()
            opens = bool(after) and (not before or (after.isalnum() and not before.isalnum()))
            found.append(_Star(match.start(), opens, bool(before) and not opens))
    return found


def _may_open(line: str, star: _Star) -> bool:
    """A loose asterisk opens at the start of a line or after the end of a sentence, not within a sum."""
    if star.closes:
        return False
    before = line[: star.at].rstrip()[-1:]
    if not before or not before.isalnum():
        return True
    inside, _, beyond = line[star.at + 1 :].partition("*")
    is_product = beyond.lstrip()[:1].isalnum() and len(_WORD.findall(inside)) < 2
    return not before.isdigit() and not is_product


def _is_narration(line: str, opening: int, closing: int) -> bool:
    """Between the ends stand words, and what follows is no number."""
    inside = line[opening + 1 : closing]
    after = line[closing + 1 :].lstrip()[:1]
    if line[closing - 1 : closing].isspace() and (after.isdigit() or inside.rstrip()[-1:].isdigit()):
        return False
    return _LETTER.search(inside) is not None
