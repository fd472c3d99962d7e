"""Patterns as SillyTavern's users write them, `/pattern/flags` in JavaScript's spelling, as Python's.

What cannot be translated matches nothing: a script or key of somebody else's is no reason not to reply.
"""

from __future__ import annotations

import re
from functools import lru_cache

_WHOLE = re.compile(r"/(?P<pattern>.*)/(?P<flags>[gimsuyd]*)", re.DOTALL)
_NAMED = re.compile(r"\(\?<(?![=!])")
_BACK = re.compile(r"\\k<(\w+)>")
_POINT = re.compile(r"\\u\{([0-9a-fA-F]+)\}")
_UNESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")


def split_regex(text: str) -> tuple[str, str] | None:
    """Return (pattern, flags) of a text like `/tea(pot)?s?/i`, None for a text that is none."""
    match = _WHOLE.fullmatch(text)
    if match is None or _UNESCAPED_SLASH.search(match["pattern"]):
        return None
    return match["pattern"], match["flags"]


@lru_cache(maxsize=2000)
def compiled(pattern: str, flags: str) -> re.Pattern[str] | None:
    """Return a pattern in Python's spelling, None for one that Python does not know."""
    translated = _NAMED.sub("(?P<", pattern.replace("\\/", "/"))
    translated = _BACK.sub(r"(?P=\1)", translated)
    translated = _POINT.sub(lambda point: re.escape(chr(min(int(point[1], 16), 0x10FFFF))), translated)
    options = re.NOFLAG
    for letter, option in (("i", re.IGNORECASE), ("m", re.MULTILINE), ("s", re.DOTALL)):
        if letter in flags:
            options |= option
    try:
        return re.compile(translated, options)
    except (re.error, OverflowError, RecursionError):
        return None
